"""How the choice of assessor affects the leaderboard: the runs by one assessor's judgments alone
against those of another assessor, or of all others."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import OfMeasure, Reads, Study, declare
from scoring.assessors.grades import assessor_grades
from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.data.judgments import JudgmentTable
from scoring.core.judging.pooled_judgments import JudgedPlaces, judged_places
from scoring.core.measures.catalogue import family_of, sign_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.agreement import kendall_tau, tau_ap
from scoring.core.statistics.concordance import concordance
from scoring.core.statistics.means import mask_excluded, mean_scores
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.storage import load_ranking
from scoring.judging.candidates import contributing_runs, table_of_grades

OTHERS = -1  # as the second of a pair: all other assessors together


@dataclass(frozen=True, eq=False)
class BoardsByAssessor:
    """One entry for each pair of assessors with common topics, then for each assessor against all
    others; NaN where not defined. A topic is common if both judged documents of it and it counts in
    the means of both."""

    first: NDArray[np.float64]  # ids
    second: NDArray[np.float64]  # ids; OTHERS
    topics: NDArray[np.float64]  # common to both
    tau: NDArray[np.float64]  # τ-b
    tau_ap: NDArray[np.float64]  # the mean of both ways
    swapped: NDArray[np.float64]  # pairs of runs
    run_pairs: NDArray[np.float64]
    first_mean: NDArray[np.float64]  # of all runs
    second_mean: NDArray[np.float64]


def compute(campaign: Campaign, qrels: Qrels | None, question: OfMeasure) -> BoardsByAssessor:
    measure, rules = parse_measure(question.measure), rules_of(campaign)
    grades = assessor_grades(campaign)
    codes = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    # The table numbers the documents. The grades of each choice come from `judged`.
    table = table_of_grades(codes, dict.fromkeys(grades.documents, 0), campaign.highest_grade)
    judged = np.concatenate([grades.own, grades.others])  # int16[2 assessors, documents]
    counts = counts_by_choice(judged, table)
    runs = contributing_runs(campaign, None)
    scores = [
        scores_by_choice(
            judged_places(load_ranking(run.ranking), table), judged, counts, measure, rules
        )
        for run in runs
    ]
    included = np.array(
        [rules.topics_of_board(measure, codes, each) for each in counts], dtype=bool
    )
    count = len(grades.assessors)
    pairs = [
        (grades.assessors[one], grades.assessors[other], one, other)
        for one, other in combinations(range(count), 2)
    ]
    # With two assessors, all others are the other one.
    if count > 2:
        pairs += [(grades.assessors[one], OTHERS, one, count + one) for one in range(count)]
    rows = [
        (first, second, *_compared(scores, included, measure, one, other))
        for first, second, one, other in pairs
        if (included[one] & included[other]).any()
    ]
    # Without rows, the array would have no columns.
    return BoardsByAssessor(*np.array(rows, np.float64).reshape(len(rows), 9).T)


ASSESSOR_BOARDS: Final = declare(
    Study(
        kind="assessor_boards",
        title="leaderboards by assessor",
        question=OfMeasure,
        compute=compute,
        result=BoardsByAssessor,
        reads=Reads.RANKINGS | Reads.RULES | Reads.JUDGMENTS,
        seconds=lambda size, _: size.reading,
    )
)


def counts_by_choice(judged: NDArray[np.int16], table: JudgmentTable) -> NDArray[np.int64]:
    """int64[choices, topics, grades], as in `JudgmentTable.grade_counts`."""
    counts = np.zeros((len(judged), *table.grade_counts.shape), np.int64)
    choices, documents = np.nonzero(judged >= 0)
    # `counts[...] += 1` would count a cell once, however often its index occurs.
    np.add.at(counts, (choices, table.rows[documents], judged[choices, documents]), 1)
    return counts


def scores_by_choice(
    run: JudgedPlaces,
    judged: NDArray[np.int16],
    counts: NDArray[np.int64],
    measure: Measure,
    rules: ScoringRules,
) -> list[Scores]:
    """The scores of one run by topic, under each choice of assessors."""
    is_within = np.arange(run.depth) < run.lengths[:, None]
    # The grades of a run of which nothing is judged.
    nothing = np.where(is_within, np.int8(UNJUDGED), np.int8(PAST_END))
    scores = []
    for choice, own in zip(counts, judged.astype(np.int8), strict=True):
        grades = nothing.copy()
        grades[run.rows, run.positions] = own[run.judgments]
        graded = GradedTopics(grades=grades, grade_counts=choice, gain_map=rules.gain_map)
        scores.append(evaluate([measure], graded)[measure])
    return scores


def _compared(
    scores: list[list[Scores]],
    included: NDArray[np.bool_],
    measure: Measure,
    one: int,
    other: int,
) -> tuple[float, ...]:
    """Number of topics, τ-b, τ_AP, swapped pairs, all pairs, and both means over the runs."""
    common = included[one] & included[other]
    family = family_of(measure)
    means = np.array(
        [
            [
                mean_scores(mask_excluded(run[choice], common), common, family.summary).base
                for run in scores
            ]
            for choice in (one, other)
        ]
    )
    higher = sign_of(measure) * means
    pairs = concordance(higher)
    both_ways = tau_ap(higher)
    return (
        float(common.sum()),
        float(kendall_tau(higher)[0, 1]),
        # τ_AP depends on which of the two orders is the reference.
        float((both_ways[0, 1] + both_ways[1, 0]) / 2),
        float(pairs.discordant[0, 1]),
        float(math.comb(means.shape[1], 2)),
        # The mean of no runs would be a warning.
        *(float(np.mean(row)) if len(row) else float("nan") for row in means),
    )
