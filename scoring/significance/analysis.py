"""One significance test of all pairs of runs by one measure, for every level at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.costs import Size
from scoring.analyses.studies import Study, declare
from scoring.core.data.trec_eval_lines import in_order_of_bytes
from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.corrections import randomised_tukey_hsd
from scoring.core.statistics.intervals import effect_sizes
from scoring.core.statistics.pairs import (
    NOTHING,
    Outcomes,
    Pairs,
    PairTest,
    Tail,
    all_pairs,
)
from scoring.core.statistics.projection import Against, opponents
from scoring.core.statistics.sign_flips import SignFlips
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import paired_t, pairwise_tests
from scoring.results.vectors import Vectors, vectors_of

TESTS: Final = ("t", "wilcoxon", "randomisation")
SAMPLES, SEED = 10_000, 1  # of the random permutations, as on the command line
# Only the best runs are tested: pairs grow with the square of the runs, a worker's memory does not.
MAX_RUNS: Final = 1_000
_PAIRS_AT_A_TIME = 1 << 12


@dataclass(frozen=True)
class PairTestQuestion:
    measure: str
    test: str  # of TESTS
    tail: Tail
    against: Against
    has_tukey: bool  # whether p-values by randomised Tukey HSD are computed too


@dataclass(frozen=True, eq=False)
class TestedPairs:
    """The result of the test for each pair of the ranked runs `run_ids`. Differences and effects
    are positive where the candidate is better, also for measures of which a lower score is
    better."""

    run_ids: NDArray[np.str_]
    candidates: NDArray[np.int32]  # indices of runs
    baselines: NDArray[np.int32]
    differences: NDArray[np.float64]
    effects: NDArray[np.float64]
    p_values: NDArray[np.float64]
    tukey: NDArray[np.float64]  # empty if it is not asked for
    methods: NDArray[np.int8]
    topics: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: PairTestQuestion) -> TestedPairs:
    (vectors,) = ordered_vectors(campaign, qrels, [parse_measure(question.measure)])
    base = vectors.sign * vectors.base
    scores = Scores(base, vectors.residual)
    others = opponents(scores, question.against)
    # A measure without residuals has neither upper bounds nor projections.
    if others is None:
        pairs = all_pairs(len(base))
        undefined, no_topics = np.full(len(pairs), np.nan), np.zeros(len(pairs), np.int64)
        outcomes = Outcomes(undefined, undefined, no_topics, np.full(len(pairs), NOTHING, np.int8))
    else:
        test = test_named(question.test, question.tail)
        pairs, outcomes = pairwise_tests(test, scores, tail=question.tail, against=question.against)
    differences, effects = _sizes(pairs, base, base if others is None else others)
    return TestedPairs(
        run_ids=np.array(vectors.run_ids, dtype=np.str_),
        candidates=pairs.candidates.astype(np.int32),
        baselines=pairs.baselines.astype(np.int32),
        differences=differences,
        effects=effects,
        p_values=outcomes.p_values,
        tukey=randomised_tukey_hsd(base, pairs, samples=SAMPLES, seed=SEED)
        if question.has_tukey
        else np.empty(0),
        methods=outcomes.methods,
        topics=outcomes.topics,
    )


def ordered_vectors(
    campaign: Campaign, qrels: Qrels, measures: Sequence[Measure], *, most: int | None = None
) -> list[Vectors]:
    """`vectors_of` with the topics in the order of their bytes and the runs in that of their tags.
    The command line has the same order, so both use the same random permutations. Only the best
    `most` runs by each measure, by default MAX_RUNS."""
    topics = in_order_of_bytes(campaign.topics.order_by("position").values_list("code", flat=True))
    tags = dict(campaign.runs.ranked().values_list("public_id", "tag"))
    return [
        _ordered(vectors, topics, tags, MAX_RUNS if most is None else most)
        for vectors in vectors_of(campaign, qrels, measures)
    ]


def _ordered(
    vectors: Vectors, topics: Sequence[int], tags: Mapping[str, str], most: int
) -> Vectors:
    def by_tag(at: int) -> tuple[str, str]:
        run_id = vectors.run_ids[at]
        return tags.get(run_id, ""), run_id

    def by_rank(at: int) -> tuple[float, str]:
        return -means[at], tags.get(vectors.run_ids[at], "").lower()

    # The best in the order of the board, in which runs without a mean come last.
    means = np.nan_to_num(vectors.sign * vectors.mean_base, nan=-np.inf)
    best = sorted(range(len(vectors.run_ids)), key=by_rank)[:most]
    runs = sorted(best, key=by_tag)
    cells = np.ix_(runs, topics)
    return replace(
        vectors,
        run_ids=tuple(vectors.run_ids[at] for at in runs),
        base=vectors.base[cells],
        residual=None if vectors.residual is None else vectors.residual[cells],
        mean_base=vectors.mean_base[runs],
        mean_residual=vectors.mean_residual[runs],
    )


def test_named(name: str, tail: Tail) -> PairTest:
    """One of TESTS, with the default settings of the command line."""
    if name == "randomisation":
        return SignFlips(SAMPLES, SEED, tail)
    return partial({"t": paired_t, "wilcoxon": wilcoxon}[name], tail=tail)


def _sizes(
    pairs: Pairs, base: NDArray[np.float64], others: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean difference and Cohen's d_z of each pair."""
    means, effects = np.empty(len(pairs)), np.empty(len(pairs))
    # The differences of all pairs on all topics would be hundreds of megabytes.
    for start in range(0, len(pairs), _PAIRS_AT_A_TIME):
        block = slice(start, start + _PAIRS_AT_A_TIME)
        sizes = effect_sizes(base[pairs.candidates[block]] - others[pairs.baselines[block]])
        means[block], effects[block] = sizes.mean_differences, sizes.standardised
    return means, effects


def _seconds(size: Size, question: PairTestQuestion) -> float:
    is_sampled = question.test == "randomisation" or question.has_tukey
    return 8e-6 * size.pairs + is_sampled * (4e-5 * size.pairs + 2e-4 * size.scores)


SIGNIFICANCE: Final = declare(
    Study(
        kind="significance",
        title="significance tests of all pairs",
        question=PairTestQuestion,
        compute=compute,
        result=TestedPairs,
        seconds=_seconds,
    )
)
