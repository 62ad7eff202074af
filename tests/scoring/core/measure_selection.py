"""How long judging TREC-COVID takes to play, and what comes of it.

`TRACKSIDE_DATA=... python -m tests.scoring.core.measure_selection`
"""

import os
import time
from pathlib import Path

from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from scoring.core.data.judgments import build_table
from scoring.core.data.ranking import rank
from scoring.core.judging.candidates import collect_candidates, find_outcomes
from scoring.core.judging.selection import Strategy
from scoring.core.judging.simulation import (
    mean_residual,
    overlap,
    significant_fractions,
    simulate_judging,
    top_runs,
)

TOPICS = [str(number) for number in range(1, 31)]
PERSISTENCES = (0.5, 0.8, 0.95)
BUDGET = 4000


def main() -> None:
    rankings, table = read(Path(os.environ["TRACKSIDE_DATA"]) / "trec-covid-round1")
    for depth in (100, None):
        start = time.perf_counter()
        candidates = collect_candidates(rankings, topics=TOPICS, depth=depth)
        outcomes = find_outcomes(candidates, table, rel=1)
        took = time.perf_counter() - start
        print(f"depth {depth or 'all'}: {len(candidates)} candidates in", end=" ")
        print(f"{len(candidates.positions)} places, collected in {took:.2f} s")
        top = top_runs(candidates, outcomes, 0.8)
        for method in ("pooling", "A", "B", "C"):
            for scope in ("run", "topic"):
                start = time.perf_counter()
                played = simulate_judging(
                    candidates, Strategy(method, 0.8, scope), outcomes, budget=BUDGET
                )
                took = time.perf_counter() - start
                print(f"  {method:8}{scope:6}{took:5.2f} s, {played.found} found,", end=" ")
                print(f"{mean_residual(played, top, 0.8):.4f}", separated(played, top))
    judgings = [
        simulate_judging(candidates, Strategy("C", p), outcomes, budget=BUDGET)
        for p in PERSISTENCES
    ]
    print("overlap (Table 3):", [[overlap(a, b) for b in judgings] for a in judgings])
    print("residual of the top third, judging p below, evaluation p across (Table 4):")
    for p, played in zip(PERSISTENCES, judgings, strict=True):
        tops = [(top_runs(candidates, outcomes, q), q) for q in PERSISTENCES]
        print(f"  {p}", *(f"{mean_residual(played, runs, q):.4f}" for runs, q in tops))


def separated(played, top):
    found = significant_fractions(played, top, 0.8)
    return f"{found.base_vs_base:.3f} {found.base_vs_top:.3f} {found.base_vs_projected:.3f}"


def read(folder):
    qrels = read_qrels((folder / "qrels.txt.gz").read_bytes(), known_topics=TOPICS)
    table = build_table(
        topics=TOPICS,
        qrels_topics=qrels.topics,
        topic_index=qrels.topic_index,
        doc_ids=qrels.doc_ids,
        grades=qrels.grades,
        highest_grade=2,
    )
    parsed = [read_run(p.read_bytes(), known_topics=TOPICS) for p in sorted_runs(folder)]
    rankings = [
        rank(
            topics=run.topics,
            topic_index=run.topic_index,
            doc_ids=run.doc_ids,
            retrieval_scores=run.retrieval_scores,
        )
        for run in parsed
    ]
    return rankings, table


def sorted_runs(folder):
    return sorted((folder / "runs").glob("*.gz"))


if __name__ == "__main__":
    main()
