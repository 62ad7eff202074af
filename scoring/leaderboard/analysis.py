"""The effect of tied documents on each run: the mean, lowest and highest score of all orders."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import OfMeasure, Study, declare
from scoring.core.data.alignment import align_fully
from scoring.core.measures.arrays import GradedTopics, Scores
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.ties.ties import TiedTopics, bounds, expected, has_bounds, has_expected
from scoring.evaluation.rules import rules_of
from scoring.evaluation.scored_runs import board_mean, ranked_and_scored
from scoring.evaluation.storage import load_ranking, load_table


@dataclass(frozen=True, eq=False)
class TiedScores:
    """Of each run, float64[runs]: means over the topics that the board counts, as `trackside
    evaluate --ties expected` and `--ties bounds` compute them. NaN where the measure has no such
    value."""

    run_ids: NDArray[np.str_]
    expected: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def compute(campaign: Campaign, qrels: Qrels, question: OfMeasure) -> TiedScores:
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    measure = parse_measure(question.measure)
    runs = ranked_and_scored(campaign, qrels)
    means = np.full((3, len(runs)), np.nan)
    for at, run in enumerate(runs):
        aligned = align_fully(load_ranking(run.ranking), table, depth=max(run.ranking.longest, 1))
        graded = GradedTopics(
            aligned.grades, table.grade_counts, rules.gain_map, pooled=aligned.pooled
        )
        tied = TiedTopics(graded, aligned.begins)
        mean = low = high = None
        if has_expected(measure):
            mean = expected([measure], tied)[measure]
        elif family_of(measure).facts.view == "set":  # a set has no order
            mean = evaluate([measure], tied.graded)[measure]
        if has_bounds(measure):
            # The worst score is the higher one of a measure of which a lower score is better.
            ends = bounds([measure], tied)[measure]
            low = Scores(np.minimum(ends.worst, ends.best), None)
            high = Scores(np.maximum(ends.worst, ends.best), None)
        means[:, at] = [
            np.nan if scores is None else board_mean(scores, measure, table, rules).base
            for scores in (mean, low, high)
        ]
    return TiedScores(np.array([run.public_id for run in runs], dtype=np.str_), *means)


TIED_SCORES: Final = declare(
    Study(
        kind="tied_scores",
        title="scores of all orders of ties",
        question=OfMeasure,
        compute=compute,
        result=TiedScores,
        seconds=lambda size, _: 4 * size.reading,
    )
)
