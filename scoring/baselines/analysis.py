"""Every ranked run compared with one baseline by one measure."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.intervals import bootstrap_intervals, effect_sizes
from scoring.core.statistics.pairs import Pairs, compare
from scoring.core.statistics.significance import paired_t
from scoring.results.vectors import vectors_of

SAMPLES, SEED = 10_000, 1  # of the bootstrap, as in the comparison of two runs


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """For each ranked run except the question's `baseline`, by its `measure`: the mean difference
    run - baseline over their common topics with its 95 % interval (bootstrap), Cohen's d_z, and
    the two-tailed p-value of the paired t test, also corrected by Holm's method for all these runs.
    Empty if the baseline has no score.

    Dunnett's test is not used: it assumes independent samples with one variance, and all runs have
    scores on the same topics. Holm's method holds for any dependence.
    """
    (vectors,) = vectors_of(campaign, qrels, [parse_measure(question["measure"])])
    is_baseline = np.array(vectors.run_ids, dtype=np.str_) == question["baseline"]
    others = np.flatnonzero(~is_baseline if is_baseline.any() else is_baseline)
    pairs = Pairs(others, np.full(len(others), is_baseline.argmax() if len(others) else 0))
    outcomes = compare(paired_t, pairs, vectors.base)
    differences = vectors.base[pairs.candidates] - vectors.base[pairs.baselines]
    sizes = effect_sizes(differences)
    intervals = bootstrap_intervals(differences, samples=SAMPLES, seed=SEED)
    return {
        "run_ids": np.array(vectors.run_ids, dtype=np.str_)[others],
        "differences": sizes.mean_differences,
        "low": intervals.lower,
        "high": intervals.upper,
        "effects": sizes.standardised,
        "p_values": outcomes.p_values,
        "corrected": correct(outcomes.p_values, "holm"),
        "topics": outcomes.topics,
    }
