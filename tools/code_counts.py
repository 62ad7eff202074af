"""Counts the product's lines of code: `python -m tools.code_counts [COMMIT]`, by default of HEAD.

The product is the Python code in `campaigns`, `scoring` and `trackside`, without migrations.
Templates, scripts and C are not counted. Each line is one of these:

- docstring, with its blank lines;
- imports, all lines of an import statement;
- blank, outside of strings;
- comment, without code on the same line;
- code, all other lines.

A private function is a function at the top of a module, or a method, whose name begins with one
underscore. It is used once if its module has one reference to its name. If a module has several
private functions of that name, they are used once if there are as many references.
"""

import ast
import io
import subprocess
import sys
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("campaigns", "scoring", "trackside")
LEFT_OUT = "migrations"
KINDS = ("code", "imports", "docstring", "comment", "blank")


@dataclass
class Counts:
    files: int = 0
    lines: Counter[str] = field(default_factory=Counter)  # by kind
    private: int = 0  # functions
    used_once: int = 0  # of these

    @property
    def code(self) -> int:
        return self.lines["code"]

    def per_1000(self, number: int) -> float:
        """Per 1,000 lines of code."""
        return 1000 * number / self.code if self.code else 0.0

    def add(self, source: str) -> None:
        """Counts a module."""
        tree = ast.parse(source)
        self.files += 1
        self.lines.update(line_kinds(source, tree))
        defined, used = Counter(_private_functions(tree)), Counter(_references(tree))
        self.private += defined.total()
        self.used_once += sum(count for name, count in defined.items() if used[name] == count)

    def report(self) -> str:
        kinds = [f"{self.lines[kind]:8,} {kind}" for kind in KINDS]
        rates = [
            f"{self.per_1000(self.lines['comment']):8.1f} comment lines per 1,000 lines of code",
            f"{self.per_1000(self.used_once):8.1f} private functions used once per 1,000 lines "
            f"of code: {self.used_once:,} of {self.private:,}",
        ]
        lines = [f"{self.files:8,} files", f"{self.lines.total():8,} lines"]
        return "\n".join(lines + kinds + rates)


def count(commit: str, root: Path = ROOT) -> Counts:
    counts = Counts()
    for source in sources(commit, root):
        counts.add(source)
    return counts


def sources(commit: str, root: Path) -> Iterator[str]:
    """The modules of the product in a commit."""
    command = ["git", "-C", str(root), "archive", commit, "--", *PRODUCT]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout  # noqa: S603
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            path = Path(member.name)
            if path.suffix == ".py" and LEFT_OUT not in path.parts:
                content = files.extractfile(member)
                assert content is not None
                yield content.read().decode()


def line_kinds(source: str, tree: ast.Module) -> list[str]:
    """The kind of each line."""
    kinds = {
        number: "blank" if not text.strip() else "code"
        for number, text in enumerate(source.splitlines(), start=1)
    }
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (first, column), (last, _) = token.start, token.end
        if token.type == tokenize.COMMENT and not token.line[:column].strip():
            kinds[first] = "comment"
        elif first != last:  # a string of several lines
            kinds |= dict.fromkeys(range(first, last + 1), "code")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kinds |= dict.fromkeys(_lines_of(node), "imports")
        elif docstring := _docstring(node):
            kinds |= dict.fromkeys(_lines_of(docstring), "docstring")
    return list(kinds.values())


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _docstring(node: ast.AST) -> ast.stmt | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    return node.body[0] if ast.get_docstring(node, clean=False) is not None else None


def _private_functions(tree: ast.Module) -> Iterator[str]:
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)]
    for node in (node for scope in scopes for node in scope.body):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        name = getattr(node, "name", "") if is_function else ""
        if name.startswith("_") and not name.startswith("__"):
            yield name


def _references(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


if __name__ == "__main__":
    print(count(sys.argv[1] if sys.argv[1:] else "HEAD").report())
