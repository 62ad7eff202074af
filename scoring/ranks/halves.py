"""How stable the order of the runs is: rows for page, charts, CSV and API."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring.core.statistics.split_halves import BINS
from scoring.core.statistics.undefined import none_if_nan
from scoring.ranks.halves_analysis import SplitHalves


class StabilityRow(NamedTuple):
    """τ-b of the boards of two disjoint sets of this many topics; None if fewer than half of the
    splits have one, because one of the sets ranks all runs equally."""

    topics: int
    tau: float | None
    tau_lowest: float | None
    tau_highest: float | None


class SwapRow(NamedTuple):
    """Pairs of runs whose means differ by so much on the first set; the last step has no end."""

    topics: int
    difference_from: float
    difference_to: float | None
    swaps: int
    pairs: int

    @property
    def swap_rate(self) -> float:
        return self.swaps / self.pairs


class UnknownSwaps(NamedTuple):
    """The cells of a number of topics of which no swap rate is known."""

    topics: int
    difference_from: None = None
    difference_to: None = None
    swaps: None = None
    pairs: None = None
    swap_rate: None = None


@dataclass(frozen=True)
class Halves:
    """The result of the worker."""

    rows: tuple[StabilityRow, ...]
    swaps: tuple[SwapRow, ...]
    splits: int
    runs: int
    topics: int
    unknown: str  # a sentence: why there is no τ and no pair

    @property
    def last(self) -> StabilityRow | None:
        """Of half of the topics; None with one topic."""
        return self.rows[-1] if self.rows else None

    @property
    def last_swaps(self) -> tuple[SwapRow, ...]:
        """Of half of the topics."""
        size = self.rows[-1].topics if self.rows else 0
        return tuple(row for row in self.swaps if row.topics == size)

    def stable_from(self, rate: float) -> float | None:
        """The least difference from which on no step of half of the topics swaps more often than
        this; None if there is none."""
        least = None
        # From the largest difference downwards, up to the first step that swaps too often.
        for row in reversed(self.last_swaps):
            if row.swap_rate > rate:
                break
            least = row.difference_from
        return least


def halves_of(result: SplitHalves) -> Halves:
    taus = (result.mean, result.lowest, result.highest)
    columns = (map(none_if_nan, each.tolist()) for each in taus)
    sizes = result.sizes.tolist()
    return Halves(
        rows=tuple(StabilityRow(*row) for row in zip(sizes, *columns, strict=True)),
        # A step without a pair has no swap rate.
        swaps=tuple(
            SwapRow(
                topics=sizes[at],
                difference_from=round(step * result.width, 12),
                difference_to=None if step == BINS - 1 else round((step + 1) * result.width, 12),
                swaps=int(result.swaps[at, step]),
                pairs=int(result.pairs[at, step]),
            )
            for at, step in zip(*(each.tolist() for each in np.nonzero(result.pairs)), strict=True)
        ),
        splits=result.splits,
        runs=result.runs,
        topics=result.topics,
        unknown=result.unknown,
    )
