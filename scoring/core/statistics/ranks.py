"""Who stands where on a board."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DECIMALS = 12  # values equal to this many decimals are equal: what is left is float noise


def shared_ranks(values: NDArray[np.float64]) -> list[int | None]:
    """The rank of each value, 1 for the highest; equal values share the best rank (1, 2, 2, 4).
    Scores of which lower ones are better are negated before (`sign_of`).

    Values are compared after rounding to 12 decimals. NaN (undefined) has no rank: None.

    >>> shared_ranks(np.array([0.5, 0.3, 0.3, 0.1, np.nan]))
    [1, 2, 2, 4, None]
    """
    negated = -np.round(values, DECIMALS)
    ahead = np.searchsorted(np.sort(negated), negated, side="left")  # NaN last
    return [
        None if np.isnan(value) else int(before) + 1
        for value, before in zip(values, ahead, strict=True)
    ]


class PlaceBounds(NamedTuple):
    """The rank of one thing in two orders of the same things."""

    before: int
    after: int

    @property
    def gained(self) -> int:
        return self.before - self.after


def common_places(
    before: Mapping[str, float | None], after: Mapping[str, float | None], sign: float
) -> dict[str, PlaceBounds]:
    """Where each stands that has a value in both, counted among these alone: what came in between
    or went has moved nobody. In the order of `after`'s keys. `sign` is -1 if lower is better.

    >>> before, after = {"a": 0.3, "b": 0.2, "c": 0.1}, {"c": 0.3, "a": 0.2, "d": 0.9}
    >>> common_places(before, after, 1)  # neither b, which went, nor d, which came, counts
    {'c': PlaceBounds(before=2, after=1), 'a': PlaceBounds(before=1, after=2)}
    """
    common = [name for name in after if _is_known(before.get(name)) and _is_known(after[name])]
    ranks = [
        shared_ranks(sign * np.array([values[name] for name in common], dtype=np.float64))
        for values in (before, after)
    ]
    return {
        name: PlaceBounds(first, second)
        for name, first, second in zip(common, *ranks, strict=True)
        if first is not None and second is not None
    }


def _is_known(value: float | None) -> bool:
    return value is not None and not np.isnan(value)
