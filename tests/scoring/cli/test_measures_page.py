"""`docs/measures.md` says what the catalogue says."""

from pathlib import Path

import pytest

from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.entries import example_of
from tools.measures_page import page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "measures.md"


def test_the_page_is_not_stale():
    written = PAGE.read_text()
    assert written == page(), "outdated, run python -m tools.measures_page > docs/measures.md"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_measure_has_an_entry(family):
    (entry,) = [
        part for part in page().split('<a id="measure-') if part.startswith(f'{family.name}"')
    ]
    for title in ("Formula", "Range", "User model", "Residual", "Ties", "Edges", "Reference"):
        assert f"- **{title}**" in entry
    assert family.facts.formula in entry
    assert example_of(family).family == family.name


def test_the_edges_are_computed():
    text = page()
    assert "`AP` of an empty ranking: 0; nothing relevant retrieved: 0; R = 0: 0; one" in text
    assert "`APret` of an empty ranking: –; nothing relevant retrieved: –;" in text
