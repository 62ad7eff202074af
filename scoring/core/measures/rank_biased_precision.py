"""Rank-biased precision (Moffat & Zobel, TOIS 27(1), 2008, section 4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, gains_of_grades
from scoring.core.measures.measure import Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.weighted import Weighting, Weights, score_weighting
from scoring.core.measures.weighted_precision import GAINED, REL_IF_BINARY, binary_or_mapped
from scoring.core.measures.workings import Workings


def rbp_weights(persistence: float, ranks: int, cutoff: int | None) -> Weights:
    """(1 - p) p^(i-1), and after d documents p^d, which ends at the cutoff if there is one.

    >>> weights = rbp_weights(0.5, ranks=2, cutoff=None)
    >>> weights.by_rank.tolist(), weights.after.tolist()
    ([0.5, 0.25], [1.0, 0.5, 0.25])
    """
    powers = persistence ** np.arange(ranks + 1, dtype=np.float64)
    after = powers if cutoff is None else powers - persistence**cutoff
    return Weights((1 - persistence) * powers[:-1], after)


def compute_rbp(arguments: Arguments, workings: Workings) -> Scores:
    """RBP@k leaves out all ranks after k, in the base and in what is unknown.

    Unknown are ranks 3 and 5, 6, ... of the first topic, and ranks 2, 3, ... of the second one:

    >>> scores = compute_rbp(arguments("RBP(p=0.5)"), workings)
    >>> scores.base.tolist(), scores.residual.tolist()
    ([0.5625, 0.0], [0.1875, 0.5])
    """
    if arguments.has("p1"):
        return compute_adaptive(arguments, workings)
    return score_weighting(workings, rbp_weighting(arguments, workings))


def rbp_weighting(arguments: Arguments, workings: Workings) -> Weighting:
    """The weights of RBP(p), on relevant documents or on the campaign's gain map.

    >>> rbp_weighting(arguments("RBP(p=0.5)@2"), workings).weights.after.tolist()
    [0.75, 0.25, 0.0]
    """
    ranks = workings.ranks_of(arguments.cutoff)
    weights = rbp_weights(arguments.real("p"), ranks, arguments.cutoff)
    return binary_or_mapped(arguments, workings, weights)


RBP = Family(
    name="RBP",
    compute=compute_rbp,
    counts_ranks_past_end=lambda arguments: arguments.has("p1"),
    parameters=(
        Parameter(
            "p",
            "real",
            "persistence: the probability of continuing to the next document",
            at_least=0,
            below=1,
            instead_of=("p1", "p2"),
        ),
        Parameter(
            "p1",
            "real",
            "persistence after a relevant document",
            at_least=0,
            at_most=1,
            instead_of=("p",),
        ),
        Parameter(
            "p2",
            "real",
            "persistence after any other document",
            at_least=0,
            below=1,
            instead_of=("p",),
        ),
        REL_IF_BINARY,
        GAINED,
    ),
    cutoff="optional",
    facts=Facts(
        pretty_name="Rank-biased precision",
        description=(
            "The rate of gain of a user who continues to the next document with probability p."
        ),
        formula=(
            "(1 − p) · Σ g_i · p^(i−1); with p1 and p2: Σ g_i Π_{j<i} c_j / Σ Π_{j<i} c_j, "
            "c_j = p1 after a relevant document, p2 after any other"
        ),
        reference=(
            "A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval "
            "effectiveness. ACM TOIS 27(1), article 2, 2008."
        ),
        relevance="either",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "p^d after a list of d documents, and (1 − p) · p^(i−1) for an unjudged document at "
            "rank i. With p1 and p2, it is the difference from the score with all of these "
            "relevant."
        ),
        user_model=UserModel(
            browsing=(
                "The patient user always reads the first document, and continues from each "
                "document to the next with probability p, whether or not it was relevant."
            ),
            utility="Each relevant document has the utility 1, or its gain in the gain map.",
            accumulation=(
                "The expected gain divided by 1/(1 − p), the average number of documents read."
            ),
        ),
    ),
)


@dataclass(frozen=True, eq=False)
class Reading:
    """What a user gains and reads on average in the ranks that are in the matrix."""

    gained: NDArray[np.float64]  # float64[topics]
    read: NDArray[np.float64]  # float64[topics]
    left: NDArray[np.float64]  # float64[topics], the probability of reading the rank after them

    def rate(self) -> NDArray[np.float64]:
        """float64[topics]: gained per document read; NaN where there is no rank to read."""
        nothing = np.full_like(self.gained, np.nan)
        return np.divide(self.gained, self.read, out=nothing, where=self.read > 0)

    def goes_on(self, persistence: float, gain: float, ranks: float) -> "Reading":
        """After this many further ranks, all with this gain and persistence."""
        # The sum of a geometric series would divide by 0.
        if persistence == 1:
            more, left = self.left * ranks, self.left
        else:
            power = persistence**ranks
            more, left = self.left * ((1 - power) / (1 - persistence)), self.left * power
        return Reading(self.gained + gain * more, self.read + more, left)


def compute_adaptive(arguments: Arguments, workings: Workings) -> Scores:
    """The persistence depends on the document just read (RBP paper, section 4.3): p1 after a
    relevant one, p2 after any other. The score is the utility expected per document read,
    Σ g_i E_i / Σ E_i, where E_i is the probability of reading rank i.

    Unknown documents are irrelevant in the base, in the upper bound relevant and of the highest
    gain, ranks after the end too. p1 = p2 = p gives RBP(p); p1 = 0 and p2 near 1 gives RR.

    With p1 = 0 reading ends at a relevant document. If the unjudged document of the second topic is
    relevant, 1/2 is gained in 1 + 1/2 documents.

    >>> scores = compute_adaptive(arguments("RBP(p1=0,p2=0.5)"), workings)
    >>> scores.base.tolist(), scores.residual.round(4).tolist()
    ([1.0, 0.0], [0.0, 0.3333])
    """
    known = _read(arguments, workings, unknown_gain=0.0, unknown_persistence="p2")
    # Documents after the end gain nothing, but are read.
    base = known.goes_on(arguments.real("p2"), 0.0, np.inf).rate()
    return Scores(base, np.maximum(_upper(arguments, workings) - base, 0.0))


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
