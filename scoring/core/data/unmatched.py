"""Why no document of a run is judged: the ids of the run or of the qrels may have one part more, as
those of passages have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.judgments import JudgmentTable

SEPARATORS: Final = (b"-", b"_", b".", b"#", b":", b"/", b"@")
MAX_DOCUMENTS: Final = 1_000  # of the run that are looked at
MAX_JUDGMENTS: Final = 100_000

Cell = tuple[int, bytes]  # row of the table, document


@dataclass(frozen=True)
class LongerIds:
    """Documents that would be judged if the ids of one side ended before their last separator."""

    side: str  # "run" or "qrels"
    separator: str
    count: int
    looked_at: int


def first_cells(rows: NDArray[np.int32], doc_ids: NDArray[np.bytes_]) -> list[Cell]:
    """Those of the first topics of the table, in ascending order whatever that of the lines, 1,000
    at most. Row -1 is that of unknown topics.

    >>> first_cells(np.array([1, 0, -1], np.int32), np.array([b"d5", b"d2", b"d1"]))
    [(0, b'd2'), (1, b'd5')]
    """
    counts = np.cumsum(np.bincount(rows[rows >= 0]))
    # The first topics, up to MAX_DOCUMENTS documents: the others need not be sorted.
    topics = int(np.searchsorted(counts, MAX_DOCUMENTS)) + 1
    known = np.flatnonzero((rows >= 0) & (rows < topics))
    rows, doc_ids = rows[known], doc_ids[known]
    order = np.lexsort((doc_ids, rows))[:MAX_DOCUMENTS]
    return list(zip(rows[order].tolist(), doc_ids[order].tolist(), strict=True))


def longer_ids(table: JudgmentTable, documents: Sequence[Cell]) -> LongerIds | None:
    """The separator by which most documents of a run would be judged, None if no one helps. Looks
    at 100,000 judgments.

    >>> longer_ids(table, [(0, b"d1-1"), (0, b"d3-2")])
    LongerIds(side='run', separator='-', count=2, looked_at=2)
    """
    topics = np.array(sorted({row for row, _ in documents}), np.int32)
    judged = np.flatnonzero((table.grades >= 0) & np.isin(table.rows, topics))[:MAX_JUDGMENTS]
    qrels = set(zip(table.rows[judged].tolist(), table.doc_ids[judged].tolist(), strict=True))
    found = []
    for separator in SEPARATORS:
        for side, ours, theirs in (
            ("run", _cut(documents, separator), qrels),
            # Sets, since each document of the run is looked up in them.
            ("qrels", documents, set(_cut(qrels, separator))),
        ):
            count = sum(cell in theirs for cell in ours)
            found.append(LongerIds(side, separator.decode(), count, len(documents)))
    best = max(found, key=lambda each: each.count)
    return best if best.count else None


def _cut(cells: Iterable[Cell], separator: bytes) -> list[Cell]:
    """The cells whose ids have the separator, without it and what follows."""
    parts = ((row, doc.rpartition(separator)[0]) for row, doc in cells)
    return [(row, doc) for row, doc in parts if doc]
