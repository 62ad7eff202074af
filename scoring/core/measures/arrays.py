"""What every measure reads, and what it returns: one row or entry per topic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE, PAST_END, UNJUDGED

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class GradedTopics:
    """The grades of one run (or of several runs, one below the other) and what the qrels know.

    `grades` holds the grade at each rank, UNJUDGED where nobody judged the document, and PAST_END
    from the rank after the last document on (never between two documents). Raises ValueError for
    arrays that do not fit together, a grade above the scale, or a gain outside [0, 1].
    """

    grades: NDArray[np.int8]  # int8[topics, depth]
    grade_counts: NDArray[np.int64]  # int64[topics, highest_grade + 1], judged documents per grade
    gain_map: NDArray[np.float64]  # float64[highest_grade + 1], worth of a grade in [0, 1]
    # bool[topics, depth], where an unjudged document is one that the qrels name (grade below 0:
    # in the pool, not judged); only infAP asks. None: no document is.
    pooled: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.grades.ndim != 2 or self.grades.dtype != np.int8:
            raise ValueError(f"grades must be int8[topics, depth], not {self.grades.dtype}")
        if self.grade_counts.shape != (self.topics, len(self.gain_map)):
            raise ValueError(
                f"grade_counts has shape {self.grade_counts.shape}, "
                f"expected {(self.topics, len(self.gain_map))}"
            )
        if self.pooled is not None and self.pooled.shape != self.grades.shape:
            raise ValueError(f"pooled has shape {self.pooled.shape}, expected {self.grades.shape}")
        if not bool(((self.gain_map >= 0) & (self.gain_map <= 1)).all()):
            raise ValueError("the gain map must give every grade a gain in [0, 1]")
        if self.grades.size and int(self.grades.max()) > self.highest_grade:
            raise ValueError(f"a grade lies above the highest grade {self.highest_grade}")

    @property
    def topics(self) -> int:
        """Number of topics."""
        return len(self.grades)

    @property
    def depth(self) -> int:
        """Ranks that the matrix holds."""
        return int(self.grades.shape[1])

    @property
    def highest_grade(self) -> int:
        """Of the campaign's scale, not of what occurs."""
        return len(self.gain_map) - 1

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """int64[topics]: documents the run has for each topic, within the depth."""
        if self.depth == 0:
            return np.zeros(self.topics, np.int64)
        past_end = self.grades == PAST_END
        first = past_end.argmax(axis=1)
        # argmax is 0 also where no rank is past the end, which the last rank shows.
        return np.where(past_end[:, -1], first, self.depth).astype(np.int64, copy=False)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """bool[topics, depth]: somebody judged the document at this rank."""
        return self.relevant(0)

    @cached_property
    def unjudged(self) -> NDArray[np.bool_]:
        """bool[topics, depth]: there is a document at this rank that nobody judged."""
        mask: NDArray[np.bool_] = self.grades == UNJUDGED
        return mask

    @property
    def unjudged_in_pool(self) -> NDArray[np.bool_]:
        """bool[topics, depth]: the document at this rank is in the qrels, but nobody judged it."""
        return np.zeros_like(self.unjudged) if self.pooled is None else self.pooled & self.unjudged

    def block(self, rows: slice) -> "GradedTopics":
        """Some of the topics."""
        pooled = None if self.pooled is None else self.pooled[rows]
        return GradedTopics(self.grades[rows], self.grade_counts[rows], self.gain_map, pooled)

    def relevant(self, rel: int = 1, ranks: int | None = None) -> NDArray[np.bool_]:
        """bool[topics, depth or ranks]: judged with grade `rel` or higher (0: judged)."""
        _check_rel(rel)
        mask: NDArray[np.bool_] = self.grades[:, :ranks] >= rel
        return mask

    def possible(self, rel: int = 1, ranks: int | None = None) -> NDArray[np.bool_]:
        """bool[topics, depth or ranks]: judged with grade `rel` or higher, or by nobody."""
        return self.unjudged[:, :ranks] | self.relevant(rel, ranks)

    def nonrelevant(self, rel: int = 1) -> NDArray[np.bool_]:
        """bool[topics, depth]: judged with a grade below `rel`."""
        return self.judged & ~self.relevant(rel)

    def relevant_count(self, rel: int = 1) -> NDArray[np.int64]:
        """int64[topics]: R, the documents of the qrels with grade `rel` or higher."""
        _check_rel(rel)
        count: NDArray[np.int64] = self.grade_counts[:, rel:].sum(axis=1)
        return count


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one measure. Unjudged documents count as worthless in `base`; with all of
    them, and all ranks after the last document, of the highest worth it is `base + residual`."""

    base: NDArray[np.float64]  # float64[topics], NaN where undefined; of runs [runs, topics]
    residual: NDArray[np.float64] | None  # the same; None: none both exact and useful exists


def stacked(runs: Sequence[GradedTopics]) -> GradedTopics:
    """Several runs of one gain map as one, as deep as the deepest: the topics of each below those
    of the run before it.

    >>> short = GradedTopics(graded.grades[:, :2], graded.grade_counts, graded.gain_map)
    >>> stacked([graded, short]).grades.tolist()[2]
    [1, 0, -128, -128]
    """
    if len(runs) == 1:
        return runs[0]
    pooled = [run.pooled for run in runs if run.pooled is not None]
    return GradedTopics(
        below_each_other([run.grades for run in runs], PAST_END),
        np.concatenate([run.grade_counts for run in runs]),
        runs[0].gain_map,
        below_each_other(pooled, False) if pooled else None,
    )


def below_each_other(matrices: Sequence[NDArray[_T]], past_end: int) -> NDArray[_T]:
    """The rows of all matrices in one as wide as the widest, filled up with `past_end`.

    >>> below_each_other([np.array([[1, 0]]), np.array([[1]])], -128).tolist()
    [[1, 0], [1, -128]]
    """
    widest = max(matrix.shape[1] for matrix in matrices)
    if all(matrix.shape[1] == widest for matrix in matrices):
        return np.concatenate(matrices)
    joined = np.full((sum(map(len, matrices)), widest), past_end, matrices[0].dtype)
    first = 0
    for matrix in matrices:
        joined[first : first + len(matrix), : matrix.shape[1]] = matrix
        first += len(matrix)
    return joined


def by_run(scores: Scores, runs: int) -> Scores:
    """The scores of this many runs that were stacked, as float64[runs, topics].

    >>> by_run(Scores(np.array([0.1, 0.2, 0.3, 0.4]), None), runs=2).base.tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    residual = scores.residual
    return Scores(
        scores.base.reshape(runs, -1), None if residual is None else residual.reshape(runs, -1)
    )


def each_run(scores: Scores) -> list[Scores]:
    """The scores of one run after the other, from those of several.

    >>> [run.base.tolist() for run in each_run(Scores(np.array([[0.1, 0.2], [0.3, 0.4]]), None))]
    [[0.1, 0.2], [0.3, 0.4]]
    """
    residuals = repeat(None) if scores.residual is None else scores.residual
    # Not strict: `repeat` has no end.
    return [Scores(*row) for row in zip(scores.base, residuals, strict=False)]


def default_gain_map(highest_grade: int) -> NDArray[np.float64]:
    """float64[highest_grade + 1]: grade / highest, for a campaign without a map of its own.

    >>> default_gain_map(2).tolist()
    [0.0, 0.5, 1.0]
    """
    if not 1 <= highest_grade <= HIGHEST_POSSIBLE_GRADE:
        raise ValueError(f"the highest grade must lie in 1..{HIGHEST_POSSIBLE_GRADE}")
    return np.arange(highest_grade + 1) / highest_grade


def condensed(graded: GradedTopics) -> GradedTopics:
    """The same topics with the unjudged documents left out and the others moved up (trec_eval's
    -J, `judged_only` of ir_measures; T. Sakai, Alternatives to bpref, SIGIR 2007).

    A base is then one over judged documents; residuals only know what lies after the end.

    >>> condensed(graded).grades.tolist()
    [[1, 0, 1, -128], [0, -128, -128, -128]]
    """
    # False sorts first: the judged documents, in their order.
    order = np.argsort(~graded.judged, axis=1, kind="stable")
    grades = np.take_along_axis(graded.grades, order, axis=1)
    return replace(graded, grades=np.where(grades >= 0, grades, np.int8(PAST_END)), pooled=None)


def _check_rel(rel: int) -> None:
    if rel < 0:
        raise ValueError(f"rel must not be negative: {rel} would take in unjudged documents")
