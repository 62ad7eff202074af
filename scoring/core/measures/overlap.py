"""Compatibility: how much a ranking and the ideal one overlap, rank by rank."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import NO, YES, Arguments, Facts, Family, Parameter
from scoring.core.measures.workings import Ranks, Workings


def compute_compatibility(arguments: Arguments, workings: Workings) -> Scores:
    """Of the ideal rankings (all documents with a grade above 0, highest grade first) the one that
    is nearest to the run counts: among documents of one grade, those of the run come first, in its
    order.

    A document is in both lists from the later of its two ranks on. Both are read to the end of the
    longer one.

    With p = .5 the first topic has (1 + 1/4 + 1/12 + 1/16) / (1 + 1/2 + 1/4 + 3/32):

    >>> compute_compatibility(arguments("Compat(p=0.5)"), workings).base.round(4).tolist()
    [0.7571, 0.0]
    """
    persistence, graded = arguments.real("p"), workings.graded
    relevant = workings.relevant(1, graded.depth)
    later = np.maximum(relevant.positions, _ideal_positions(workings, relevant))
    known = graded.relevant_count(1)
    ends = np.maximum(graded.lengths, known)
    shares = _shares(persistence, max(int(ends.max(initial=0)), 1))
    overlap = relevant.sums(shares[ends[relevant.rows]] - shares[later])
    if arguments.word("normalize") == NO:
        return Scores(_ratio((1 - persistence) * overlap, 1 - persistence**ends), None)
    bounds = np.zeros(len(known) + 1, np.int64)
    known.cumsum(out=bounds[1:])
    ideal = Ranks(bounds, np.arange(bounds[-1]) - bounds[:-1].repeat(known))
    best = ideal.sums(shares[ends[ideal.rows]] - shares[ideal.positions])
    return Scores(_ratio(overlap, best), None)


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _ideal_positions(workings: Workings, relevant: Ranks) -> NDArray[np.int64]:
    """int64[cells]: the 0-based rank of each relevant document in the ideal ranking nearest to the
    run's."""
    graded, grades = workings.graded, workings.grades_at(1, workings.graded.depth)
    positions = np.empty(len(grades), np.int64)
    for grade in range(1, graded.highest_grade + 1):
        cells = (grades == grade).nonzero()[0]
        rows = relevant.rows[cells]
        # Where the documents of this grade begin in each topic.
        firsts = np.searchsorted(rows, np.arange(graded.topics))
        above = graded.relevant_count(grade + 1)
        positions[cells] = above[rows] + np.arange(len(cells)) - firsts[rows]
    return positions


@lru_cache(maxsize=16)
def _shares(persistence: float, ranks: int) -> NDArray[np.float64]:
    """float64[ranks + 1]: what a document that is in both lists from the first rank on contributes
    down to rank 0, 1, 2, ...: the sum of p^(i - 1) / i."""
    shares = np.zeros(ranks + 1)
    by_rank = persistence ** np.arange(ranks, dtype=np.float64) / np.arange(1, ranks + 1)
    by_rank.cumsum(out=shares[1:])
    # It is cached: a caller that wrote into it would change the scores of others.
    shares.setflags(write=False)
    return shares


COMPAT = Family(
    name="Compat",
    compute=compute_compatibility,
    parameters=(
        Parameter(
            "p",
            "real",
            "persistence: how much each rank weighs, relative to the one before",
            default=0.95,
            at_least=0,
            below=1,
        ),
        Parameter(
            "normalize",
            "word",
            "divide by the overlap of the ideal ranking with itself",
            default=YES,
            words=(YES, NO),
        ),
    ),
    facts=Facts(
        pretty_name="Compatibility",
        description=(
            "The rank-biased overlap of the ranking with the nearest ideal ranking, in which "
            "documents with a grade above 0 are ordered by grade."
        ),
        formula=(
            "Σ_{i≤n} p^(i−1) · |first i of the run ∩ first i of the ideal| / i over the same sum "
            "for the ideal twice, n the length of the longer one"
        ),
        reference=(
            "C. L. A. Clarke, A. Vtyurina and M. D. Smucker. Assessing top-k preferences. "
            "ACM TOIS 39(3), 2021."
        ),
        relevance="graded",
        needs_relevant=True,
    ),
)
