"""`import trackside`: what it offers, what it loads, and that its documentation is true."""

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import trackside as ts

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted({*ts._MODULES.values()})
PAGE = ROOT / "docs" / "library.md"


def python(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_importing_it_loads_nothing_of_size() -> None:
    names = "numpy", "scipy", "django", "celery", "scoring", "campaigns", "argparse", "typing"
    loaded = f"import sys, trackside; print([n for n in {names[:-1]} if n in sys.modules])"
    assert python(loaded) == "[]"


def test_it_works_with_django_celery_and_pandas_blocked() -> None:
    script = (
        "import sys; sys.modules.update(django=None, celery=None, pandas=None, polars=None)\n"
        "import trackside as ts\n"
        "print(ts.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'AP').means[0].value)\n"
        "print('django' in ts.__dict__, ts.__version__ != '')"
    )
    assert python(script).split() == ["1.0", "False", "True"]


def test_everything_that_is_promised_is_there_and_nothing_else() -> None:
    assert dir(ts) == sorted(ts.__all__)
    assert all(getattr(ts, name) is not None for name in ts.__all__)
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        ts.evalute  # noqa: B018


def test_type_checkers_and_python_find_the_same_things() -> None:
    tree = ast.parse((ROOT / "trackside" / "__init__.py").read_text())
    typed = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("scoring", "trackside"))
        for alias in node.names
    }
    assert typed == ts._MODULES
    assert set(typed) | {"__version__"} == set(ts.__all__)


@pytest.mark.parametrize("package", ["trackside", "scoring", "campaigns"])
def test_the_packages_say_that_they_are_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_the_examples_of_the_docstrings_are_true() -> None:
    found = [doctest.testmod(import_module(name)) for name in MODULES]
    assert sum(each.failed for each in found) == 0
    assert sum(each.attempted for each in found) >= 30


def test_every_public_function_has_an_example() -> None:
    lacking = [
        name
        for name in ts.__all__
        if callable(getattr(ts, name)) and name.islower() and ">>>" not in getattr(ts, name).__doc__
    ]
    assert lacking == []


def test_the_examples_of_the_page_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = PAGE.read_text().replace("\n```", "\n\n")  # an answer ends at a blank line
    (tmp_path / PAGE.name).write_text(examples)
    found = doctest.testfile(str(tmp_path / PAGE.name), module_relative=False, globs={})
    assert found.failed == 0
    assert found.attempted >= 15


def test_the_page_describes_every_name() -> None:
    text = PAGE.read_text()
    assert [name for name in ts.__all__ if f"ts.{name}" not in text] == ["__version__"]
