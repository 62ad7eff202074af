"""What the runs retrieve for each topic, for orders of judging that are defined for one topic."""

from array import array
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.candidates import Candidates


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The lists of one topic. Documents are numbered from 0 by id, ascending as bytes; the places
    of document d are starts[d]:starts[d + 1], by run."""

    first: int  # the candidate that is document 0
    runs: int
    starts: NDArray[np.int32]  # int32[documents + 1]
    run_rows: NDArray[np.integer]  # integer[places], which run
    positions: NDArray[np.integer]  # integer[places], 0-based position in that run
    by_name: NDArray[np.int64]  # int64[runs], the place of each run by name

    @property
    def documents(self) -> int:
        return len(self.starts) - 1

    def runs_with(self, document: int) -> NDArray[np.integer]:
        """integer[holders]: the runs that retrieve a document."""
        return self.run_rows[self.starts[document] : self.starts[document + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[runs]: how many documents each run retrieves."""
        return np.bincount(self.run_rows, minlength=self.runs)

    @cached_property
    def by_run(self) -> list["array[int]"]:
        """The documents of each run, best first; empty if it has none for the topic."""
        documents = np.repeat(np.arange(self.documents, dtype=np.intc), np.diff(self.starts))
        order = np.lexsort((self.positions, self.run_rows))
        parts = np.split(documents[order], np.cumsum(self.lengths)[:-1])
        return [array("i", part.tobytes()) for part in parts]  # a list would take ten times as much


def topic_lists(candidates: Candidates) -> list[TopicLists]:
    """The lists of the topics that have candidates, by topic code, ascending as bytes.

    >>> [list(documents) for documents in topic_lists(candidates)[0].by_run]
    [[0, 1, 2], [1, 3]]
    """
    rows = candidates.topic_rows
    # Cut, because without candidates no topic begins.
    begins = np.append(0, np.flatnonzero(rows[1:] != rows[:-1]) + 1)[: len(rows)]
    ends = np.append(begins, len(rows))[1:]
    found = []
    for first, end in zip(begins.tolist(), ends.tolist(), strict=True):
        starts = candidates.starts[first : end + 1]
        places = slice(int(starts[0]), int(starts[-1]))
        found.append(
            TopicLists(
                first=first,
                runs=candidates.runs,
                starts=(starts - starts[0]).astype(np.int32),
                run_rows=candidates.run_rows[places],
                positions=candidates.positions[places],
                by_name=candidates.by_name,
            )
        )
    return found
