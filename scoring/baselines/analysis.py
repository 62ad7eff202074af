"""Every ranked run compared with one baseline by one measure."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.intervals import bootstrap_intervals, effect_sizes
from scoring.core.statistics.pairs import Pairs, compare
from scoring.core.statistics.significance import paired_t
from scoring.results.vectors import vectors_of

SAMPLES, SEED = 10_000, 1  # of the bootstrap, as in the comparison of two runs


@dataclass(frozen=True)
class AgainstOne:
    measure: str
    baseline: str  # run id


@dataclass(frozen=True, eq=False)
class DifferencesFromOne:
    """One entry for each compared run."""

    run_ids: NDArray[np.str_]
    differences: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    effects: NDArray[np.float64]
    p_values: NDArray[np.float64]
    corrected: NDArray[np.float64]
    topics: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: AgainstOne) -> DifferencesFromOne:
    """For each ranked run except the question's `baseline`, by its `measure`: the mean difference
    run - baseline over their common topics with its 95 % interval (bootstrap), Cohen's d_z, and
    the two-tailed p-value of the paired t test, also corrected by Holm's method for all these runs.
    Empty if the baseline has no score.

    Dunnett's test is not used: it assumes independent samples with one variance, and all runs have
    scores on the same topics. Holm's method holds for any dependence.
    """
    (vectors,) = vectors_of(campaign, qrels, [parse_measure(question.measure)])
    is_baseline = np.array(vectors.run_ids, dtype=np.str_) == question.baseline
    others = np.flatnonzero(~is_baseline if is_baseline.any() else is_baseline)
    pairs = Pairs(others, np.full(len(others), is_baseline.argmax() if len(others) else 0))
    outcomes = compare(paired_t, pairs, vectors.base)
    differences = vectors.base[pairs.candidates] - vectors.base[pairs.baselines]
    sizes = effect_sizes(differences)
    intervals = bootstrap_intervals(differences, samples=SAMPLES, seed=SEED)
    return DifferencesFromOne(
        run_ids=np.array(vectors.run_ids, dtype=np.str_)[others],
        differences=sizes.mean_differences,
        low=intervals.lower,
        high=intervals.upper,
        effects=sizes.standardised,
        p_values=outcomes.p_values,
        corrected=correct(outcomes.p_values, "holm"),
        topics=outcomes.topics,
    )


BASELINE: Final = declare(
    Study(
        kind="baseline",
        title="differences from a baseline",
        question=AgainstOne,
        compute=compute,
        result=DifferencesFromOne,
        seconds=lambda size, _: 1e-4 * size.runs * size.topics,
    )
)
