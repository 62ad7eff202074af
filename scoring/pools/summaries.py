"""Summaries over all runs of a measure with a shallower pool, compared with all judgments."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.measure import Measure
from scoring.core.statistics.agreement import kendall_tau
from scoring.core.statistics.concordance import concordance
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.rounding import difference_text
from scoring.core.statistics.undefined import none_if_nan

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """A measure with a pool, over all runs, compared with all judgments."""

    measure: Measure
    depth: str
    mean_base: float | None
    mean_residual: float | None
    change: float  # of the mean base; NaN: no run has both
    higher: int  # runs that score higher than with all judgments
    lower: int
    covered: int | None  # runs whose bounds contain the base with all judgments
    runs: int
    tau: float | None
    swaps: int
    judgments: int
    relevant: int

    @property
    def pairs(self) -> int:
        return math.comb(self.runs, 2)

    @property
    def shown_change(self) -> str:
        return signed(self.change)


def summarised(
    measure: Measure,
    depth: str,
    place: int,
    base: Vector,
    residual: Vector,
    known: tuple[int, int],
) -> Summary:
    """`base` and `residual` are float64[pools, runs], all judgments last. The pool of `depth`
    is at `place`."""
    both = ~np.isnan(base[place] + base[-1])
    # Scores that differ only by rounding errors are equal.
    here, there = np.round(base[place, both], DECIMALS), np.round(base[-1, both], DECIMALS)
    upper = np.round(base[place, both] + residual[place, both], DECIMALS)
    two_orders = np.array([here, there])
    return Summary(
        measure=measure,
        depth=depth,
        mean_base=_mean(base[place, both]),
        mean_residual=_mean(residual[place, both]),
        change=_mean(base[place, both] - base[-1, both], math.nan) or 0.0,
        higher=int((here > there).sum()),
        lower=int((here < there).sum()),
        covered=None
        if np.isnan(residual[place, both]).all()
        else int(((here <= there) & (there <= upper)).sum()),
        runs=len(here),
        tau=none_if_nan(kendall_tau(two_orders)[0, 1]),
        swaps=int(concordance(two_orders).discordant[0, 1]),
        judgments=known[0],
        relevant=known[1],
    )


def signed(change: float) -> str:
    """Four decimals, or an interval if a difference would be rounded to 0."""
    if math.isnan(change):
        return "–"
    return difference_text(change, 4).replace("-", "−")


def _mean(values: Vector, default: float | None = None) -> float | None:
    known = values[~np.isnan(values)]
    # The exact sum does not depend on the order of the runs.
    return math.fsum(known.tolist()) / len(known) if len(known) else default
