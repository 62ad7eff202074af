"""The examples in the docstrings of `scoring.core` run, and every public function has one.

The examples of a package, and of a module, share what the package's and the module's own docstring
make. Names of the module need no import.
"""

import ast
import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def public_functions(source: str) -> dict[str, str]:
    """The docstring of each public function of a module, "" without one."""
    return {
        node.name: ast.get_docstring(node) or ""
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


FUNCTIONS = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): functions
    for path in sorted((ROOT / "scoring/core").rglob("*.py"))
    if (functions := public_functions(path.read_text()))
}


def run(docstring: str | None, names: dict, title: str) -> str:
    """What its examples did otherwise than they say; `names` gets what they define."""
    test = doctest.DocTestParser().get_doctest(docstring or "", names, title, None, None)
    failures: list[str] = []
    doctest.DocTestRunner().run(test, out=failures.append, clear_globs=False)
    names.update(test.globs)
    return "".join(failures)


def failures_of(module_name: str, functions: dict[str, str]) -> list[str]:
    """Examples of a module that fail, and functions without an example."""
    module = importlib.import_module(module_name)
    package = importlib.import_module(module_name.rpartition(".")[0])
    names: dict = {}
    failures = [run(package.__doc__, names, package.__name__)]
    names |= vars(module)
    failures.append(run(module.__doc__, names, module_name))
    for name, docstring in functions.items():
        title = f"{module_name}.{name}"
        has_example = ">>> " in docstring
        failed = run(docstring, names.copy(), title)
        failures.append(failed if has_example else f"{title} has no example")
    return [each for each in failures if each]


@pytest.mark.parametrize("module", FUNCTIONS)
def test_every_public_function_has_an_example_that_runs(module):
    assert failures_of(module, FUNCTIONS[module]) == []


def test_an_example_that_fails_or_that_is_missing_is_named():
    source = '''
def wrong():
    """Adds.

    >>> DECIMALS + 1
    14
    """
def without(): ...
def _private(): ...
'''
    wrong, without = failures_of("scoring.core.statistics.ranks", public_functions(source))
    assert "Expected:\n    14\nGot:\n    13\n" in wrong
    assert without == "scoring.core.statistics.ranks.without has no example"


def test_examples_share_what_the_docstring_of_their_module_makes():
    names: dict = {}
    assert run(">>> three = 1 + 2", names, "a module") == ""
    assert run(">>> three\n3", names, "its function") == ""
