"""What a plan would ask for: the paper's example, and the loop that says it slowly."""

import numpy as np
import pytest

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import (
    Candidates,
    candidates_of,
    collect_candidates,
    find_candidates,
)
from scoring.core.judging.planned_judging import (
    expected_bounds,
    expected_shares,
    plan_judging,
    residual_curve,
)
from scoring.core.judging.selection import Method, Scope, Strategy, bounds_of_runs, choose

TABLE_1 = (
    "18 22 15 13 11 25 10 84",
    "22 10 11 19 38 18 33 17",
    "21 35 16 11 38 33 18 17",
    "10 18 11 22 87 13 17 20",
)


HALF = np.full(4, 0.5)


def candidates_in(*topics: tuple[str, ...]) -> Candidates:
    """The runs of each topic as rows of documents, best first."""
    rankings = []
    for runs in zip(*topics, strict=True):
        rows = [row.split() for row in runs]
        lengths = [len(row) for row in rows]
        rankings.append(
            rank(
                topics=[str(number) for number in range(1, len(topics) + 1)],
                topic_index=np.repeat(np.arange(len(rows), dtype=np.int32), lengths),
                doc_ids=np.array([document for row in rows for document in row], np.bytes_),
                retrieval_scores=-np.concatenate([np.arange(n, dtype=float) for n in lengths]),
            )
        )
    return collect_candidates(rankings, topics=[str(n) for n in range(1, len(topics) + 1)])


def unjudged(candidates: Candidates) -> np.ndarray:
    return np.full(len(candidates), UNJUDGED, np.int8)


def names(candidates: Candidates, chosen: np.ndarray) -> list[str]:
    return [candidates.doc_ids[place].decode() for place in chosen]


def test_method_a_will_ask_for_the_papers_six_and_leave_its_residuals() -> None:
    candidates = candidates_in(TABLE_1)
    outcomes = unjudged(candidates)
    chosen = plan_judging(candidates, Strategy("A", 0.8), outcomes, budget=6, batch=20, shares=HALF)
    assert names(candidates, chosen) == ["18", "22", "11", "10", "21", "13"]
    curve = residual_curve(
        candidates, outcomes, chosen, points=np.array([0, 1, 6]), persistence=0.8
    )
    assert curve[0].tolist() == [1, 1, 1, 1]
    # document 18 is run 1's first, run 2's sixth, run 3's seventh and run 4's second
    assert curve[1] == pytest.approx([0.8, 1 - 0.2 * 0.8**5, 1 - 0.2 * 0.8**6, 0.84], abs=1e-12)
    assert curve[2] == pytest.approx([0.4032512, 0.446464, 0.6451712, 0.344064], abs=1e-12)


def test_a_run_is_expected_to_go_on_as_it_began() -> None:
    candidates = candidates_in(TABLE_1)
    outcomes = unjudged(candidates)
    assert expected_shares(candidates, outcomes, 0.8).tolist() == [0.5] * 4
    for document, outcome in (("18", 1), ("22", 0), ("21", 0)):
        outcomes[candidates.doc_ids.tolist().index(document.encode())] = outcome
    # of all runs (1 + 1) / (3 + 2); run 1 has .2 of .36, run 3 has .2 * .8**6 of .2 + .2 * .8**6
    late = 0.2 * 0.8**6
    expected = [(0.2 + 0.2 * 0.4) / (0.36 + 0.2), (late + 0.2 * 0.4) / (0.2 + late + 0.2)]
    shares = expected_shares(candidates, outcomes, 0.8)
    assert shares[[0, 2]] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["pooling", "A", "B", "C"])
@pytest.mark.parametrize("scope", ["run", "topic"])
def test_a_plan_is_what_choosing_again_and_again_would_choose(method: Method, scope: Scope) -> None:
    """With shares of 0 or 1 the documents to come are simply irrelevant, or relevant: then the
    plan is the loop of choosing a batch and noting it."""
    rng = np.random.default_rng(3)
    topics = [
        tuple(" ".join(f"d{x:02}" for x in rng.permutation(30)[:12]) for _ in range(5))
        for _ in range(3)
    ]
    candidates = candidates_in(*topics)
    known = rng.choice([UNJUDGED, 0, 1], len(candidates), p=[0.8, 0.1, 0.1]).astype(np.int8)
    strategy = Strategy(method, 0.7, scope)
    for share in (0, 1):
        outcomes, expected = known.copy(), []
        shares = np.full(candidates.runs, float(share))
        while len(found := choose(candidates, strategy, outcomes, count=4)):
            outcomes[found] = share
            expected += found.tolist()
        plan = plan_judging(
            candidates, strategy, known, budget=len(candidates), batch=4, shares=shares
        )
        assert plan.tolist() == expected
        assert len(plan) == (known == UNJUDGED).sum()
        after = expected_bounds(candidates, known, plan, shares=shares, persistence=0.7)
        full = bounds_of_runs(candidates, outcomes, 0.7)
        assert after.base == pytest.approx(full.base, abs=1e-12)
        assert after.residual == pytest.approx(full.residual, abs=1e-12)


def test_the_candidates_of_some_runs_are_those_collected_from_them_alone() -> None:
    everything = candidates_in(TABLE_1, TABLE_1[::-1])
    alone = candidates_in((TABLE_1[1], TABLE_1[3]), (TABLE_1[2], TABLE_1[0]))
    some, places = candidates_of(everything, np.array([False, True, False, True]))
    assert some.doc_ids.tolist() == alone.doc_ids.tolist()
    assert some.topic_rows.tolist() == alone.topic_rows.tolist()
    assert some.positions.tolist() == alone.positions.tolist()
    assert (some.run_rows // 2).tolist() == alone.run_rows.tolist()
    assert everything.doc_ids[places].tolist() == some.doc_ids.tolist()
    strategy = Strategy("pooling", 0.8)
    ours = choose(some, strategy, unjudged(some), count=99)
    assert ours.tolist() == choose(alone, strategy, unjudged(alone), count=99).tolist()


def test_what_is_no_plan_is_refused() -> None:
    candidates = candidates_in(TABLE_1)
    ask = {"budget": 6, "batch": 2, "shares": HALF}
    for wrong in ({"budget": -1}, {"batch": 0}, {"shares": HALF + 1}, {"shares": HALF[:2]}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            plan_judging(candidates, Strategy("C", 0.8), unjudged(candidates), **ask | wrong)
    with pytest.raises(ValueError, match="4 runs"):
        candidates_of(candidates, np.array([True]))


def test_documents_are_found_among_the_candidates_topic_by_topic() -> None:
    candidates = candidates_in(TABLE_1, ("a b", "b c", "c dd", "d"))
    rows = np.array([1, 0, 1, 0, 1, 1], np.int32)
    documents = np.array(["dd", "18", "18", "99999999999", "a", "zz"], np.bytes_)
    expected = [
        next(
            (
                place
                for place in range(len(candidates))
                if (candidates.topic_rows[place], candidates.doc_ids[place]) == (row, document)
            ),
            -1,
        )
        for row, document in zip(rows, documents, strict=True)
    ]
    assert find_candidates(candidates, rows, documents).tolist() == expected
    assert [place >= 0 for place in expected] == [True, True, False, False, True, False]
