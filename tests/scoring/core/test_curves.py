"""Curves of one run against the papers, against the measures, and against literal twins."""

import tracemalloc

import numpy as np
import pytest

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures import curves
from scoring.core.measures import graded as graded_measures
from scoring.core.measures.curves import (
    bounds_by_depth,
    bounds_by_persistence,
    precision_recall,
    rank_shares,
)
from scoring.core.measures.graded import (
    GradedTopics,
    default_gain_map,
    evaluate,
    evaluate_in_blocks,
)
from scoring.core.measures.names import parse_measure

BINARY = np.array([0.0, 1.0])
# "$$---$----$-??--?---" of the RBP paper, section 4.4
PAPER = np.array(
    [[{"$": 1, "-": 0, "?": UNJUDGED}[each] for each in "$$---$----$-??--?---"]], np.int8
)


def drawn(seed: int, topics: int = 7, ranks: int = 40) -> np.ndarray:
    """Grades of 0 to 2, unjudged documents, and lists of every length."""
    random = np.random.default_rng(seed)
    grades = random.choice([0, 1, 2, UNJUDGED], (topics, ranks), p=[0.4, 0.2, 0.1, 0.3])
    for row, length in zip(grades, random.integers(0, ranks + 1, topics), strict=True):
        row[length:] = PAST_END
    grades[0] = PAST_END
    return grades.astype(np.int8)


def graded(grades: np.ndarray) -> GradedTopics:
    counts = np.array([[(row == grade).sum() for grade in range(3)] for row in grades])
    return GradedTopics(grades=grades, grade_counts=counts + 1, gain_map=default_gain_map(2))


def test_the_papers_ranking_has_the_papers_bounds() -> None:
    """Printed to this many digits: .7661 to .7663, .447 to .489, .17 to .60."""
    shares = rank_shares(PAPER, BINARY)
    found = bounds_by_persistence(shares, (0.5, 0.8, 0.95))
    upper = found.base + found.residual
    printed = zip(found.base, upper, (4, 3, 2), strict=True)
    assert [(round(low, n), round(high, n)) for low, high, n in printed] == [
        (0.7661, 0.7663), (0.447, 0.489), (0.17, 0.60),
    ]  # fmt: skip


def test_by_hand_to_a_depth_of_three() -> None:
    """`1 ? 0`, p = 1/2: .5; .5 and a quarter unknown and the tail; nothing more from the third."""
    shares = rank_shares(np.array([[1, UNJUDGED, 0]], np.int8), BINARY)
    found = bounds_by_depth(shares, 0.5, (0, 1, 2, 3, 9))
    assert found.base.tolist() == [0, 0.5, 0.5, 0.5, 0.5]
    assert found.residual.tolist() == [1, 0.5, 0.5, 0.375, 0.375]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["RBP(p={})", "RBP(p={},gain=map)", "RBP(p={},rel=2)"])
def test_at_every_depth_and_p_they_are_the_measures_own(seed: int, name: str) -> None:
    grades = drawn(seed)
    gains = {
        "RBP(p={})": [0.0, 1.0, 1.0],
        "RBP(p={},gain=map)": [0.0, 0.5, 1.0],
        "RBP(p={},rel=2)": [0.0, 0.0, 1.0],
    }[name]
    shares = rank_shares(grades, np.array(gains))
    persistences, depths = (0.0, 0.3, 0.8, 0.95, 0.99), (1, 2, 7, 39, 40)
    whole = bounds_by_persistence(shares, persistences)
    for at, p in enumerate(persistences):
        measure = parse_measure(name.format(p))
        scores = evaluate([measure], graded(grades))[measure]
        assert whole.base[at] == pytest.approx(scores.base.mean(), abs=1e-12)
        assert whole.residual[at] == pytest.approx(scores.residual.mean(), abs=1e-12)
        found = bounds_by_depth(shares, p, depths)
        for place, depth in enumerate(depths):
            cut = evaluate([measure], graded(grades[:, :depth].copy()))[measure]
            assert found.base[place] == pytest.approx(cut.base.mean(), abs=1e-12)
            assert found.residual[place] == pytest.approx(cut.residual.mean(), abs=1e-12)


def test_bounds_only_close_with_depth_and_never_lose_what_was_between_them() -> None:
    shares = rank_shares(drawn(9), np.array([0.0, 1.0, 1.0]))
    found = bounds_by_depth(shares, 0.95, range(41))
    upper = found.base + found.residual
    assert (np.diff(found.base) >= 0).all()
    assert (np.diff(upper) <= 1e-15).all()
    assert upper[0] == 1


def test_precision_and_interpolated_precision_of_a_worked_example() -> None:
    """N. Ferro, Evaluation measures (University of Padua), p. 39: the ranking 0110100110 with R = 5
    has the precision .5 .66 .5 .6 .5 ..., interpolated .66 .60 .55."""
    found = precision_recall(np.array([int(each) for each in "0110100110"], np.bool_), 5)
    assert found.recall.tolist() == [0, 0.2, 0.4, 0.4, 0.6, 0.6, 0.6, 0.8, 1, 1]
    precisions = [0, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 3 / 6, 3 / 7, 4 / 8, 5 / 9, 5 / 10]
    assert found.precision.tolist() == precisions
    assert found.interpolated.tolist() == [2 / 3] * 4 + [3 / 5] * 3 + [5 / 9] * 3


@pytest.mark.parametrize("seed", range(20))
def test_interpolation_is_the_highest_precision_at_that_recall_or_more(seed: int) -> None:
    random = np.random.default_rng(seed)
    relevant = random.random(random.integers(1, 60)) < 0.3
    found = precision_recall(relevant, int(relevant.sum()) + 3)
    for place, recall in enumerate(found.recall):
        highest = max(
            precision
            for precision, other in zip(found.precision, found.recall, strict=True)
            if other >= recall
        )
        assert found.interpolated[place] == highest


def test_nothing_to_recall_is_refused_and_an_empty_list_has_no_points() -> None:
    with pytest.raises(ValueError, match="no recall"):
        precision_recall(np.array([False]), 0)
    assert len(precision_recall(np.zeros(0, np.bool_), 3).recall) == 0


def test_blocks_of_topics_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    grades, gains = drawn(3), np.array([0.0, 1 / 3, 1.0])
    whole = rank_shares(grades, gains)
    monkeypatch.setattr(curves, "_GRADES_AT_A_TIME", 3 * grades.shape[1])
    monkeypatch.setattr(graded_measures, "GRADES_AT_A_TIME", 3 * grades.shape[1])
    blocks = rank_shares(grades, gains)
    assert blocks.gain.tolist() == whole.gain.tolist()
    assert blocks.unknown.tolist() == whole.unknown.tolist()
    measures = [parse_measure(name) for name in ("IPrec@0.5", "RBP(p=0.8)", "AP")]
    found = evaluate_in_blocks(measures, graded(grades))
    for measure, scores in evaluate(measures, graded(grades)).items():
        assert found[measure].base.tolist() == scores.base.tolist()
        assert (found[measure].residual is None) == (scores.residual is None)
        if scores.residual is not None:
            assert found[measure].residual.tolist() == scores.residual.tolist()


def test_memory_does_not_grow_with_the_topics() -> None:
    """All grades at once took 50 bytes each: of 6,980 topics and 1,000 ranks 350 MB."""
    grades = np.tile(drawn(1, 2, 1_000)[1:], (3_000, 1))
    levels = [parse_measure(f"IPrec@{level / 10}") for level in range(11)]
    given = graded(grades[:1])
    many = GradedTopics(grades, given.grade_counts.repeat(len(grades), axis=0), given.gain_map)
    tracemalloc.start()
    try:
        rank_shares(grades, np.array([0.0, 0.5, 1.0]))
        evaluate_in_blocks(levels, many)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grades.nbytes == 3_000_000
    assert peak < 30e6
