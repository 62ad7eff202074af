"""Every ranked run compared with one baseline by one measure."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Study, declare
from scoring.core.data.trec_eval_lines import in_order_of_bytes
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.intervals import bootstrap_intervals, effect_sizes
from scoring.core.statistics.max_t import randomised_max_t
from scoring.core.statistics.significance import paired_t
from scoring.results.vectors import vectors_of

SAMPLES, SEED = 10_000, 1  # of bootstrap and random signs, as in the comparison of two runs


@dataclass(frozen=True)
class AgainstOne:
    measure: str
    baseline: str  # run id


@dataclass(frozen=True, eq=False)
class DifferencesFromOne:
    """One entry for each ranked run except the baseline; none if the baseline has no score."""

    run_ids: NDArray[np.str_]
    differences: NDArray[np.float64]  # mean of run - baseline over their common topics
    low: NDArray[np.float64]  # its 95 % interval (bootstrap)
    high: NDArray[np.float64]
    effects: NDArray[np.float64]  # Cohen's d_z
    # Two-tailed p-values of two tests, alone and corrected for all these runs.
    flip_p_values: NDArray[np.float64]  # of the randomised max-|t| test
    max_t: NDArray[np.float64]
    t_p_values: NDArray[np.float64]  # of the paired t test
    holm: NDArray[np.float64]
    topics: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: AgainstOne) -> DifferencesFromOne:
    """Dunnett's test is not used: it assumes independent samples with one variance, and all runs
    have scores on the same topics. The randomised max-|t| test needs neither; Holm's method holds
    for any dependence."""
    (vectors,) = vectors_of(campaign, qrels, [parse_measure(question.measure)])
    is_baseline = np.array(vectors.run_ids, dtype=np.str_) == question.baseline
    # If the baseline has no score, no run can be compared with it.
    others = np.flatnonzero(~is_baseline if is_baseline.any() else is_baseline)
    differences = vectors.base[others] - vectors.base[is_baseline]
    sizes = effect_sizes(differences)
    intervals = bootstrap_intervals(differences, samples=SAMPLES, seed=SEED)
    student = paired_t(differences)
    # The command line has this order of topics, so both use the same random signs.
    topics = in_order_of_bytes(campaign.topics.order_by("position").values_list("code", flat=True))
    flipped, max_t = randomised_max_t(differences[:, topics], samples=SAMPLES, seed=SEED)
    return DifferencesFromOne(
        run_ids=np.array(vectors.run_ids, dtype=np.str_)[others],
        differences=sizes.mean_differences,
        low=intervals.lower,
        high=intervals.upper,
        effects=sizes.standardised,
        flip_p_values=flipped.p_values,
        max_t=max_t,
        t_p_values=student.p_values,
        holm=correct(student.p_values, "holm"),
        topics=sizes.topics,
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
