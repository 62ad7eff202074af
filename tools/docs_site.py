"""What mkdocs adds to docs/: the changelog, how to contribute, and the reference of the library."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import trackside

ROOT: Final = Path(__file__).resolve().parent.parent
OF_ROOT: Final = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
TO_ROOT: Final = re.compile(rf"\]\((?P<up>(?:\.\./)*)\.\./(?={'|'.join(map(re.escape, OF_ROOT))})")
EXAMPLE: Final = re.compile(r"(?m)^>>> (?:.*\n?)(?:^(?!\s*$).*\n?)*")


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that are not in docs/."""
    from mkdocs.structure.files import File

    for name in OF_ROOT:
        text = (ROOT / name).read_text().replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, "reference.md", content=reference()))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """The site has no folder above docs/."""
    return TO_ROOT.sub(r"](\g<up>", markdown)


def reference() -> str:
    """A page from the docstrings of `import trackside`."""
    names = [name for name in trackside.__all__ if not name.startswith("_")]
    parts = ["# Reference of the library", f"`import trackside as ts`: {len(names)} names."]
    for name in sorted(names, key=lambda name: (name[0].isupper(), name)):
        parts += _entry(name, getattr(trackside, name), level=2)
    return "\n\n".join(parts) + "\n"


def _entry(name: str, found: Any, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} `{name}`"
    if callable(found):
        yield f"```python\n{name.rpartition('.')[2]}{_signature(found)}\n```"
    yield _with_examples(inspect.getdoc(found) or "")
    if inspect.isclass(found):
        for method, member in vars(found).items():
            if not method.startswith("_") and inspect.getdoc(member):
                yield from _entry(f"{name}.{method}", member, level=level + 1)


def _signature(found: Callable[..., object]) -> str:
    """As it is written in the source, where types have short names."""
    node = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0]
    if isinstance(node, ast.ClassDef):
        own = (each for each in node.body if isinstance(each, ast.FunctionDef))
        node = next((each for each in own if each.name == "__init__"), node)
    if not isinstance(node, ast.FunctionDef):
        return "(…)"
    parts = list(_parameters(node.args))
    arrow = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    short = f"({', '.join(parts)}){arrow}"
    return short if len(short) < 80 else "(\n    " + ",\n    ".join(parts) + f",\n){arrow}"


def _parameters(given: ast.arguments) -> Iterator[str]:
    missing = [None] * (len(given.args) - len(given.defaults))
    for each, default in zip(given.args, [*missing, *given.defaults], strict=True):
        if each.arg != "self":
            yield _parameter(each, default)
    if given.kwonlyargs:
        yield "*"
    for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _parameter(each, default)


def _parameter(each: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(each) + ("" if default is None else f" = {ast.unparse(default)}")


def _with_examples(text: str) -> str:
    """Examples of the interpreter in blocks of code."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)
