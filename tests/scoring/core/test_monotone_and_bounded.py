"""What the table of the seven properties says of small collections holds for long rankings too.

The search (`scoring.core.properties.properties`) tries binary rankings of up to seven documents.
Here they have up to sixty, of several grades, some of nobody's, and more may be relevant than were
retrieved.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.properties.properties import properties_of
from tests.scoring.core.drawn import base, drawn, scores
from tests.scoring.core.test_catalogue import EXAMPLES

HIGHEST = 3
WORTH = np.array([0.0, 0.25, 0.5, 1.0])
LONGEST = 60
ROUNDING = 1e-12


def holds(name):
    """The examples of which the table says so; of a stricter `rel` what it says of rel=1."""
    for measure in EXAMPLES:
        lenient = tuple(each for each in measure.parameters if each[0] != "rel")
        if properties_of(Measure(measure.family, lenient, measure.cutoff))[name].holds:
            yield measure


# The search knows no gain between 0 and 1: with one, half of the readers of NERR go on to the next.
PARTLY_SATISFIED = parse_measure("NERR9(gain=map)@5"), parse_measure("NERR10(gain=map)")
MONOTONIC = [measure for measure in holds("monotonic") if measure not in PARTLY_SATISFIED]
BOUNDED = list(holds("bounded"))
# The search knows no unjudged document, and no second grade: there these are not monotonic.
ONLY_JUDGED = {"Judged", "unj"}
ONLY_BINARY = {"Rndcg"}


@st.composite
def topics(draw, *, judged=False, highest=HIGHEST):
    """Grades from the first rank down, and the judged documents per grade."""
    lowest = 0 if judged else UNJUDGED
    grades = draw(st.lists(st.integers(lowest, highest), min_size=1, max_size=LONGEST))
    elsewhere = draw(st.lists(st.integers(0, 4), min_size=highest + 1, max_size=highest + 1))
    elsewhere += [0] * (HIGHEST - highest)
    counts = [grades.count(grade) + more for grade, more in enumerate(elsewhere)]
    return grades, counts


def at_every_cutoff(measure, grades, counts):
    """float64[ranks]: the score of the first rank, of the first two, ... by the same qrels."""
    size = len(grades)
    if family_of(measure).cutoff in ("required", "optional"):
        whole = GradedTopics(np.array([grades], np.int8), np.array([counts]), WORTH)
        cut = [Measure(measure.family, measure.parameters, k) for k in range(1, size + 1)]
        found = evaluate(cut, whole)
        return np.array([found[each].base[0] for each in cut])
    ranks = np.arange(size)
    seen = np.where(ranks <= ranks[:, None], np.array(grades, np.int8), np.int8(PAST_END))
    prefixes = GradedTopics(seen, np.tile(counts, (size, 1)), WORTH)
    return evaluate([measure], prefixes)[measure].base


@pytest.mark.parametrize("measure", MONOTONIC, ids=str)
@given(data=st.data())
def test_a_longer_ranking_scores_no_less(measure, data):
    case = topics(
        judged=measure.family in ONLY_JUDGED,
        highest=1 if measure.family in ONLY_BINARY else HIGHEST,
    )
    found = at_every_cutoff(measure, *data.draw(case))
    found = found[~np.isnan(found)]
    steps = np.diff(found) if family_of(measure).facts.direction == "higher" else -np.diff(found)
    assert (steps >= -ROUNDING).all()


@pytest.mark.parametrize("measure", BOUNDED, ids=str)
@given(case=topics())
def test_a_score_stays_in_its_range(measure, case):
    low, high = family_of(measure).facts.range
    assert np.isfinite([low, high]).all()
    found = at_every_cutoff(measure, *case)
    found = found[~np.isnan(found)]
    assert (found >= low - ROUNDING).all()
    assert (found <= high + ROUNDING).all()


def test_unjudged_documents_and_grades_break_what_the_search_cannot_see():
    assert scores("Judged@1", drawn("1?")).base[0] > scores("Judged@2", drawn("1?")).base[0]
    graded = {"highest": 2, "per_grade": (9, 1, 1)}
    assert base("NERR9(gain=map)@1", "10", highest=2) == 0.5
    assert base("NERR9(gain=map)@2", "10", highest=2) == 0.4  # .5 in 1 + 1/2 · 1/2 documents
    assert (
        scores("Rndcg", drawn("200", **graded)).base > scores("Rndcg", drawn("2000", **graded)).base
    )


def extreme(measure, length):
    """The greatest score, either way, of rankings that are relevant all over, nowhere, or late."""
    grades = np.zeros((4, length), np.int8)
    grades[0], grades[2, length // 2 :], grades[3, -1] = 1, 1, 1
    per_grade = np.stack([(grades == grade).sum(axis=1) for grade in range(HIGHEST + 1)], axis=1)
    if family_of(measure).cutoff:
        measure = Measure(measure.family, measure.parameters, length)
    found = evaluate([measure], GradedTopics(grades, per_grade, WORTH))[measure].base
    return np.nanmax(np.abs(found))


UNBOUNDED = [measure for measure in EXAMPLES if measure not in BOUNDED]


@pytest.mark.parametrize("measure", UNBOUNDED, ids=str)
def test_what_has_no_bound_grows_on(measure):
    found = [extreme(measure, length) for length in (16, 64, 256, 1024, 4096)]
    assert found == sorted(set(found))
    assert found[-1] > 2 * found[0]
