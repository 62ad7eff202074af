"""Base and residual of RBP(p) of every run and topic, updated judgment by judgment.

The contribution of a document to a run, (1 - p) p^(rank-1), is counted in whole units of 2^-60.
Sums of whole numbers are exact, so the bounds depend only on the current outcomes, not on their
order or on earlier ones. Rounding to units changes a score by less than 2^-61 for each document of
a list, 1e-15 for a thousand.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates
from scoring.core.judging.selection import RunBounds

_UNIT = 2.0**-60


class LiveBounds:
    """The state: update it by `take`, read it by `bounds`."""

    def __init__(self, candidates: Candidates, persistence: float) -> None:
        """Raises ValueError for a persistence outside 0 <= p < 1."""
        if not 0 <= persistence < 1:
            raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
        self._candidates = candidates
        deepest = int(candidates.positions.max(initial=0)) + 1
        powers = (1 - persistence) * persistence ** np.arange(deepest, dtype=np.float64)
        self._units = np.rint(powers / _UNIT).astype(np.int64)  # int64[depth]
        self._outcomes = np.full(len(candidates), UNJUDGED, np.int8)
        cells = candidates.runs * len(candidates.topics)
        self._known, self._base = np.zeros(cells, np.int64), np.zeros(cells, np.int64)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """int8[candidates]: 1 relevant, 0 not, UNJUDGED. A copy."""
        return self._outcomes.copy()

    def take(self, places: NDArray[np.int64], outcomes: NDArray[np.int8]) -> None:
        """Sets the outcomes of these candidates, each named once: 1 relevant, 0 not, UNJUDGED if a
        judgment was undone.

        Raises ValueError for columns that do not fit together, other outcomes, and a candidate
        named twice; then nothing changes.
        """
        if places.shape != outcomes.shape or places.ndim != 1:
            raise ValueError(f"{places.shape} candidates but {outcomes.shape} outcomes")
        if not bool(np.isin(outcomes, (1, 0, UNJUDGED)).all()):
            raise ValueError("outcomes must be 1, 0 or UNJUDGED")
        if len(np.unique(places)) != len(places):
            raise ValueError("a candidate is named twice")
        before = self._outcomes[places]
        changed = before != outcomes
        # What the old outcomes added is taken back first.
        self._count(places[changed], before[changed], -1)
        self._count(places[changed], outcomes[changed], +1)
        self._outcomes[places] = outcomes

    def bounds(self) -> RunBounds:
        """As `selection.bounds_of_runs` computes them from all outcomes at once."""
        shape = (self._candidates.runs, len(self._candidates.topics))
        base, known = (sums.astype(np.float64) * _UNIT for sums in (self._base, self._known))
        return RunBounds(base.reshape(shape), np.maximum(1.0 - known, 0.0).reshape(shape))

    def _count(self, chosen: NDArray[np.int64], outcomes: NDArray[np.int8], sign: int) -> None:
        self._add(self._known, chosen[outcomes != UNJUDGED], sign)
        self._add(self._base, chosen[outcomes == 1], sign)

    def _add(self, sums: NDArray[np.int64], chosen: NDArray[np.int64], sign: int) -> None:
        places = self._candidates.places_of(chosen)
        units = sign * self._units[self._candidates.positions[places]]
        # Not bincount, whose sums of weights are floats and would be rounded.
        np.add.at(sums, self._candidates.cells_of(chosen), units)
