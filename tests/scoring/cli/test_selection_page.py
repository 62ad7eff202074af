"""`docs/selection.md` says what comes of judging TREC-COVID anew, and A and C do better there."""

import os
import re
from pathlib import Path

import pytest

from tools.judging_study import read_study
from tools.selection_page import DEPTH, METHODS, P, against_pooling, example, page

DATA = os.environ.get("TRACKSIDE_DATA")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "selection.md"
NUMBER = re.compile(r"\d*\.\d+|\d[\d,]*")
LAST_DIGIT = 1.01e-4  # the page prints four: a rounding may fall either way, more may not change


@pytest.fixture(scope="module")
def study():
    if not DATA:
        pytest.skip("TRACKSIDE_DATA does not name the folder of real runs")
    return read_study(Path(DATA) / "trec-covid-round1", depth=DEPTH, persistence=P)


def numbers(text):
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


@pytest.mark.long
@pytest.mark.data
def test_the_page_is_not_stale(study):
    written, made = PAGE.read_text(), page(study)
    stale = "outdated, run TRACKSIDE_DATA=... make docs"
    assert NUMBER.sub("#", written) == NUMBER.sub("#", made), stale
    assert numbers(written) == pytest.approx(numbers(made), rel=0, abs=LAST_DIGIT), stale


def test_the_example_of_the_paper_is_not_stale():
    text = "\n".join(example())
    assert text in PAGE.read_text()
    assert "| weight | .4780 | .4624 | .4403 | .4124 | .2000 | .1679 |" in text


@pytest.mark.long
@pytest.mark.data
def test_methods_a_and_c_find_more_and_leave_less_than_pooling(study):
    played = {method: study.play(method, 1000) for method in METHODS}
    for method in ("A", "C"):
        found, left = against_pooling(study, played, method)
        assert found >= 1.2
        assert left <= 0.8
