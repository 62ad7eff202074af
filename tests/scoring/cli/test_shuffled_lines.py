"""The order of lines, in a run or in qrels, changes no score by a single bit."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.core.ties.ties import has_bounds, has_expected
from tests.scoring.core.test_catalogue import EXAMPLES

TOPICS = ["1", "2", "10", "mb7"]
DOCS = [f"D{n}" for n in range(8)] + ["a-longer-document-id", "é"]
SCORES = ["3.5", "3.50", "-1e-3", "2", "0.1", "0.10000000000000001", "7"]

lines = st.lists(
    st.tuples(
        st.sampled_from(TOPICS), st.sampled_from(DOCS), st.sampled_from(SCORES), st.integers(0, 99)
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda line: line[:2],
)
judgments = st.lists(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCS), st.integers(-1, 2)),
    max_size=25,
    unique_by=lambda line: line[:2],
)
patient = settings(
    deadline=None,
    max_examples=min(50, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
BY_RULE = {
    "docno": EXAMPLES,
    "expected": [measure for measure in EXAMPLES if has_expected(measure)],
    "bounds": [measure for measure in EXAMPLES if has_bounds(measure)],
}


def run_text(lines):
    return "".join(f"{t} Q0 {doc} {rank} {score} r\n" for t, doc, score, rank in lines)


def qrels_text(judgments):
    # One line at least: an empty file is no qrels.
    return "".join(f"{t} 0 {doc} {grade}\n" for t, doc, grade in [("1", "Z", 1), *judgments])


def printed(trackside, ties, judgments, lines):
    """Everything there is to say of the run, with all digits."""
    asked = [argument for measure in BY_RULE[ties] for argument in ("-m", measure)]
    qrels = trackside.write("shuffled-qrels", qrels_text(judgments))
    run = trackside.write("shuffled-run", run_text(lines))
    found = trackside("evaluate", qrels, run, *asked, "--ties", ties, "-q", "--format", "csv")
    return found.status, found.out, found.err


@pytest.mark.parametrize("ties", BY_RULE)
@patient
@given(lines=lines, judgments=judgments, data=st.data())
def test_no_score_changes(trackside, ties, lines, judgments, data):
    shuffled = data.draw(st.permutations(lines)), data.draw(st.permutations(judgments))
    before = printed(trackside, ties, judgments, lines)
    assert printed(trackside, ties, shuffled[1], shuffled[0]) == before


def test_what_is_compared_are_scores(trackside):
    lines = [("1", "D1", "2", 1), ("1", "D2", "2", 2)]
    status, out, _ = printed(trackside, "expected", [("1", "D1", 1)], lines)
    assert status == 0
    assert "r,1,RR,0.75," in out  # D1 first or second
    _, other, _ = printed(trackside, "docno", [("1", "D1", 1)], lines)
    assert "r,1,RR,0.5," in other  # D2 is first
