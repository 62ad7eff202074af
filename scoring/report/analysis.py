"""Bounds on RBP of single runs: Figs. 5 and 6 of the RBP paper.

Lower and upper bounds with the judgments of a shallow pool and with all judgments: by evaluation
depth for some p, and over whole rankings for every p.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.data.judgments import JudgmentTable
from scoring.core.judging.pooled_judgments import (
    counts_under,
    first_positions,
    grades_under,
    judged_places,
)
from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import make_measure
from scoring.core.statistics.undefined import nan_if_none
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.scored_runs import board_mean, ranked_and_scored
from scoring.evaluation.storage import load_ranking, load_table
from scoring.pools.pool import PoolFacts, pool_of

RANKS: Final = 100  # maximum evaluation depth
PERSISTENCES: Final = tuple(number / 100 for number in range(1, 100))

Bounds = tuple[float, float]  # mean base and mean residual


@dataclass(frozen=True)
class BoundsOfRuns:
    runs: Sequence[str]  # run ids
    persistences: Sequence[float]
    depth: str  # of the pool; "any": any rank; "pool": the pool's own depth


@dataclass(frozen=True, eq=False)
class RunBoundsByDepth(PoolFacts):
    """Base and residual of the runs and persistences of the question, under the pool and under all
    judgments. NaN for a run that is not on the board. Means are over the topics that the board
    counts."""

    by_rank: NDArray[np.float64]  # float64[2, runs, 2, persistences, RANKS]
    by_p: NDArray[np.float64]  # float64[2, runs, 2, PERSISTENCES]


def compute(campaign: Campaign, qrels: Qrels, question: BoundsOfRuns) -> RunBoundsByDepth:
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    runs = ranked_and_scored(campaign, qrels)
    places = {run.public_id: judged_places(load_ranking(run.ranking), table) for run in runs}
    pool = pool_of(runs, list(places.values()), table, qrels)
    first = first_positions(pool.of_contributors(list(places.values())), len(table.grades))
    is_in_pool = first < pool.limit(question.depth)
    kept = np.array([is_in_pool, np.ones(len(first), np.bool_)])
    counts = counts_under(table, kept)
    persistences = question.persistences
    by_rank = np.full((2, len(question.runs), 2, len(persistences), RANKS), np.nan)
    by_p = np.full((2, len(question.runs), 2, len(PERSISTENCES)), np.nan)
    for row, run_id in enumerate(question.runs):
        if run_id not in places:
            continue
        for at_pool, grades in enumerate(grades_under(places[run_id], table, kept)):
            for at, p in enumerate(PERSISTENCES):
                by_p[:, row, at_pool, at] = _bounds(grades, counts[at_pool], p, table, rules)
            for rank in range(1, RANKS + 1):
                # Everything below this rank counts as unjudged.
                seen = grades[:, :rank]
                for at, p in enumerate(persistences):
                    by_rank[:, row, at_pool, at, rank - 1] = _bounds(
                        seen, counts[at_pool], p, table, rules
                    )
    return RunBoundsByDepth(**pool.facts(), by_rank=by_rank, by_p=by_p)


def _bounds(
    grades: NDArray[np.int8],
    counts: NDArray[np.int64],
    p: float,
    table: JudgmentTable,
    rules: ScoringRules,
) -> Bounds:
    measure = make_measure("RBP", p=p, rel=rules.rel)
    scores = evaluate([measure], GradedTopics(grades, counts, rules.gain_map))[measure]
    mean = board_mean(scores, measure, table, rules)
    return mean.base, nan_if_none(mean.residual)


RUN_BOUNDS: Final = declare(
    Study(
        kind="run_bounds",
        title="bounds of the scores of each run",
        question=BoundsOfRuns,
        compute=compute,
        result=RunBoundsByDepth,
        reads=Reads.SCORES | Reads.POOL_DEPTH,
        # Two pools, with a hundred values of p, and with a hundred depths for each chosen p.
        seconds=lambda size, question: (
            size.reading
            + 5e-6 * (len(question.runs) * 200 * (1 + len(question.persistences))) * size.topics
        ),
    )
)
