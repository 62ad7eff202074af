"""Judging played with full qrels: what is found, what stays open, which runs are separated."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import build_table
from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import collect_candidates, find_outcomes
from scoring.core.judging.selection import Strategy, bounds_of_runs, choose
from scoring.core.judging.simulation import (
    SimulatedJudging,
    mean_residual,
    overlap,
    significant_fractions,
    simulate_judging,
    top_runs,
)
from tests.scoring.core.rankings import ranking

DATA = os.environ.get("TRACKSIDE_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"
)
METHODS = ["pooling", "A", "B", "C"]


def drawn(seed, *, runs=6, topics=4, docs=60, depth=25):
    """Candidates of runs of mixed quality, and outcomes of which a third is unknown."""
    generator = np.random.default_rng(seed)
    relevance = generator.normal(0, 1, (topics, docs))
    rankings = [
        ranking(
            {
                str(t): [
                    f"d{n:02}"
                    for n in np.argsort(-relevance[t] + generator.normal(0, 1 + s, docs))[:depth]
                ]
                for t in range(topics)
            }
        )
        for s in range(runs)
    ]
    candidates = collect_candidates(rankings, topics=[str(t) for t in range(topics)])
    outcomes = generator.choice(np.array([UNJUDGED, 0, 1], np.int8), len(candidates))
    return candidates, outcomes


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unknown", ["nonrelevant", "bypassed"])
@pytest.mark.parametrize(("budget", "batch"), [(0, 5), (17, 5), (60, 1), (10_000, 7)])
def test_judging_is_choosing_again_and_again(method, unknown, budget, batch):
    candidates, outcomes = drawn(1)
    strategy = Strategy(method, 0.8)
    told = np.maximum(outcomes, 0) if unknown == "nonrelevant" else outcomes
    known = np.full(len(candidates), UNJUDGED, np.int8)
    is_open, handled, judged = np.ones(len(candidates), np.bool_), [], 0
    while judged < budget and is_open.any():
        everything = choose(candidates, strategy, known, count=len(candidates))
        for x in [x for x in everything if is_open[x]][:batch]:
            if judged < budget:
                handled.append(x)
                judged += told[x] != UNJUDGED
            is_open[x] = False
            known[x] = told[x]
    if judged < budget:  # what was handled last need not have been a judgment
        assert len(handled) == len(candidates)
    played = simulate_judging(
        candidates, strategy, outcomes, budget=budget, unknown=unknown, batch=batch
    )
    assert played.handled.tolist() == handled
    assert played.outcomes.tolist() == told[handled].tolist()
    assert played.judged == judged
    assert played.found == sum(told[x] == 1 for x in handled)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unknown", ["nonrelevant", "bypassed"])
def test_a_shorter_budget_is_the_beginning_of_a_longer_one(method, unknown):
    candidates, outcomes = drawn(2)
    options = {"unknown": unknown, "batch": 8}
    longest = simulate_judging(candidates, Strategy(method, 0.8), outcomes, budget=90, **options)
    for budget in (0, 1, 7, 8, 33, 90):
        alone = simulate_judging(
            candidates, Strategy(method, 0.8), outcomes, budget=budget, **options
        )
        assert longest.after(budget).handled.tolist() == alone.handled.tolist()
        assert alone.judged == budget


def test_bypassed_candidates_are_handled_but_not_judged():
    candidates, outcomes = drawn(3)
    played = simulate_judging(
        candidates, Strategy("A", 0.8), outcomes, budget=30, unknown="bypassed"
    )
    assert played.judged == 30
    assert len(played.handled) > 30
    judged = np.full(len(candidates), UNJUDGED, np.int8)
    seen = played.handled[played.outcomes != UNJUDGED]
    judged[seen] = outcomes[seen]
    expected = bounds_of_runs(candidates, judged, 0.8)
    assert played.bounds(0.8).residual.tolist() == expected.residual.tolist()


def test_the_top_is_a_third_by_the_full_qrels():
    candidates, outcomes = drawn(4, runs=8)
    means = bounds_of_runs(candidates, outcomes, 0.8).base.mean(axis=1)
    best = sorted(range(8), key=lambda s: -means[s])
    assert top_runs(candidates, outcomes, 0.8).tolist() == best[:2]
    assert top_runs(candidates, outcomes, 0.8, count=8).tolist() == best
    single, _ = drawn(4, runs=1)
    assert top_runs(single, np.zeros(len(single), np.int8), 0.8).tolist() == [0]


def test_mean_residual_averages_over_runs_and_topics():
    candidates, outcomes = drawn(5)
    played = simulate_judging(candidates, Strategy("C", 0.8), outcomes, budget=40)
    residual = played.bounds(0.5).residual
    expected = np.mean([residual[s, t] for s in (4, 1) for t in range(4)])
    assert mean_residual(played, np.array([4, 1]), 0.5) == pytest.approx(expected, abs=1e-12)


def test_overlap_counts_judgments_made_in_both():
    candidates, outcomes = drawn(6)
    a = simulate_judging(candidates, Strategy("A", 0.5), outcomes, budget=40, unknown="bypassed")
    b = simulate_judging(candidates, Strategy("A", 0.95), outcomes, budget=40, unknown="bypassed")
    judged = [{int(x) for x in p.handled if outcomes[x] != UNJUDGED} for p in (a, b)]
    assert overlap(a, b) == len(judged[0] & judged[1])
    assert overlap(a, a) == 40
    with pytest.raises(ValueError, match="same candidates"):
        overlap(a, SimulatedJudging(drawn(6)[0], b.handled, b.outcomes))


def test_separated_fractions_are_single_tests_counted():
    candidates, outcomes = drawn(7, runs=5, topics=16)
    played = simulate_judging(candidates, Strategy("A", 0.8), outcomes, budget=900)
    runs = np.array([0, 2, 3, 4])
    bounds = played.bounds(0.8)
    counts = np.zeros(3)
    for pair in combinations(runs, 2):
        winner, loser = sorted(pair, key=lambda s: -bounds.base[s].mean())
        base, residual = bounds.base[loser], bounds.residual[loser]
        for i, to_beat in enumerate((base, base + residual, base / (1 - residual))):
            differences = np.round(bounds.base[winner] - to_beat, 12)
            plain = differences.all() and len(set(np.abs(differences))) == 16
            method = "exact" if plain else "asymptotic"
            found = stats.wilcoxon(
                differences, alternative="greater", correction=True, method=method
            )
            counts[i] += found.pvalue <= 0.05
    found = significant_fractions(played, runs, 0.8)
    fractions = (found.base_vs_base, found.base_vs_top, found.base_vs_projected)
    assert fractions == pytest.approx(tuple(counts / 6), abs=1e-12)
    assert 0 < counts[0] <= 6


def test_wrong_input_is_refused():
    candidates, outcomes = drawn(8)
    strategy = Strategy("A", 0.8)
    for wrong in ({"budget": -1}, {"budget": 1, "batch": 0}, {"budget": 1, "unknown": "guess"}):
        with pytest.raises(ValueError, match=list(wrong)[-1]):
            simulate_judging(candidates, strategy, outcomes, **wrong)
    with pytest.raises(ValueError, match="outcomes"):
        simulate_judging(candidates, strategy, outcomes[1:], budget=1)
    with pytest.raises(ValueError, match="count"):
        top_runs(candidates, outcomes, 0.8, count=-1)


# --- TREC-COVID, round 1 ------------------------------------------------------------------------

TOPICS = [str(number) for number in range(1, 31)]


@pytest.fixture(scope="module")
def covid():
    """Candidates to depth 100 of all 143 runs, in the order of their names; outcomes; top third."""
    folder = Path(DATA) / "trec-covid-round1"
    qrels = read_qrels((folder / "qrels.txt.gz").read_bytes(), known_topics=TOPICS)
    table = build_table(
        topics=TOPICS,
        qrels_topics=qrels.topics,
        topic_index=qrels.topic_index,
        doc_ids=qrels.doc_ids,
        grades=qrels.grades,
        highest_grade=2,
    )
    rankings = []
    for path in sorted((folder / "runs").glob("*.gz")):
        parsed = read_run(path.read_bytes(), known_topics=TOPICS)
        rankings.append(
            rank(
                topics=parsed.topics,
                topic_index=parsed.topic_index,
                doc_ids=parsed.doc_ids,
                retrieval_scores=parsed.retrieval_scores,
                max_depth=100,
            )
        )
    candidates = collect_candidates(rankings, topics=TOPICS)
    outcomes = find_outcomes(candidates, table, rel=1)
    return candidates, outcomes, top_runs(candidates, outcomes, 0.8)


def found_and_residual(played, top):
    stages = [played.after(budget) for budget in (1000, 2000)]
    return [(stage.found, round(mean_residual(stage, top, 0.8), 4)) for stage in stages]


@pytest.mark.long
@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("method", "batch", "expected"),
    [
        ("A", 20, [(648, 0.3405), (1021, 0.2234)]),
        ("C", 1, [(665, 0.3431), (1044, 0.2268)]),
        ("C", 20, [(665, 0.3425), (1042, 0.2276)]),
        ("pooling", 20, [(534, 0.4597), (701, 0.3848)]),
    ],
)
def test_judging_of_trec_covid(covid, method, batch, expected):
    candidates, outcomes, top = covid
    assert len(top) == 47
    played = simulate_judging(candidates, Strategy(method, 0.8), outcomes, budget=2000, batch=batch)
    assert found_and_residual(played, top) == expected


@pytest.mark.long
@pytest.mark.data
@needs_data
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scope", ["run", "topic"])
def test_bypassing_handles_more_and_finds_no_less_on_trec_covid(covid, method, scope):
    candidates, outcomes, _ = covid
    strategy = Strategy(method, 0.8, scope)
    deemed = simulate_judging(candidates, strategy, outcomes, budget=1000)
    bypassing = simulate_judging(candidates, strategy, outcomes, budget=1000, unknown="bypassed")
    assert deemed.judged == len(deemed.handled) == bypassing.judged == 1000
    assert len(bypassing.handled) > 1000
    assert bypassing.found >= deemed.found
