"""Several runs that are scored together have the same bits as each of them alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures import graded as evaluation
from scoring.core.measures.arrays import GradedTopics, each_run
from scoring.core.measures.graded import (
    Scores,
    counts_ranks_past_end,
    default_gain_map,
    evaluate,
    evaluate_runs,
    in_stacks,
)
from scoring.core.measures.workings import places_of
from scoring.core.statistics.means import mean_scores, means_of_runs
from scoring.core.ties.groups import TiedTopics, stacked_with_ties
from scoring.core.ties.ties import bounds, has_bounds
from tests.scoring.core.test_catalogue import EXAMPLES

CELLS = np.array([UNJUDGED, 0, 1, 2], np.int8)


DEPTHS = [1, 2, 9, 40, 300]


@st.composite
def tied_runs(draw, of_one_depth=False):
    """Some runs of one campaign with ties."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    topics = draw(st.integers(1, 4))
    depths = draw(st.lists(st.sampled_from(DEPTHS), min_size=1, max_size=4))
    if of_one_depth:
        depths = [depths[0]] * len(depths)
    counts = random.integers(0, 9, (topics, 3)) + max(depths)
    return [tied_run(random, (topics, depth), counts) for depth in depths]


def tied_run(random, shape, counts):
    grades = random.choice(CELLS, size=shape)
    lengths = random.integers(0, shape[1] + 1, shape[0])
    grades[np.arange(shape[1]) >= lengths[:, np.newaxis]] = PAST_END
    begins = random.random(shape) < 0.7
    begins[:, 0] = True
    begins[grades == PAST_END] = True
    pooled = random.random(shape) < 0.2
    return TiedTopics(GradedTopics(grades, counts, default_gain_map(2), pooled), begins)


def same_bits(found, expected):
    assert found.base.tobytes() == expected.base.tobytes()
    assert (found.residual is None) == (expected.residual is None)
    if found.residual is not None:
        assert found.residual.tobytes() == expected.residual.tobytes()


PAST_END_COUNTS = [measure for measure in EXAMPLES if counts_ranks_past_end(measure)]
OTHERS = [measure for measure in EXAMPLES if not counts_ranks_past_end(measure)]


def scored_alike(measures, runs):
    together = evaluate_runs(measures, [run.graded for run in runs])
    for place, run in enumerate(runs):
        for measure, alone in evaluate(measures, run.graded).items():
            same_bits(each_run(together[measure])[place], alone)


@given(runs=tied_runs())
def test_measures_that_do_not_count_the_ranks_past_the_end(runs):
    scored_alike(OTHERS, runs)


@given(runs=tied_runs(of_one_depth=True))
def test_measures_that_do(runs):
    families = {"RBP", "ERR", "INST", "NERR8", "NERR9", "NERR10", "NERR11"}
    assert {measure.family for measure in PAST_END_COUNTS} == families
    scored_alike(PAST_END_COUNTS, runs)


@given(runs=tied_runs())
def test_the_bounds_under_ties(runs):
    measures = [measure for measure in OTHERS if has_bounds(measure)]
    together = bounds(measures, stacked_with_ties(runs))
    alone = [bounds(measures, run) for run in runs]
    for measure in measures:
        for end in ("worst", "best"):
            joined = np.concatenate([getattr(each[measure], end) for each in alone])
            assert getattr(together[measure], end).tobytes() == joined.tobytes()


def test_runs_that_a_stack_has_no_room_for_are_scored_in_blocks(monkeypatch):
    random = np.random.default_rng(1)
    counts = np.full((3, 3), 50)
    runs = [tied_run(random, (3, 40), counts).graded for _ in range(5)]
    whole = evaluate_runs(EXAMPLES, runs)
    monkeypatch.setattr(evaluation, "GRADES_AT_A_TIME", 100)
    for measure, scores in evaluate_runs(EXAMPLES, runs).items():
        same_bits(scores, whole[measure])


@pytest.mark.parametrize(
    ("shapes", "most", "stacks"),
    [
        ([], None, []),
        ([(2, 5)] * 5, None, [[0, 1], [2, 3], [4]]),
        ([(2, 5), (2, 4), (2, 4), (2, 4), (2, 3), (2, 5)], None, [[0, 1], [2, 3], [4, 5]]),
        ([(2, 1), (2, 2), (2, 3), (2, 5)], None, [[0, 1, 2], [3]]),
        ([(2, 11), (2, 11), (1, 1), (1, 1)], None, [[0], [1], [2, 3]]),
        ([(2, 5)] * 3, 1, [[0], [1], [2]]),
        ([(0, 5), (0, 5), (3, 0)], None, [[0, 1], [2]]),
    ],
)
def test_a_stack_has_the_same_topics_and_is_not_too_large(monkeypatch, shapes, most, stacks):
    monkeypatch.setattr(evaluation, "GRADES_AT_A_TIME", 20)
    found = in_stacks(range(len(shapes)), lambda run: shapes[run], OTHERS, most=most)
    assert list(found) == stacks


@pytest.mark.parametrize("measure", PAST_END_COUNTS)
def test_a_stack_for_a_measure_that_counts_the_ranks_past_the_end_has_one_depth(measure):
    depths = [5, 5, 4, 5]
    found = in_stacks(range(4), lambda run: (2, depths[run]), [*OTHERS, measure])
    assert list(found) == [[0, 1], [2], [3]]


def test_at_most_one_run_is_read_that_the_next_stack_does_not_take(monkeypatch):
    monkeypatch.setattr(evaluation, "GRADES_AT_A_TIME", 20)
    read = iter(range(10))
    assert next(in_stacks(read, lambda run: (2, 5), OTHERS)) == [0, 1]
    assert next(read) == 3


values = st.floats(0, 1) | st.just(np.nan)


@given(
    rows=st.lists(st.lists(values, min_size=6, max_size=6), min_size=1, max_size=4),
    included=st.lists(st.booleans(), min_size=6, max_size=6),
    summary=st.sampled_from(["mean", "sum", "geometric"]),
)
def test_means(rows, included, summary):
    base = np.array(rows) + 0.00001
    topics = np.array(included)
    scores = Scores(base, base / 2)
    alone = [mean_scores(run, topics, summary) for run in each_run(scores)]
    assert repr(means_of_runs(scores, topics, summary)) == repr(alone)
    own = np.array([np.roll(topics, place) for place in range(len(rows))])
    alone = [
        mean_scores(run, mask, summary) for run, mask in zip(each_run(scores), own, strict=True)
    ]
    assert repr(means_of_runs(scores, own, summary)) == repr(alone)


@given(seed=st.integers(0, 2**32), ranks=st.sampled_from([1, 7, 8, 9, 64, 100]))
def test_what_stands_above_is_counted(seed, ranks):
    random = np.random.default_rng(seed)
    mask, counted = random.random((2, 3, ranks)) < 0.4
    found = places_of(mask).count_above(counted)
    above = np.cumsum(counted, axis=1) - counted
    assert found.tolist() == above[mask].tolist()
