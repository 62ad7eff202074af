"""How a random ordering of n documents begins, r of them of the kind that is looked for."""

import numpy as np
from numpy.typing import NDArray


def nth_chances(
    sizes: NDArray[np.int64], members: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[groups, largest size]: how likely the q-th of r documents is the x-th of n.

    C(x-1, q-1) C(n-x, r-q) / C(n, r), from the ratio of each to the one before it,
    (x-1)/(x-q) (n-x+1-r+q)/(n-x+1), as a running sum of logarithms.
    """
    if bool((wanted == 1).all()):
        return first_chances(sizes, members)
    x = np.arange(1, int(sizes.max()) + 1)
    n, r, q = sizes[:, None], members[:, None], wanted[:, None]
    can = (x >= q) & (x <= n - r + q)
    later = can & (x > q)
    ratios = np.ones(can.shape)
    top = (x - 1.0) * (n - x + 1 - r + q)
    np.divide(top, (x - q) * (n - x + 1.0), out=ratios, where=later)
    logs = np.where(can, np.cumsum(np.log(ratios), axis=1), -np.inf)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    likely: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
    return likely


def first_chances(sizes: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same for the first: with n - x + 1 documents left it is one of r, if none was before."""
    left = sizes[:, None] - np.arange(int(sizes.max()))
    is_it = np.minimum(members[:, None] / np.maximum(left, 1), 1.0)
    chances = np.ones(left.shape)
    np.cumprod(1 - is_it[:, :-1], axis=1, out=chances[:, 1:])
    chances *= is_it
    return chances


def none_in_first(
    sizes: NDArray[np.int64], members: NDArray[np.int64], slots: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[groups]: how likely none of r documents is among the first m of n.

    C(n - r, m)/C(n, m), the product of (n - max(r, m) - y)/(n - y) for y = 0 ... min(r, m) - 1.
    """
    factors = np.minimum(members, slots)
    steps = np.arange(int(factors.max(initial=0)))
    tops = (sizes - np.maximum(members, slots))[:, None] - steps
    ratios = np.maximum(tops, 0) / np.maximum(sizes[:, None] - steps, 1)
    likely: NDArray[np.float64] = np.where(steps < factors[:, None], ratios, 1.0).prod(axis=1)
    return likely
