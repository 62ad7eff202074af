"""RBP with a persistence that depends on the document just read (RBP paper, section 4.3).

The user goes on with probability p1 after a relevant document and p2 after any other. The score is
the utility expected per document read: Σ g_i E_i / Σ E_i, E_i the probability of reading rank i.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, gains_of_grades
from scoring.core.measures.measure import Arguments
from scoring.core.measures.workings import Workings


@dataclass(frozen=True, eq=False)
class Reading:
    """What a user gains and reads on average in the ranks that are in the matrix."""

    gained: NDArray[np.float64]  # float64[topics]
    read: NDArray[np.float64]  # float64[topics]
    left: NDArray[np.float64]  # float64[topics], the probability of reading the rank after them

    def rate(self) -> NDArray[np.float64]:
        """float64[topics]: gained per document read."""
        return self.gained / self.read

    def goes_on(self, persistence: float, gain: float, ranks: float) -> "Reading":
        """After so many further ranks, all with this gain and persistence."""
        if persistence == 1:
            more, left = self.left * ranks, self.left
        else:
            power = persistence**ranks
            more, left = self.left * ((1 - power) / (1 - persistence)), self.left * power
        return Reading(self.gained + gain * more, self.read + more, left)


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """Unknown documents are irrelevant in the base, in the upper bound relevant and of the highest
    gain, ranks after the end too. p1 = p2 = p gives RBP(p); p1 = 0 and p2 near 1 gives RR."""
    base = _base(arguments, workings).rate()
    return Scores(base, np.maximum(_upper(arguments, workings) - base, 0.0))


def _base(arguments: Arguments, workings: Workings) -> Reading:
    return _read(arguments, workings, unknown_gain=0.0, unknown_persistence="p2").goes_on(
        arguments.real("p2"), 0.0, np.inf
    )


def _upper(arguments: Arguments, workings: Workings) -> NDArray[np.float64]:
    highest = float(_gains(arguments, workings).max())
    known = _read(arguments, workings, unknown_gain=highest, unknown_persistence="p1")
    p1, cutoff = arguments.real("p1"), arguments.cutoff
    if cutoff is None and p1 == 1:  # whoever leaves the list reads gain after gain for ever
        return np.where(known.left > 0, highest, known.rate())
    more = np.inf if cutoff is None else max(0, cutoff - workings.graded.depth)
    return known.goes_on(p1, highest, more).goes_on(arguments.real("p2"), 0.0, np.inf).rate()


def _read(
    arguments: Arguments, workings: Workings, *, unknown_gain: float, unknown_persistence: str
) -> Reading:
    ranks = workings.ranks_of(arguments.cutoff)
    grades = workings.graded.grades[:, :ranks]
    worth = np.full(256, unknown_gain)  # negative cells count from the end
    gains = _gains(arguments, workings)
    worth[: len(gains)] = gains
    persistence = np.full(256, arguments.real(unknown_persistence))
    persistence[: arguments.integer("rel")] = arguments.real("p2")
    persistence[arguments.integer("rel") : len(gains)] = arguments.real("p1")
    reads = np.ones((len(grades), ranks + 1))
    np.cumprod(persistence[grades], axis=1, out=reads[:, 1:])
    gained = (worth[grades] * reads[:, :-1]).sum(axis=1)
    return Reading(gained, reads[:, :-1].sum(axis=1), reads[:, -1])


def _gains(arguments: Arguments, workings: Workings) -> NDArray[np.float64]:
    """float64[highest_grade + 1]: what each grade is worth."""
    if arguments.word("gain") == MAP:
        return gains_of_grades(MAP, workings.graded)
    relevant = np.arange(workings.graded.highest_grade + 1) >= arguments.integer("rel")
    return relevant.astype(np.float64)
