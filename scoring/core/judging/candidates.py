"""The documents that runs propose for judging, and what each of them means to which run."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable, find_judgments
from scoring.core.data.ranking import Ranking, hash_doc_ids, id_words, whole_words

_AT_A_TIME = 1 << 18  # places that are sorted, or candidates that are looked up


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
    run_rows: NDArray[np.integer]  # int16 or int32[places], which run
    positions: NDArray[np.integer]  # int16 or int32[places], 0-based position in that run
    names: tuple[str, ...] = ()  # of the runs, for MaxMean, which breaks ties by them

    def __len__(self) -> int:
        return len(self.topic_rows)

    @property
    def nbytes(self) -> int:
        """Of its arrays, without those that are made when they are needed."""
        arrays = (self.topic_rows, self.doc_ids, self.starts, self.run_rows, self.positions)
        return sum(array.nbytes for array in arrays)

    @cached_property
    def by_name(self) -> NDArray[np.int64]:
        """int64[runs]: the place of each run by name, ascending as bytes. Runs of the same name, or
        without any, stand in their own order."""
        names = [name.encode() for name in self.names] or [b""] * self.runs
        places = np.empty(self.runs, np.int64)
        places[sorted(range(self.runs), key=names.__getitem__)] = np.arange(self.runs)
        return places

    @cached_property
    def best_positions(self) -> NDArray[np.integer]:
        """int16 or int32[candidates]: the 0-based position in the run that has it highest."""
        best: NDArray[np.integer] = np.minimum.reduceat(self.positions, self.starts[:-1])
        return best

    @cached_property
    def named(self) -> NDArray[np.integer]:
        """integer[candidates]: rises in the order in which a reader who goes run by run, topic by
        topic and down the ranks meets them."""
        depth = int(self.positions.max(initial=0)) + 1
        named = np.empty(len(self), _smallest_type(self.runs * len(self.topics) * depth))
        for first in range(0, len(self), _AT_A_TIME):
            chosen = np.arange(first, min(first + _AT_A_TIME, len(self)))
            read = self.cells_of(chosen) * depth + self.positions[self.places_of(chosen)]
            starts = self.starts[chosen]
            named[chosen] = np.minimum.reduceat(read, starts - starts[0])
        return named

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """int64[places]: the place's cell in a matrix [runs, topics], row after row."""
        rows = np.repeat(self.topic_rows, np.diff(self.starts))
        return self.run_rows.astype(np.int64) * len(self.topics) + rows

    def cells_of(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[places of the chosen]: `cells` of `places_of(chosen)`, for a few of many."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        rows = np.repeat(self.topic_rows[chosen], lengths)
        return self.run_rows[self.places_of(chosen)].astype(np.int64) * len(self.topics) + rows

    def places_of(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[places of the chosen]: the places of candidates, one candidate after the other."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        # How far the places of each lie from where they go.
        shifts = self.starts[chosen] - (np.cumsum(lengths) - lengths)
        return np.repeat(shifts, lengths) + np.arange(lengths.sum())


def collect_candidates(
    rankings: Iterable[Ranking],
    *,
    topics: Sequence[str],
    depth: int | None = None,
    names: Sequence[str] = (),
) -> Candidates:
    """The candidates of runs, in the campaign's `topics`; a run's other topics are left out.

    Only the first `depth` documents of each topic of a run propose (default: all). What lies
    deeper is then never judged: with persistence p it keeps p^depth of a residual, 2e-10 for the
    first 100 at p = .8. Rankings are read one after the other, and need not all be in memory.
    `names` are those of the runs.

    Raises ValueError without runs, for a depth below 1, for a topic named twice, and for more or
    fewer names than runs, if there are names.

    >>> collect_candidates(rankings, topics=["t1"], depth=1).doc_ids.tolist()
    [b'a', b'b']
    """
    if depth is not None and depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    if len(set(topics)) != len(topics):
        raise ValueError("a topic is named twice")
    codes = sorted(range(len(topics)), key=lambda row: topics[row].encode())
    order = np.array(codes, np.int32)  # of the topics, by code
    proposals = []
    for ranking in rankings:
        proposals.append(_Proposals.of_run(ranking, topics, order, depth))
        del ranking  # before the next one is read
    if not proposals:
        raise ValueError("without runs there are no candidates")
    if names and len(names) != len(proposals):
        raise ValueError(f"{len(proposals)} runs but {len(names)} names")
    lengths = np.array([each.lengths for each in proposals])
    width = max(each.doc_ids.dtype.itemsize for each in proposals)
    # As many candidates as places, if no two runs have a document in common. What is not written to
    # takes no memory.
    places, count, filled = int(lengths.sum()), 0, 0
    topic_rows, doc_ids = np.empty(places, np.int32), np.empty(places, f"S{width}")
    starts = np.zeros(places + 1, np.int64)
    # By far the most memory is that of the places, of which a large campaign has millions.
    run_rows = np.empty(places, _smallest_type(len(proposals)))
    positions = np.empty(places, _smallest_type(int(lengths.max(initial=0))))
    for block in _blocks_of_topics(lengths.sum(axis=0)):
        found = _candidates_of_block(proposals, block, doc_ids.dtype)
        new, filling = slice(count, count + len(found.rows)), slice(filled, filled + found.places)
        topic_rows[new], doc_ids[new] = order[found.rows], found.doc_ids
        starts[new] = filled + found.starts
        run_rows[filling], positions[filling] = found.run_rows, found.positions
        count, filled = new.stop, filling.stop
    starts[count] = filled
    return Candidates(
        topics=tuple(topics),
        runs=len(proposals),
        topic_rows=topic_rows[:count],
        doc_ids=doc_ids[:count],
        starts=starts[: count + 1],
        run_rows=run_rows,
        positions=positions,
        names=tuple(names),
    )


def candidates_of(
    candidates: Candidates, runs: NDArray[np.bool_]
) -> tuple[Candidates, NDArray[np.int64]]:
    """What these runs alone propose, and where each of it stands among all: int64[fewer].

    `runs` are bool[runs]; the runs keep their rows, the others have no place any more. Raises
    ValueError for another number of runs.

    >>> fewer, where = candidates_of(candidates, np.array([False, True]))
    >>> fewer.doc_ids.tolist(), where.tolist()
    ([b'b', b'd'], [1, 3])
    """
    if runs.shape != (candidates.runs,):
        raise ValueError(f"{candidates.runs} runs but a choice of {runs.shape}")
    return _with_places(candidates, runs[candidates.run_rows])


def candidates_to_depth(candidates: Candidates, depth: int) -> tuple[Candidates, NDArray[np.int64]]:
    """What the runs propose among their first `depth` documents of each topic, and where each of it
    stands among all: int64[fewer]. Raises ValueError for a depth below 1.

    >>> fewer, where = candidates_to_depth(candidates, 1)
    >>> fewer.doc_ids.tolist(), where.tolist()
    ([b'a', b'b'], [0, 1])
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    return _with_places(candidates, candidates.positions < depth)


def _with_places(
    candidates: Candidates, kept: NDArray[np.bool_]
) -> tuple[Candidates, NDArray[np.int64]]:
    """The candidates that keep any of their places."""
    # reduceat does not take an empty array.
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
        names=candidates.names,
    )
    return chosen, places.astype(np.int64)


def find_candidates(
    candidates: Candidates, rows: NDArray[np.int32], doc_ids: NDArray[np.bytes_]
) -> NDArray[np.int64]:
    """int64[documents]: where each document of a topic (its position) stands, -1 for no candidate.

    Raises ValueError for columns that do not fit together.

    >>> find_candidates(candidates, np.zeros(2, np.int32), np.array([b"d", b"x"])).tolist()
    [3, -1]
    """
    if rows.shape != doc_ids.shape:
        raise ValueError(f"{rows.shape} topics but {doc_ids.shape} documents")
    found = np.full(len(rows), -1, np.int64)
    for row in np.unique(rows).tolist():
        asked, here = np.flatnonzero(rows == row), np.flatnonzero(candidates.topic_rows == row)
        known = candidates.doc_ids[here]  # ascending
        places = np.searchsorted(known, doc_ids[asked])
        # Ids above the last one have a place after the end, which must not be looked up.
        is_there = places < len(known)
        is_there[is_there] = known[places[is_there]] == doc_ids[asked[is_there]]
        found[asked[is_there]] = here[places[is_there]]
    return found


def find_outcomes(candidates: Candidates, table: JudgmentTable, *, rel: int) -> NDArray[np.int8]:
    """int8[candidates]: 1 for a grade of `rel` or more, 0 for a lower one, UNJUDGED for none.

    Raises ValueError for a rel below 1.

    >>> find_outcomes(candidates, table, rel=1).tolist()
    [1, 0, -1, 1]
    >>> find_outcomes(candidates, table, rel=2).tolist()
    [1, 0, -1, 0]
    """
    if rel < 1:
        raise ValueError(f"rel must be at least 1, not {rel}")
    grades = find_grades(candidates, table)
    outcomes = (grades >= rel).astype(np.int8)
    outcomes[grades == UNJUDGED] = UNJUDGED
    return outcomes


def find_grades(candidates: Candidates, table: JudgmentTable) -> NDArray[np.int8]:
    """int8[candidates]: the grade of each, or UNJUDGED.

    >>> find_grades(candidates, table).tolist()
    [2, 0, -1, 1]
    """
    row_of_topic = np.array([table.row_of.get(t, -1) for t in candidates.topics], np.int32)
    known = np.append(table.grades, np.int8(UNJUDGED))
    grades = np.empty(len(candidates), np.int8)
    for first in range(0, len(candidates), _AT_A_TIME):
        block = slice(first, first + _AT_A_TIME)
        doc_ids = candidates.doc_ids[block]
        places = find_judgments(
            table,
            rows=row_of_topic[candidates.topic_rows[block]],
            doc_ids=doc_ids,
            hashes=hash_doc_ids(doc_ids),
        )
        grades[block] = known[places]
    return grades


@dataclass(frozen=True, eq=False)
class _Proposals:
    """What one run proposes: its documents by topic code, then best first."""

    doc_ids: NDArray[np.bytes_]  # S{w}[documents]
    ends: NDArray[np.int64]  # int64[topics + 1]: those of the t-th topic are ends[t]:ends[t + 1]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[topics]."""
        return np.diff(self.ends)

    @classmethod
    def of_run(
        cls,
        ranking: Ranking,
        topics: Sequence[str],
        order: NDArray[np.int32],
        depth: int | None,
    ) -> "_Proposals":
        row_of = {topic: row for row, topic in enumerate(ranking.topics)}
        rows = np.array([row_of.get(topics[row], -1) for row in order.tolist()], np.int64)
        # Row -1, of a topic that the run lacks, takes the 0 at the end.
        lengths = np.where(rows >= 0, np.append(ranking.lengths, 0)[rows], 0).astype(np.int64)
        if depth is not None:
            lengths = np.minimum(lengths, depth)
        ends = np.append(0, np.cumsum(lengths))
        shifts = ranking.offsets[rows] - ends[:-1]
        taken = np.repeat(shifts, lengths) + np.arange(ends[-1])
        return cls(whole_words(ranking.doc_ids[taken]), ends)


def _blocks_of_topics(places: NDArray[np.int64]) -> Iterator[slice]:
    """Topics with at most _AT_A_TIME of these places together, or one topic; at least one block."""
    before = np.append(0, np.cumsum(places))
    first = 0
    while True:
        last = int(np.searchsorted(before, before[first] + _AT_A_TIME, side="right")) - 1
        last = min(max(last, first + 1), len(places))
        yield slice(first, last)
        if last >= len(places):
            return
        first = last


@dataclass(frozen=True, eq=False)
class _Block:
    """The candidates of some topics. Topics are numbered by code."""

    rows: NDArray[np.int64]  # int64[candidates], which topic
    doc_ids: NDArray[np.bytes_]  # S{w}[candidates]
    starts: NDArray[np.int64]  # int64[candidates], of the places of each
    run_rows: NDArray[np.int64]  # int64[places]
    positions: NDArray[np.int64]  # int64[places]

    @property
    def places(self) -> int:
        return len(self.positions)


def _candidates_of_block(
    proposals: Sequence[_Proposals], block: slice, dtype: np.dtype[np.bytes_]
) -> _Block:
    lengths = np.array([each.lengths[block] for each in proposals])
    doc_ids = np.concatenate(
        [
            each.doc_ids[each.ends[block.start] : each.ends[block.stop]].astype(dtype)
            for each in proposals
        ]
    )
    run_rows = np.repeat(np.arange(len(proposals)), lengths.sum(axis=1))
    lists = lengths.ravel()
    rows = np.repeat(np.tile(np.arange(block.start, block.stop), len(proposals)), lists)
    positions = np.arange(len(rows)) - np.repeat(np.cumsum(lists) - lists, lists)
    # Read as big-endian numbers, words compare as their bytes do. lexsort keeps the runs' order.
    words = id_words(doc_ids).byteswap()
    by_id = np.lexsort((*(words[:, at] for at in reversed(range(words.shape[1]))), rows))
    rows, words = rows[by_id], words[by_id]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows[1:] != rows[:-1]) | (words[1:] != words[:-1]).any(axis=1)
    starts = np.flatnonzero(begins)
    return _Block(rows[starts], doc_ids[by_id[starts]], starts, run_rows[by_id], positions[by_id])


def _smallest_type(count: int) -> type[np.signedinteger[Any]]:
    """For the numbers below `count`."""
    return next(each for each in (np.int16, np.int32, np.int64) if count <= np.iinfo(each).max)
