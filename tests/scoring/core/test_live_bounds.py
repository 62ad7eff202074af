"""Bounds kept judgment by judgment are those of scoring everything again; and when to stop."""

import itertools

import numpy as np
import pytest

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates
from scoring.core.judging.live_bounds import LiveBounds
from scoring.core.judging.selection import RunBounds, bounds_of_runs
from scoring.core.judging.stopping import count_pairs, smallest_p, top_group
from tests.scoring.core.test_planned_judging import TABLE_1, candidates_in


def one(value: int, kind: type = np.int64) -> np.ndarray:
    return np.array([value], kind)


def drawn(seed: int = 1) -> Candidates:
    rng = np.random.default_rng(seed)
    topics = [
        tuple(" ".join(f"d{x:02}" for x in rng.permutation(40)[:15]) for _ in range(6))
        for _ in range(4)
    ]
    return candidates_in(*topics)


def by_hand(
    lists: tuple[str, ...], grades: dict[str, int], p: float
) -> tuple[list[float], list[float]]:
    """Base and residual of each list, document by document."""
    bases, residuals = [], []
    for row in lists:
        base, unknown = 0.0, p ** len(row.split())
        for rank, document in enumerate(row.split()):
            weight = (1 - p) * p**rank
            base += weight * grades.get(document, 0)
            unknown += weight if document not in grades else 0.0
        bases.append(base)
        residuals.append(unknown)
    return bases, residuals


def test_each_judgment_of_the_papers_example_moves_the_bounds_as_by_hand() -> None:
    candidates = candidates_in(TABLE_1)
    live, grades = LiveBounds(candidates, 0.8), {}
    places = {name.decode(): at for at, name in enumerate(candidates.doc_ids.tolist())}
    for document, grade in (("18", 1), ("22", 0), ("11", 1), ("10", 1), ("21", 0), ("13", 1)):
        grades[document] = grade
        live.take(one(places[document]), one(grade, np.int8))
        bases, residuals = by_hand(TABLE_1, grades, 0.8)
        assert live.bounds().base[:, 0] == pytest.approx(bases, abs=1e-12)
        assert live.bounds().residual[:, 0] == pytest.approx(residuals, abs=1e-12)
    assert residuals == pytest.approx([0.4032512, 0.446464, 0.6451712, 0.344064], abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.99])
def test_bounds_equal_a_full_score_at_every_step_whatever_is_changed_or_taken_back(
    p: float,
) -> None:
    candidates, rng = drawn(), np.random.default_rng(7)
    live, outcomes = LiveBounds(candidates, p), np.full(len(drawn()), UNJUDGED, np.int8)
    for _ in range(300):
        places = rng.choice(len(candidates), rng.integers(1, 6), replace=False)
        said = rng.choice([UNJUDGED, 0, 1], len(places)).astype(np.int8)
        live.take(places, said)
        outcomes[places] = said
        full, kept = bounds_of_runs(candidates, outcomes, p), live.bounds()
        assert np.abs(full.base - kept.base).max() < 1e-12
        assert np.abs(full.residual - kept.residual).max() < 1e-12
    assert live.outcomes.tolist() == outcomes.tolist()


def test_what_is_taken_back_leaves_not_a_bit_behind() -> None:
    candidates = drawn()
    fresh, live = LiveBounds(candidates, 0.8), LiveBounds(candidates, 0.8)
    everything = np.arange(len(candidates))
    live.take(everything, np.ones(len(candidates), np.int8))
    for place in everything[::-1]:
        live.take(one(place), one(UNJUDGED, np.int8))
    assert live.bounds().base.tolist() == fresh.bounds().base.tolist()
    assert live.bounds().residual.tolist() == fresh.bounds().residual.tolist()


def test_what_is_no_judgment_is_refused_and_changes_nothing() -> None:
    live = LiveBounds(drawn(), 0.8)
    for places, outcomes in ((([0, 0]), [1, 1]), ([0], [2]), ([0, 1], [1])):
        with pytest.raises(ValueError, match=r"twice|outcomes"):
            live.take(np.array(places), np.array(outcomes, np.int8))
    assert live.bounds().base.max() == 0
    with pytest.raises(ValueError, match="persistence"):
        LiveBounds(drawn(), 1.0)


# --- when to stop ---------------------------------------------------------------------------------


def one_tailed(differences: list[float]) -> float:
    """P(W+ >= what is seen) over all signs, without zeros and ties: counted out."""
    ranks = {value: rank for rank, value in enumerate(sorted(map(abs, differences)), start=1)}
    seen = sum(ranks[abs(value)] for value in differences if value > 0)
    signs = itertools.product((0, 1), repeat=len(differences))
    sums = [sum(s * r for s, r in zip(each, ranks.values(), strict=True)) for each in signs]
    return sum(total >= seen for total in sums) / len(sums)


def test_the_top_group_holds_whom_the_leader_does_not_beat_at_their_best() -> None:
    """Eight topics. The leader's base beats the third run's upper bound on all of them, p = 1/256,
    and the second's on all but the one where it leads least."""
    topics = np.arange(8)
    base = np.array([0.5 + topics / 100, 0.4 + topics / 1000, 0.1 + topics / 1000])
    residual = np.zeros((3, 8))
    residual[1, 0] = 0.101
    residual[2] = 0.2
    found = top_group(RunBounds(base, residual), alpha=0.01)
    against = [(base[0] - base[run] - residual[run]).round(12).tolist() for run in (1, 2)]
    alone = [one_tailed(differences) for differences in against]
    assert alone == [2 / 256, 1 / 256]
    assert found.order.tolist() == [0, 1, 2]
    assert found.p_values[1:].tolist() == [2 / 256, 2 / 256]  # Holm: the smaller one twice
    assert found.is_in.tolist() == [True, False, False]
    assert top_group(RunBounds(base, residual), alpha=0.005).is_in.tolist() == [True, True, True]
    counted = count_pairs(RunBounds(base, residual), np.arange(3), alpha=0.05)
    assert (counted.pairs, counted.base_vs_base, counted.base_vs_top) == (3, 3, 3)


def test_before_anything_is_judged_everybody_is_in_the_top_group() -> None:
    found = top_group(RunBounds(np.zeros((5, 20)), np.ones((5, 20))), alpha=0.05)
    assert found.size == 5
    assert np.nanmin(found.p_values) == 1.0


def test_few_topics_can_separate_nobody() -> None:
    assert smallest_p(30, 142) == 142 / 2**30
    assert smallest_p(2, 3) == 0.75
    assert smallest_p(1, 9) == 1.0
