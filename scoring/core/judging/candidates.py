"""The documents that runs propose for judging, and what each of them means to which run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable, find_judgments
from scoring.core.data.ranking import Ranking, hash_doc_ids, id_words, whole_words


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every (topic, document) that any run has, once, with all its places in the runs.

    Candidates stand by topic code, then document id, both ascending as bytes: the order in which
    equal weights are chosen. The places of candidate x are starts[x]:starts[x + 1], by run.
    """

    topics: tuple[str, ...]  # the campaign's, in position order
    runs: int
    topic_rows: NDArray[np.int32]  # int32[candidates], position of the topic
    doc_ids: NDArray[np.bytes_]  # S{w}[candidates], w a multiple of 8
    starts: NDArray[np.int64]  # int64[candidates + 1]
    run_rows: NDArray[np.int32]  # int32[places], which run
    positions: NDArray[np.int32]  # int32[places], 0-based position of the document in that run

    def __len__(self) -> int:
        return len(self.topic_rows)

    @cached_property
    def best_positions(self) -> NDArray[np.int32]:
        """int32[candidates]: the 0-based position in the run that has it highest."""
        best: NDArray[np.int32] = np.minimum.reduceat(self.positions, self.starts[:-1])
        return best

    @cached_property
    def named(self) -> NDArray[np.int64]:
        """int64[candidates]: rises in the order in which a reader who goes run by run, topic by
        topic and down the ranks meets them."""
        depth = int(self.positions.max(initial=0)) + 1
        read = self.cells * depth + self.positions
        first: NDArray[np.int64] = np.minimum.reduceat(read, self.starts[:-1])
        return first

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """int64[places]: the place's cell in a matrix [runs, topics], row after row."""
        rows = np.repeat(self.topic_rows, np.diff(self.starts))
        return self.run_rows.astype(np.int64) * len(self.topics) + rows

    def places_of(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[places of the chosen]: the places of candidates, one candidate after the other."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        shifts = self.starts[chosen] - (np.cumsum(lengths) - lengths)
        return np.repeat(shifts, lengths) + np.arange(lengths.sum())


def collect_candidates(
    rankings: Sequence[Ranking], *, topics: Sequence[str], depth: int | None = None
) -> Candidates:
    """The candidates of runs, in the campaign's `topics`; a run's other topics are left out.

    Only the first `depth` documents of each topic of a run propose (default: all). What lies
    deeper is then never judged: with persistence p it keeps p^depth of a residual, 2e-10 for the
    first 100 at p = .8.

    Raises ValueError without runs, for a depth below 1 and for a topic named twice.
    """
    if depth is not None and depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    if len(set(topics)) != len(topics):
        raise ValueError("a topic is named twice")
    row_of = {topic: row for row, topic in enumerate(topics)}
    parts = [_Places.of_run(run, ranking, row_of, depth) for run, ranking in enumerate(rankings)]
    if not parts:
        raise ValueError("without runs there are no candidates")
    rows = np.concatenate([part.rows for part in parts])
    doc_ids = whole_words(np.concatenate([part.doc_ids for part in parts]))
    run_rows = np.concatenate([part.run_rows for part in parts])
    positions = np.concatenate([part.positions for part in parts])
    codes = sorted(range(len(topics)), key=lambda row: topics[row].encode())
    place_of_topic = np.empty(len(topics), np.int32)
    place_of_topic[codes] = np.arange(len(topics))
    # Read as big-endian numbers, words compare as their bytes do. lexsort keeps the runs' order.
    words = id_words(doc_ids).byteswap()
    keys = [words[:, column] for column in reversed(range(words.shape[1]))]
    order = np.lexsort((*keys, place_of_topic[rows]))
    rows, words = rows[order], words[order]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows[1:] != rows[:-1]) | (words[1:] != words[:-1]).any(axis=1)
    firsts = np.flatnonzero(begins)
    return Candidates(
        topics=tuple(topics),
        runs=len(rankings),
        topic_rows=rows[firsts],
        doc_ids=doc_ids[order[firsts]],
        starts=np.append(firsts, len(rows)).astype(np.int64),
        run_rows=run_rows[order],
        positions=positions[order],
    )


def candidates_of(
    candidates: Candidates, runs: NDArray[np.bool_]
) -> tuple[Candidates, NDArray[np.int64]]:
    """What these runs alone propose, and where each of it stands among all: int64[fewer].

    `runs` are bool[runs]; the runs keep their rows, the others have no place any more. Raises
    ValueError for another number of runs.
    """
    if runs.shape != (candidates.runs,):
        raise ValueError(f"{candidates.runs} runs but a choice of {runs.shape}")
    return _with_places(candidates, runs[candidates.run_rows])


def candidates_to_depth(candidates: Candidates, depth: int) -> tuple[Candidates, NDArray[np.int64]]:
    """What the runs propose among their first `depth` documents of each topic, and where each of it
    stands among all: int64[fewer]. Raises ValueError for a depth below 1."""
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    return _with_places(candidates, candidates.positions < depth)


def _with_places(
    candidates: Candidates, kept: NDArray[np.bool_]
) -> tuple[Candidates, NDArray[np.int64]]:
    """The candidates that keep any of their places."""
    counts = np.add.reduceat(kept, candidates.starts[:-1], dtype=np.int64) if len(kept) else kept
    places = np.flatnonzero(counts)
    chosen = Candidates(
        topics=candidates.topics,
        runs=candidates.runs,
        topic_rows=candidates.topic_rows[places],
        doc_ids=candidates.doc_ids[places],
        starts=np.append(0, np.cumsum(counts[places])).astype(np.int64),
        run_rows=candidates.run_rows[kept],
        positions=candidates.positions[kept],
    )
    return chosen, places.astype(np.int64)


def find_candidates(
    candidates: Candidates, rows: NDArray[np.int32], doc_ids: NDArray[np.bytes_]
) -> NDArray[np.int64]:
    """int64[documents]: where each document of a topic (its position) stands, -1 for no candidate.

    Raises ValueError for columns that do not fit together.
    """
    if rows.shape != doc_ids.shape:
        raise ValueError(f"{rows.shape} topics but {doc_ids.shape} documents")
    found = np.full(len(rows), -1, np.int64)
    for row in np.unique(rows).tolist():
        asked, here = np.flatnonzero(rows == row), np.flatnonzero(candidates.topic_rows == row)
        known = candidates.doc_ids[here]  # ascending
        places = np.searchsorted(known, doc_ids[asked])
        is_there = places < len(known)
        is_there[is_there] = known[places[is_there]] == doc_ids[asked[is_there]]
        found[asked[is_there]] = here[places[is_there]]
    return found


def find_outcomes(candidates: Candidates, table: JudgmentTable, *, rel: int) -> NDArray[np.int8]:
    """int8[candidates]: 1 for a grade of `rel` or more, 0 for a lower one, UNJUDGED for none.

    Raises ValueError for a rel below 1.
    """
    if rel < 1:
        raise ValueError(f"rel must be at least 1, not {rel}")
    grades = find_grades(candidates, table)
    return np.where(grades == UNJUDGED, UNJUDGED, grades >= rel).astype(np.int8)


def find_grades(candidates: Candidates, table: JudgmentTable) -> NDArray[np.int8]:
    """int8[candidates]: the grade of each, or UNJUDGED."""
    row_of_topic = np.array([table.row_of.get(t, -1) for t in candidates.topics], np.int32)
    places = find_judgments(
        table,
        rows=row_of_topic[candidates.topic_rows],
        doc_ids=candidates.doc_ids,
        hashes=hash_doc_ids(candidates.doc_ids),
    )
    grades: NDArray[np.int8] = np.append(table.grades, np.int8(UNJUDGED))[places]
    return grades


@dataclass(frozen=True, eq=False)
class _Places:
    """Topic position, document, run and position of each place."""

    rows: NDArray[np.int32]
    doc_ids: NDArray[np.bytes_]
    run_rows: NDArray[np.int32]
    positions: NDArray[np.int32]

    @classmethod
    def of_run(
        cls, run: int, ranking: Ranking, row_of: dict[str, int], depth: int | None
    ) -> "_Places":
        row_of_topic = np.array([row_of.get(topic, -1) for topic in ranking.topics], np.int32)
        rows, positions = np.repeat(row_of_topic, ranking.lengths), ranking.positions
        seen = rows >= 0
        if depth is not None:
            seen &= positions < depth
        run_rows = np.full(int(seen.sum()), run, np.int32)
        return cls(rows[seen], ranking.doc_ids[seen], run_rows, positions[seen])
