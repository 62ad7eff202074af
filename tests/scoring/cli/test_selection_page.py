"""`docs/selection.md` says what comes of judging TREC-COVID and TREC-8 anew: A and C do better on
the first, and the orders that look for relevant documents find more of them on the second."""

import os
import re
from pathlib import Path

import pytest

from scoring.core.judging.selection import METHODS, ORDERS
from tools.judging_study import read_study
from tools.selection_page import DEPTH, P, against_pooling, example, page

DATA = os.environ.get("TRACKSIDE_DATA")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "selection.md"
TIME = re.compile(r"\| \d+ s \|")  # of the machine on which the page was made
NUMBER = re.compile(r"\d*\.\d+|\d[\d,]*")
LAST_DIGIT = 1.01e-4  # the page prints four: a rounding may fall either way, more may not change


def study_of(folder):
    if not DATA:
        pytest.skip("TRACKSIDE_DATA does not name the folder of real runs")
    return read_study(Path(DATA) / folder, depth=DEPTH, persistence=P)


@pytest.fixture(scope="module")
def covid():
    return study_of("trec-covid-round1")


@pytest.fixture(scope="module")
def trec_8():
    return study_of("trec8-adhoc")


def numbers(text):
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


@pytest.mark.long
@pytest.mark.data
def test_the_page_is_not_stale(covid, trec_8):
    written, made = (TIME.sub("| time |", text) for text in (PAGE.read_text(), page(covid, trec_8)))
    stale = "outdated, run TRACKSIDE_DATA=... make docs"
    assert NUMBER.sub("#", written) == NUMBER.sub("#", made), stale
    assert numbers(written) == pytest.approx(numbers(made), rel=0, abs=LAST_DIGIT), stale


def test_the_example_of_the_paper_is_not_stale():
    text = "\n".join(example())
    assert text in PAGE.read_text()
    assert "| weight | .4780 | .4624 | .4403 | .4124 | .2000 | .1679 |" in text


@pytest.mark.long
@pytest.mark.data
def test_methods_a_and_c_find_more_and_leave_less_than_pooling(covid):
    played = {method: covid.play(method, 1000) for method in METHODS}
    for method in ("A", "C"):
        found, left = against_pooling(covid, played, method)
        assert found >= 1.2
        assert left <= 0.8


@pytest.mark.long
@pytest.mark.data
def test_orders_that_look_for_relevant_documents_find_more_of_them(trec_8):
    found = {method: trec_8.play(method, 10_000).found for method in METHODS}
    others = [found[method] for method in METHODS if method not in ORDERS]
    assert min(found[method] for method in ORDERS) > max(others)
