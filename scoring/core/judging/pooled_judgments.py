"""Which judgments another pool would have given, and the grades of a run under them.

A run's ranking is joined with the qrels once; what is kept is where its judged documents stand.
That is enough to grade it under any choice among the judgments.

The examples share where the documents of the qrels stand in the two runs:

>>> places = [judged_places(ranking, table) for ranking in rankings]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.data.judgments import JudgmentTable, find_judgments
from scoring.core.data.ranking import Ranking

NOWHERE: Final = np.iinfo(np.int32).max  # the position of a document that no run has
TOPICS_SPARED: Final = 0.05  # share of the judged topics on which a pooled document may be missing


@dataclass(frozen=True, eq=False)
class JudgedPlaces:
    """Where the documents that the qrels name stand in one run."""

    lengths: NDArray[np.int32]  # int32[topics of the table], documents of the run
    rows: NDArray[np.int32]  # int32[found], the topic of each
    positions: NDArray[np.int32]  # int32[found], 0-based
    judgments: NDArray[np.int32]  # int32[found], which judgment of the table it is

    @property
    def depth(self) -> int:
        return max(int(self.lengths.max(initial=0)), 1)


def judged_places(ranking: Ranking, table: JudgmentTable) -> JudgedPlaces:
    """Topics that the table lacks are left out. Found by hash, then verified in full.

    The second run has b, judgment 1, before d, judgment 2:

    >>> found = judged_places(rankings[1], table)
    >>> found.positions.tolist(), found.judgments.tolist()
    ([0, 1], [1, 2])
    """
    row_of_topic = np.array([table.row_of.get(topic, -1) for topic in ranking.topics], np.int32)
    lengths = np.zeros(len(table.topics), np.int32)
    known = row_of_topic >= 0
    lengths[row_of_topic[known]] = ranking.lengths[known]
    rows = np.repeat(row_of_topic, ranking.lengths)
    found = find_judgments(table, rows=rows, doc_ids=ranking.doc_ids, hashes=ranking.hashes)
    hits = np.flatnonzero(found >= 0)
    return JudgedPlaces(
        lengths=lengths,
        rows=rows[hits],
        positions=ranking.positions[hits],
        judgments=found[hits].astype(np.int32),
    )


def first_positions(runs: Sequence[JudgedPlaces], judgments: int) -> NDArray[np.int32]:
    """int32[judgments]: the best position that any of these runs gives each document, or NOWHERE.
    A pool of depth k of these runs holds those below k.

    >>> first_positions(places, judgments=3).tolist()
    [0, 0, 1]
    """
    first = np.full(judgments, NOWHERE, np.int32)
    for run in runs:
        np.minimum.at(first, run.judgments, run.positions)
    return first


def complete_depths(runs: Sequence[JudgedPlaces], table: JudgmentTable) -> NDArray[np.int32]:
    """int32[runs]: the largest k such that the qrels name all of the run's first k documents, on
    all judged topics but `TOPICS_SPARED`. A topic on which they name every document of the run
    limits nothing; a run that is named throughout is complete to the end of its longest.

    The qrels do not name c. The second run ends after d.

    >>> complete_depths(places, table).tolist()
    [2, 2]
    """
    return np.array([_complete_depth(run, table) for run in runs], np.int32)


def pool_depth(complete: NDArray[np.int32]) -> int:
    """The depth to which most runs are complete, the smallest of several such; 0 where none is.

    `complete` is what `complete_depths` gives. Most, not all: runs that did not contribute are
    complete to many different depths, and the pooled ones end together.

    >>> pool_depth(np.array([100, 100, 37, 0]))
    100
    """
    depths, counts = np.unique(complete[complete > 0], return_counts=True)
    return int(depths[counts.argmax()]) if len(depths) else 0


def _complete_depth(run: JudgedPlaces, table: JudgmentTable) -> int:
    order = np.lexsort((run.positions, run.rows))
    rows = run.rows[order]
    begin = np.searchsorted(rows, np.arange(len(table.topics)))
    # The k-th document that the qrels name stands at rank k as long as none before it is missing.
    is_leading = run.positions[order] == np.arange(len(rows)) - begin[rows]
    leading = np.bincount(rows[is_leading], minlength=len(table.topics))
    leading, lengths = leading[table.is_judged_topic], run.lengths[table.is_judged_topic]
    depths = np.where(leading == lengths, lengths.max(initial=0), leading)
    return int(np.sort(depths)[int(TOPICS_SPARED * len(depths))]) if len(depths) else 0


def grades_under(
    run: JudgedPlaces, table: JudgmentTable, kept: NDArray[np.bool_]
) -> NDArray[np.int8]:
    """int8[choices, topics, depth]: the grades of a run where only the judgments are known that
    each row of `kept`, bool[choices, judgments], keeps.

    Without the judgment of b:

    >>> grades_under(places[0], table, np.array([[True, False, True]])).tolist()
    [[[2, -1, -1]]]
    """
    is_within = np.arange(run.depth) < run.lengths[:, None]
    nothing = np.where(is_within, np.int8(UNJUDGED), np.int8(PAST_END))
    grades = np.repeat(nothing[None], len(kept), axis=0)
    known = np.where(kept[:, run.judgments], table.grades[run.judgments], np.int8(UNJUDGED))
    grades[:, run.rows, run.positions] = known
    return grades


def counts_under(table: JudgmentTable, kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64[choices, topics, highest_grade + 1]: judged documents per grade, as in
    `JudgmentTable.grade_counts`, of the judgments that each row of `kept` keeps.

    >>> counts_under(table, np.array([[True, False, True]])).tolist()
    [[[0, 1, 1]]]
    """
    shape = (len(table.topics), table.highest_grade + 1)
    cells = table.rows.astype(np.int64) * shape[1] + table.grades
    judged = table.grades >= 0
    counts = [np.bincount(cells[each & judged], minlength=shape[0] * shape[1]) for each in kept]
    return np.array(counts, np.int64).reshape(len(kept), *shape)


def sole_owners(
    runs: Sequence[JudgedPlaces], owner_of: Sequence[int], judgments: int, *, depth: int
) -> NDArray[np.int32]:
    """int32[judgments]: the owner whose runs alone have the document among their first `depth`
    ranks, or -1: nobody's, or that of several. `owner_of` says whose each run is, from 0 on.

    >>> sole_owners(places, [0, 1], judgments=3, depth=2).tolist()  # both have b
    [0, -1, 1]
    """
    owners = np.full(judgments, -1, np.int32)
    is_shared = np.zeros(judgments, np.bool_)
    for run, owner in zip(runs, owner_of, strict=True):
        pooled = run.judgments[run.positions < depth]
        # Remembered apart from the owner, which the next run would overwrite.
        is_shared[pooled] |= (owners[pooled] >= 0) & (owners[pooled] != owner)
        owners[pooled] = owner
    owners[is_shared] = -1
    return owners


@dataclass(frozen=True, eq=False)
class Losses:
    """What is lost with each owner's judgments, one entry for each topic on which one loses any."""

    owners: NDArray[np.int32]  # int32[judgments], as `sole_owners` gives them
    owner: NDArray[np.int32]  # int32[losses]
    row: NDArray[np.int32]  # int32[losses], the topic
    grade_counts: NDArray[np.int64]  # int64[losses, highest_grade + 1], what is left of them


def losses_of(owners: NDArray[np.int32], table: JudgmentTable) -> Losses:
    """`owners` is int32[judgments], as `sole_owners` gives it; only judged documents are lost.

    >>> losses = losses_of(np.array([0, -1, 1], np.int32), table)  # a with grade 2, d with grade 1
    >>> losses.owner.tolist(), losses.grade_counts.tolist()
    ([0, 1], [[1, 1, 0], [1, 0, 1]])
    """
    lost = np.flatnonzero((owners >= 0) & (table.grades >= 0))
    keys = owners[lost].astype(np.int64) * len(table.topics) + table.rows[lost]
    found, at = np.unique(keys, return_inverse=True)
    # Without topics there is no loss, and nothing to divide.
    owner, row = np.divmod(found, max(len(table.topics), 1))
    counts = table.grade_counts[row]
    # `at`, because a loss can have several documents of one grade.
    np.subtract.at(counts, (at, table.grades[lost]), 1)
    return Losses(owners, owner.astype(np.int32), row.astype(np.int32), counts)


def grades_after(run: JudgedPlaces, table: JudgmentTable, losses: Losses) -> NDArray[np.int8]:
    """int8[losses, depth]: the grades of a run on the topic of each loss once it is lost.

    The first run has a, but not d:

    >>> losses = losses_of(np.array([0, -1, 1], np.int32), table)
    >>> grades_after(places[0], table, losses).tolist()
    [[-1, 0, -1], [2, 0, -1]]
    """
    everything = np.ones((1, len(table.grades)), np.bool_)
    grades: NDArray[np.int8] = grades_under(run, table, everything)[0][losses.row]
    entry = np.full((int(losses.owner.max(initial=-1)) + 1, len(table.topics)), -1, np.int64)
    entry[losses.owner, losses.row] = np.arange(len(losses.row))
    owners = losses.owners[run.judgments]
    gone = np.flatnonzero((owners >= 0) & (table.grades[run.judgments] >= 0))
    grades[entry[owners[gone], run.rows[gone]], run.positions[gone]] = UNJUDGED
    return grades
