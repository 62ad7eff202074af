"""Scores with shallower pools of the campaign's own runs: Figs. 2 and 4 of the RBP paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import OfMeasures, Reads, Study, declare
from scoring.core.data.judgments import JudgmentTable
from scoring.core.judging.pooled_judgments import (
    NOWHERE,
    JudgedPlaces,
    counts_under,
    first_positions,
    grades_under,
    judged_places,
)
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.undefined import nan_if_none
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.scored_runs import board_mean, ranked_and_scored
from scoring.evaluation.storage import load_ranking, load_table
from scoring.pools.pool import ANY_RANK, PoolFacts, pool_of

DEPTHS: Final = (1, 2, 5, 10, 20, 50, 100)
ALL_JUDGMENTS: Final = "all"
_CELLS = 1 << 21  # ranks graded at a time, so that memory stays bounded


@dataclass(frozen=True, eq=False)
class ScoresByPool(PoolFacts):
    """Means over the topics that the board counts, also those without a relevant document in the
    pool. `pools` are DEPTHS and the pool's own, "any" (any rank of any pooled run), and last "all"
    judgments."""

    pools: NDArray[np.str_]
    run_ids: NDArray[np.str_]
    base: NDArray[np.float64]  # float64[measures of the question, pools, runs]
    residual: NDArray[np.float64]
    judgments: NDArray[np.int64]  # int64[pools]
    relevant: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: OfMeasures) -> ScoresByPool:
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    measures = [parse_measure(name) for name in question.measures]
    runs = ranked_and_scored(campaign, qrels)
    places = [judged_places(load_ranking(run.ranking), table) for run in runs]
    pool = pool_of(runs, places, table, qrels)
    first = first_positions(pool.of_contributors(places), len(table.grades))
    depths = sorted({*DEPTHS, pool.depth})
    pools = [*map(str, depths), ANY_RANK, ALL_JUDGMENTS]
    # The last two: the documents that any run has, and all, also those that no run has.
    kept = np.array([first < depth for depth in depths] + [first < NOWHERE, first >= 0])
    counts = counts_under(table, kept)
    means = np.full((2, len(measures), len(pools), len(runs)), np.nan)
    for at, run in enumerate(places):
        scored = scores_under(run, table, kept, counts, measures, rules)
        for at_pool, scores in enumerate(scored):
            for row, measure in enumerate(measures):
                mean = board_mean(scores[measure], measure, table, rules)
                means[:, row, at_pool, at] = mean.base, nan_if_none(mean.residual)
    return ScoresByPool(
        **pool.facts(),
        pools=np.array(pools, dtype=np.str_),
        run_ids=np.array([run.public_id for run in runs], dtype=np.str_),
        base=means[0],
        residual=means[1],
        judgments=counts.sum(axis=(1, 2)),
        # Grades from rel on are relevant.
        relevant=counts[:, :, rules.rel :].sum(axis=(1, 2)),
    )


def scores_under(
    run: JudgedPlaces,
    table: JudgmentTable,
    kept: NDArray[np.bool_],
    counts: NDArray[np.int64],
    measures: Sequence[Measure],
    rules: ScoringRules,
) -> Iterator[dict[Measure, Scores]]:
    """The scores by topic of a run with each selection of judgments, several at a time."""
    topics = len(table.topics)
    step = max(_CELLS // (topics * run.depth or 1), 1)
    for start in range(0, len(kept), step):
        grades = grades_under(run, table, kept[start : start + step])
        graded = GradedTopics(
            grades=grades.reshape(-1, run.depth),
            grade_counts=counts[start : start + step].reshape(len(grades) * topics, -1),
            gain_map=rules.gain_map,
        )
        scores = evaluate(measures, graded)
        for selection in range(len(grades)):
            rows = slice(selection * topics, (selection + 1) * topics)
            yield {
                measure: Scores(
                    found.base[rows], None if found.residual is None else found.residual[rows]
                )
                for measure, found in scores.items()
            }


POOL_DEPTHS: Final = declare(
    Study(
        kind="pool_depths",
        title="scores by pool depth",
        question=OfMeasures,
        compute=compute,
        result=ScoresByPool,
        reads=Reads.SCORES | Reads.POOL_DEPTH,
        seconds=lambda size, question: (
            size.reading + len(question.measures) * (3e-8 * size.documents + 1.1e-3 * size.runs)
        ),
    )
)
