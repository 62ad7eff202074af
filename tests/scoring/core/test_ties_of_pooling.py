"""Ties in a run: every place that takes the first documents of runs takes the same ones.

Two runs on one topic, `b1` with equal scores throughout and `b2` with two ties, in lines of no
order. The order is by score, then by document id, both descending, as trec_eval has it, and
among documents of equal rank in different runs that in which the runs are named.
"""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from scoring.core.data.alignment import UNJUDGED
from scoring.core.data.ranking import Ranking, rank
from scoring.core.judging.candidates import (
    candidates_to_depth,
    collect_candidates,
    find_outcomes,
)
from scoring.core.judging.planned_judging import plan_judging
from scoring.core.judging.pooled_judgments import (
    complete_depths,
    first_positions,
    judged_places,
    sole_owners,
)
from scoring.core.judging.selection import Strategy, choose, static_order
from scoring.core.judging.simulation import simulate_judging
from tests.scoring.cli.command import Command
from tests.scoring.core.test_alignment import table_of

RUNS = {
    "b1": [("c", 1.0), ("a", 1.0), ("e", 1.0), ("d", 1.0)],
    "b2": [("a", 2.0), ("f", 1.0), ("b", 2.0), ("g", 1.0)],
}
ORDERS = {"b1": "edca", "b2": "bagf"}  # by hand
POOLING = "ebdacgf"  # by hand: e and b at rank 1, d and a at rank 2, c and g at 3, f at 4
POOLS = {depth: set(ORDERS["b1"][:depth] + ORDERS["b2"][:depth]) for depth in (1, 2, 3)}
STRATEGY = Strategy("pooling", 0.8)
TABLE = table_of([("1", document, 1) for document in "abcdefg"], topics=("1",))


def ranked(tag: str, max_depth: int | None = None) -> Ranking:
    lines = RUNS[tag]
    return rank(
        topics=["1"],
        topic_index=np.zeros(len(lines), np.int32),
        doc_ids=np.array([document.encode() for document, _ in lines]),
        retrieval_scores=np.array([score for _, score in lines]),
        max_depth=max_depth,
    )


def ids(doc_ids: np.ndarray) -> str:
    return b"".join(doc_ids.tolist()).decode()


@pytest.mark.parametrize("tag", RUNS)
def test_a_run_is_cut_in_the_order_of_its_ranking(tag: str) -> None:
    assert ids(ranked(tag).doc_ids) == ORDERS[tag]
    assert ids(ranked(tag, max_depth=2).doc_ids) == ORDERS[tag][:2]


@pytest.mark.parametrize("depth", POOLS)
def test_pools_of_plans_and_of_studies_hold_the_same_documents(depth: int) -> None:
    rankings = [ranked(tag) for tag in RUNS]
    candidates = collect_candidates(rankings, topics=["1"])
    assert set(ids(candidates_to_depth(candidates, depth)[0].doc_ids)) == POOLS[depth]
    cut = collect_candidates(rankings, topics=["1"], depth=depth)
    assert set(ids(cut.doc_ids)) == POOLS[depth]
    places = [judged_places(ranking, TABLE) for ranking in rankings]
    in_pool = first_positions(places, len(TABLE.grades)) < depth
    assert set(ids(TABLE.doc_ids[in_pool])) == POOLS[depth]
    of_first = sole_owners(places, [0, 1], len(TABLE.grades), depth=depth) == 0
    owned = set(ORDERS["b1"][:depth]) - set(ORDERS["b2"][:depth])
    assert set(ids(TABLE.doc_ids[of_first])) == owned
    pooled = table_of([("1", document, 0) for document in sorted(POOLS[depth])], topics=("1",))
    complete = complete_depths([judged_places(ranking, pooled) for ranking in rankings], pooled)
    assert complete.min() == depth


def test_the_order_of_judging_is_one_in_plan_simulation_and_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = collect_candidates([ranked(tag) for tag in RUNS], topics=["1"])
    nothing = np.full(len(candidates), UNJUDGED, np.int8)
    laid_out = choose(candidates, STRATEGY, nothing, count=len(candidates))
    assert ids(candidates.doc_ids[laid_out]) == POOLING
    shares = np.full(len(RUNS), 0.5)
    forecast = plan_judging(
        candidates, STRATEGY, nothing, budget=len(candidates), batch=100, shares=shares
    )
    outcomes = find_outcomes(candidates, TABLE, rel=1)
    played = simulate_judging(candidates, STRATEGY, outcomes, budget=len(candidates))
    for order in (static_order(candidates, STRATEGY), forecast, played.handled):
        assert order.tolist() == laid_out.tolist()
    command = Command(tmp_path, capsys)
    files = [
        command.write(tag, "".join(f"1 Q0 {each} 1 {score} {tag}\n" for each, score in lines))
        for tag, lines in RUNS.items()
    ]
    found = command("select", *files, "--method", "pool", "--p", 0.8, "--budget", 7)
    assert found.status == 0, found.err
    told = [row["doc_id"] for row in csv.DictReader(io.StringIO(found.out))]
    assert "".join(told) == POOLING
