"""How far measures agree on the order of runs."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.agreement import kendall_tau, rank_biased_overlap, tau_ap
from scoring.library.scored_runs import ScoredRun
from scoring.library.table import Column, Table


def agreement_table(
    measures: Sequence[Measure], runs: Sequence[ScoredRun], *, persistence: float
) -> Table:
    """One row for each pair of measures; of τ_AP the first is the reference."""
    means = np.array([[each.mean.base for each in run.found] for run in runs]).T
    # Negated where lower is better, so that all orderings go from the best run to the worst.
    scores = means * np.array([sign_of(measure) for measure in measures])[:, None]
    matrices = {
        "tau": kendall_tau(scores, ties="none"),
        "tau_b": kendall_tau(scores, ties="b"),
        "tau_ap": tau_ap(scores),
        "rbo": rank_biased_overlap(scores, persistence=persistence),
    }
    pairs = list(combinations(range(len(measures)), 2))
    columns: dict[str, Column] = {
        "measure_a": [str(measures[a]) for a, _ in pairs],
        "measure_b": [str(measures[b]) for _, b in pairs],
    }
    for name, matrix in matrices.items():
        columns[name] = np.array([matrix[pair] for pair in pairs])
    return Table(columns)
