"""Who stands where on a board."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

DECIMALS = 12  # values equal to so many decimals are equal: what is left is float noise


def shared_ranks(
    values: NDArray[np.float64], direction: Literal["higher", "lower"]
) -> list[int | None]:
    """The rank of each value, 1 for the best; equal values share the best rank (1, 2, 2, 4).

    Values are compared after rounding to 12 decimals. NaN (undefined) has no rank: None.

    >>> shared_ranks(np.array([0.5, 0.3, 0.3, 0.1, np.nan]), "higher")
    [1, 2, 2, 4, None]
    """
    if direction not in ("higher", "lower"):
        raise ValueError(f"direction must be 'higher' or 'lower', not {direction!r}")
    rounded = np.round(values, DECIMALS)
    better_first = np.sort(-rounded if direction == "higher" else rounded)  # NaN last
    own = -rounded if direction == "higher" else rounded
    ahead = np.searchsorted(better_first, own, side="left")
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
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
    direction: Literal["higher", "lower"],
) -> dict[str, PlaceBounds]:
    """Where each stands that has a value in both, counted among these alone: what came in between
    or went has moved nobody. In the order of `after`'s keys.

    >>> before, after = {"a": 0.3, "b": 0.2, "c": 0.1}, {"c": 0.3, "a": 0.2, "d": 0.9}
    >>> common_places(before, after, "higher")  # neither b, which went, nor d, which came, counts
    {'c': PlaceBounds(before=2, after=1), 'a': PlaceBounds(before=1, after=2)}
    """
    common = [name for name in after if _is_known(before.get(name)) and _is_known(after[name])]
    ranks = [
        shared_ranks(np.array([values[name] for name in common], dtype=np.float64), direction)
        for values in (before, after)
    ]
    return {
        name: PlaceBounds(first, second)
        for name, first, second in zip(common, *ranks, strict=True)
        if first is not None and second is not None
    }


def _is_known(value: float | None) -> bool:
    return value is not None and not np.isnan(value)
