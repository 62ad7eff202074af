"""No measure without a second, slow and literal implementation among the tests.

Read from the source of the twins: which families their comparisons name.
"""

import ast
from pathlib import Path

import pytest

from scoring.core.measures.catalogue import FAMILIES

HERE = Path(__file__).parent
TWINS = (
    *("test_literal_twins.py", "test_twins_of_counting_measures.py"),
    *("test_twins_of_gain_measures.py", "test_twins_of_adaptive_measures.py"),
    "test_twins_of_nearly_expected.py",
)
COMPARING = {"agrees", "TOLERANCE"}  # names that a test uses which compares with a twin


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def words_in(node: ast.AST) -> set[str]:
    constants = (each for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {each.value for each in constants if isinstance(each.value, str)}


def compared(source: str) -> set[str]:
    """The words of the tests that compare, of their decorators, and of the tables they name."""
    body = ast.parse(source).body
    tables = {
        target.id: words_in(node.value)
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = set()
    for node in body:
        if isinstance(node, ast.FunctionDef) and names_in(node) & COMPARING:
            found |= words_in(node)
            found = found.union(*(tables.get(name, set()) for name in names_in(node)))
    return found


FOUND = set().union(*(compared((HERE / name).read_text()) for name in TWINS))


@pytest.mark.parametrize("family", [family.name for family in FAMILIES])
def test_it_has_one(family: str) -> None:
    assert family in FOUND


def test_a_family_without_a_twin_would_be_noticed() -> None:
    source = """
SETS = {"SetP": 1}
OTHERS = {"SetR": 1}

def test_one(case):
    agrees(make_measure("AP"), twin, case)

@parametrize("name", SETS)
def test_two(name):
    agrees(make_measure(name), twin, 1)

def test_three():
    assert base("RR", "1") == 1
"""
    assert compared(source) == {"AP", "SetP", "name"}
