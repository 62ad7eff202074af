"""Who stands where on a board."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

DECIMALS = 12  # values equal to so many decimals are equal: what is left is float noise


def shared_ranks(
    values: NDArray[np.float64], direction: Literal["higher", "lower"]
) -> list[int | None]:
    """The rank of each value, 1 for the best; equal values share the best rank (1, 2, 2, 4).

    Values are compared after rounding to 12 decimals. NaN (undefined) has no rank: None.
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
