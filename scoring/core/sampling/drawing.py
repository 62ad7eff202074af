"""Draws the documents of a sample design, the same ones for the same seed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.sampling.design import CERTAIN, DRAWN, Design, joint_probability


@dataclass(frozen=True, eq=False)
class Sample:
    """The documents of one sample: those judged for certain, and pairs, one of each stratum."""

    certain: NDArray[np.int64]  # int64[certain], candidates
    pairs: NDArray[np.int64]  # int64[strata, 2], candidates
    probabilities: NDArray[np.float64]  # float64[strata, 2], of the pairs
    joint: NDArray[np.float64]  # float64[strata], that both documents are drawn

    @property
    def documents(self) -> NDArray[np.int64]:
        """int64[documents]: the certain ones, then pair by pair."""
        return np.concatenate([self.certain, self.pairs.ravel()])

    @property
    def document_probabilities(self) -> NDArray[np.float64]:
        """float64[documents]: of `documents`."""
        return np.concatenate([np.ones(len(self.certain)), self.probabilities.ravel()])


def draw_sample(design: Design, *, seed: int) -> Sample:
    """One sample. The random numbers go to the strata in their order.

    >>> sample = draw_sample(design, seed=1)
    >>> len(sample.documents), sample.joint.round(4).tolist()  # one of ten pairs
    (2, [0.1])
    """
    return draw_samples(design, seed=seed, draws=1)[0]


def draw_samples(design: Design, *, seed: int, draws: int) -> list[Sample]:
    """Independent samples. Raises ValueError for a negative seed.

    >>> [len(sample.documents) for sample in draw_samples(design, seed=1, draws=3)]
    [2, 2, 2]
    """
    # All at once, so that a stratum gets the same numbers whatever the others contain.
    random = np.random.default_rng(seed).random((design.stratum_count, DRAWN, draws))
    shape = (design.stratum_count, DRAWN, draws)
    pairs, joint = np.empty(shape, np.int64), np.empty((design.stratum_count, draws))
    for stratum, members in enumerate(design.members):
        probabilities = design.probabilities[members]
        places = _draw_pairs(probabilities, random[stratum])
        pairs[stratum] = members[places]
        first, other = probabilities[places]
        joint[stratum] = joint_probability(probabilities, first, other)
    certain = np.flatnonzero(design.strata == CERTAIN)
    return [
        Sample(
            certain,
            pairs[:, :, draw],
            design.probabilities[pairs[:, :, draw]],
            # A view would keep the array of all draws in memory.
            joint[:, draw].copy(),
        )
        for draw in range(draws)
    ]


def _draw_pairs(
    probabilities: NDArray[np.float64], random: NDArray[np.float64]
) -> NDArray[np.int64]:
    """int64[2, draws]: Brewer's two draws of a stratum, in ascending order. With q = π/2, the first
    has a probability proportional to q (1 - q)/(1 - 2 q), the second to q among the others."""
    halves = probabilities / 2
    chances = np.cumsum(halves * (1 - halves) / (1 - probabilities))
    first = _find(chances, random[0] * chances[-1])
    ends = np.cumsum(halves)
    before = ends[first] - halves[first]
    target = random[1] * (ends[-1] - halves[first])
    # The first document is left out of the line on which the second is drawn: what follows moves
    # up.
    target += np.where(target >= before, halves[first], 0.0)
    second = _find(ends, target)
    # Rounding at the edge of the first document must not draw it twice.
    last = len(halves) - 1
    second = np.where(second == first, np.where(first == last, first - 1, first + 1), second)
    return np.sort(np.stack([first, second]), axis=0)


def _find(ends: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.int64]:
    found = np.searchsorted(ends, targets, side="right")
    # A target can be the end of the last one, by rounding.
    return np.minimum(found, len(ends) - 1)
