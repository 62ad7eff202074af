"""Documents that share a retrieval score, and which of their groups matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics, below_each_other, condensed, stacked


@dataclass(frozen=True, eq=False)
class Groups:
    """Tied groups of a matrix [topics, depth]: topic after topic, by rank."""

    begins: NDArray[np.int64]  # int64[groups], the first one's cell in the flat matrix
    rows: NDArray[np.int64]  # int64[groups], the topic
    starts: NDArray[np.int64]  # int64[groups], 0-based position of the first document
    sizes: NDArray[np.int64]  # int64[groups], documents

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """int64[groups]: the position after the last document."""
        ends: NDArray[np.int64] = self.starts + self.sizes
        return ends

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """int64[2 * groups]: where each begins and the cell after its end, in turns."""
        edges = self.begins.repeat(2)
        edges[1::2] += self.sizes
        return edges

    def slots(self, limits: NDArray[np.int64] | int) -> NDArray[np.int64]:
        """int64[groups]: how many of the ranks lie within the limit."""
        inside: NDArray[np.int64] = np.minimum(np.maximum(limits - self.starts, 0), self.sizes)
        return inside

    def means(self, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[groups]: the mean of the ranks' values; ranks after the last have 0."""
        from_here = np.zeros(len(by_rank) + 1)  # summed from the end: exact for small ones, too
        by_rank[::-1].cumsum(out=from_here[-2::-1])
        sums = from_here.take(self.starts, mode="clip") - from_here.take(self.ends, mode="clip")
        sums /= self.sizes
        return sums

    def mask(self) -> NDArray[np.bool_]:
        """bool[groups, ranks as far down as any goes]: the ranks of each."""
        ranks = np.arange(self.ends.max(initial=0))
        begun: NDArray[np.bool_] = ranks >= self.starts[:, None]
        return begun & (ranks < self.ends[:, None])

    def some(self, which: NDArray[np.integer]) -> "Groups":
        """These of the groups."""
        columns = (self.begins, self.rows, self.starts, self.sizes)
        return Groups(*(column[which] for column in columns))


@dataclass(frozen=True, eq=False)
class TiedTopics:
    """The grades of a run together with its tied groups. Raises ValueError for groups that do not
    belong to such a matrix."""

    graded: GradedTopics
    begins: NDArray[np.bool_]  # bool[topics, depth], as `alignment.align_beginnings` gives them

    def __post_init__(self) -> None:
        shape = self.graded.grades.shape
        if self.begins.shape != shape or self.begins.dtype != np.bool_:
            raise ValueError(
                f"where tied groups begin must be bool{shape}, "
                f"not {self.begins.dtype}{self.begins.shape}"
            )
        if not bool(self.begins[:, :1].all()):
            raise ValueError("with every topic a tied group must begin")

    @cached_property
    def has_ties(self) -> bool:
        """Whether any two documents are tied."""
        return not bool(self.begins.all())

    @cached_property
    def mixed(self) -> Groups:
        """The groups whose documents differ in grade. In any other, every ordering has the same
        grades at the same ranks."""
        begins, grades = self.begins.reshape(-1), self.graded.grades.reshape(-1)
        # The cells after the first document of a tied group begin none, the one after its last does
        # again: the edges between such cells are the first and the last documents, in turns.
        edges = (begins[1:] != begins[:-1]).nonzero()[0]
        if len(edges) % 2:
            edges = np.append(edges, len(begins) - 1)
        changes = np.zeros(len(grades), np.int32)  # of grade, down to each cell
        (grades[1:] != grades[:-1]).cumsum(dtype=np.int32, out=changes[1:])
        changes = changes[edges]
        mixed = (changes[::2] != changes[1::2]).nonzero()[0]
        firsts, lasts = edges[::2][mixed], edges[1::2][mixed]
        # Without ranks there is no group, and nothing to divide.
        rows = firsts // max(self.graded.depth, 1)
        return Groups(firsts, rows, firsts - rows * self.graded.depth, lasts - firsts + 1)


def stacked_with_ties(runs: Sequence[TiedTopics]) -> TiedTopics:
    """`stacked` for runs together with their tied groups.

    >>> stacked_with_ties([tied, tied]).begins.tolist()
    [[True, False], [True, False]]
    """
    if len(runs) == 1:
        return runs[0]
    graded = stacked([run.graded for run in runs])
    return TiedTopics(graded, below_each_other([run.begins for run in runs], True))


def condensed_with_ties(tied: TiedTopics) -> TiedTopics:
    """`condensed` together with the tied groups: documents that were tied still are.

    Three documents are tied, and the second is unjudged:

    >>> grades = np.array([[1, -1, 0]], np.int8)
    >>> graded = GradedTopics(grades, np.array([[1, 1]]), np.array([0.0, 1.0]))
    >>> found = condensed_with_ties(TiedTopics(graded, np.array([[True, False, False]])))
    >>> found.graded.grades.tolist(), found.begins.tolist()
    ([[1, 0, -128]], [[True, False, True]])
    """
    graded = condensed(tied.graded)
    # As `condensed` does: judged documents first, in their order.
    order = np.argsort(~tied.graded.judged, axis=1, kind="stable")
    groups = np.take_along_axis(np.cumsum(tied.begins, axis=1), order, axis=1)
    # A rank without a document is a group of its own.
    begins = np.arange(graded.depth) >= graded.lengths[:, None]
    begins[:, :1] = True
    begins[:, 1:] |= groups[:, 1:] != groups[:, :-1]
    return TiedTopics(graded, begins)
