"""Numbers of significant pairs of runs by each measure and test: Table IV of the RBP paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Study, declare
from scoring.core.measures.arrays import Scores
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.corrections import Correction, correct
from scoring.core.statistics.pairs import Tail, all_pairs
from scoring.core.statistics.significance import count_significant, pairwise_tests
from scoring.significance import analysis
from scoring.significance.analysis import TESTS, ordered_vectors, test_named

# Pairs times measures: a worker tests this many, by each of TESTS, within a minute.
MOST_PAIRS: Final = 2_500_000
LEVELS: Final = (0.05, 0.01)
CORRECTIONS: Final[tuple[Correction, ...]] = ("none", "holm", "benjamini-hochberg")


@dataclass(frozen=True)
class CountsOfMeasures:
    measures: Sequence[str]
    tail: Tail


@dataclass(frozen=True, eq=False)
class SignificantPairs:
    """Of the best runs by each measure of the question, `counted_runs` at most."""

    separated: NDArray[np.int64]  # [measures, TESTS, CORRECTIONS, LEVELS]: significant pairs
    pairs: NDArray[np.int64]  # [measures]: all pairs


def compute(campaign: Campaign, qrels: Qrels, question: CountsOfMeasures) -> SignificantPairs:
    measures = [parse_measure(name) for name in question.measures]
    most = counted_runs(len(measures))
    by_measure = ordered_vectors(campaign, qrels, measures, most=most)
    significant = []
    for vectors, name in product(by_measure, TESTS):
        scores = Scores(vectors.sign * vectors.base, None)
        test = test_named(name, question.tail)
        _, outcomes = pairwise_tests(test, scores, tail=question.tail)
        corrected = [correct(outcomes.p_values, correction) for correction in CORRECTIONS]
        significant.append(
            [[count_significant(each, level) for level in LEVELS] for each in corrected]
        )
    shape = (len(by_measure), len(TESTS), len(CORRECTIONS), len(LEVELS))
    return SignificantPairs(
        separated=np.array(significant, dtype=np.int64).reshape(shape),
        pairs=np.array([len(all_pairs(len(v.run_ids))) for v in by_measure], dtype=np.int64),
    )


def counted_runs(measures: int) -> int:
    """How many runs at most are tested by this many measures, at least one: their pairs are within
    MOST_PAIRS. A multiple of 50, and never fewer."""
    # n runs have about n²/2 pairs.
    runs = math.isqrt(2 * MOST_PAIRS // measures) // 50 * 50
    return min(analysis.MAX_RUNS, max(runs, 50))


SEPARATED_COUNTS: Final = declare(
    Study(
        kind="separated_counts",
        title="significance tests by all measures",
        question=CountsOfMeasures,
        compute=compute,
        result=SignificantPairs,
        seconds=lambda size, question: (
            len(question.measures) * (6e-5 * size.pairs + 8e-5 * size.scores)
        ),
    )
)
