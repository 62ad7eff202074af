"""The qrels of a campaign, made ready for look-up by topic and document."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.grades import HIGHEST_POSSIBLE_GRADE, UNJUDGED
from scoring.core.ranking import hash_doc_ids, id_words, whole_words

_ROW_STEP = np.uint64(
    0x9E3779B97F4A7C15
)  # odd, so that one document has a key of its own per topic


@dataclass(frozen=True, eq=False)
class JudgmentTable:
    """Who asks for (topic, document) gets its judgment: a hash table.

    The leading bits of a 64-bit key made of topic and document id say in which slot a judgment is;
    those of one slot point to each other. Keys can coincide, so `find_judgments` compares topic and
    id as well.
    """

    topics: tuple[str, ...]  # the campaign's topics in position order: rows of every matrix, vector
    highest_grade: int  # of the campaign's scale, a constant
    grade_counts: NDArray[np.int64]  # int64[topics, highest_grade + 1], judged documents per grade
    is_judged_topic: NDArray[np.bool_]  # bool[topics], has at least one non-negative judgment
    is_qrels_topic: NDArray[np.bool_]  # bool[topics], occurs in the qrels, if only as unjudged
    keys: NDArray[np.uint64]  # uint64[judgments], in the order of the file as what follows
    rows: NDArray[np.int32]  # int32[judgments], position of the topic
    doc_ids: NDArray[np.bytes_]  # S{w}[judgments], w a multiple of 8
    grades: NDArray[np.int8]  # int8[judgments], negatives already UNJUDGED
    slots: NDArray[np.int32]  # int32[2^bits], a judgment of the slot, or -1
    next_in_slot: NDArray[np.int32]  # int32[judgments], another one of the same slot, or -1

    @cached_property
    def words(self) -> tuple[NDArray[np.uint64], ...]:
        """The ids word by word, each uint64[judgments]."""
        return tuple(np.ascontiguousarray(word) for word in id_words(self.doc_ids).T)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Position of each topic."""
        return {topic: row for row, topic in enumerate(self.topics)}


def build_table(
    *,
    topics: Sequence[str],
    qrels_topics: Sequence[str],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    grades: NDArray[np.integer],
    highest_grade: int,
) -> JudgmentTable:
    """Make the table of one qrels version.

    `topics` are the campaign's, in position order; `topic_index` (one entry per judgment, as
    `doc_ids` and `grades`) points into `qrels_topics`. A negative grade means "in the pool, not
    judged" and becomes UNJUDGED (measures.md section 1).

    Raises ValueError, naming topic and document, for a grade above `highest_grade`, for a document
    judged twice in a topic, and for a topic of the qrels that the campaign does not have.
    """
    _check_columns(topics, qrels_topics, topic_index, doc_ids, grades, highest_grade)
    rows = _rows_of(topics, qrels_topics)[topic_index]
    too_high = np.flatnonzero(grades > highest_grade)
    if len(too_high):
        first = int(too_high[0])
        raise ValueError(
            f"{_name(topics, rows, doc_ids, first)} has grade {int(grades[first])}, "
            f"above the highest grade {highest_grade}"
        )
    judged = grades >= 0
    grade_counts = _grade_counts(rows[judged], grades[judged], len(topics), highest_grade)
    doc_ids = whole_words(doc_ids)
    keys = _keys(rows, hash_doc_ids(doc_ids))
    slots, next_in_slot = _slots(keys)
    table = JudgmentTable(
        topics=tuple(topics),
        highest_grade=highest_grade,
        grade_counts=grade_counts,
        is_judged_topic=grade_counts.sum(axis=1) > 0,
        is_qrels_topic=np.bincount(rows, minlength=len(topics)) > 0,
        keys=keys,
        rows=rows,
        doc_ids=doc_ids,
        grades=np.where(judged, grades, UNJUDGED).astype(np.int8),
        slots=slots,
        next_in_slot=next_in_slot,
    )
    _refuse_duplicates(table)
    return table


def find_judgments(
    table: JudgmentTable,
    *,
    rows: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    hashes: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """int64[documents]: the index in the table of each (topic position, document), else -1.

    `hashes` are `hash_doc_ids(doc_ids)`. Found by hash, then verified in full on the bytes; ids
    may be padded to another width than the table's.
    """
    places = np.full(len(hashes), -1, np.int64)
    hits, found = judged_documents(table, rows=rows, doc_ids=doc_ids, hashes=hashes)
    places[hits] = found
    return places


def judged_documents(
    table: JudgmentTable,
    *,
    rows: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    hashes: NDArray[np.uint64],
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """As `find_judgments`, the judged ones alone, in no order: which they are, their indices."""
    keys = _keys(rows, hashes)
    place = table.slots[keys >> _shift(len(table.slots))]
    pending = np.flatnonzero(place >= 0)
    keys, place = keys[pending], place[pending]
    hits, found = [pending[:0]], [place[:0]]
    while len(pending):
        same = np.flatnonzero(table.keys[place] == keys)
        asked = pending[same]
        same = same[_is_same_document(table, place[same], rows[asked], id_words(doc_ids[asked]))]
        hits.append(pending[same])
        found.append(place[same])
        place = table.next_in_slot[place]
        place[same] = -1  # no further search
        left = np.flatnonzero(place >= 0)
        pending, keys, place = pending[left], keys[left], place[left]
    return np.concatenate(hits), np.concatenate(found)


def _is_same_document(
    table: JudgmentTable,
    at: NDArray[np.int64],
    rows: NDArray[np.int32],
    words: NDArray[np.uint64],
) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = table.rows[at] == rows
    ours = table.words
    for column in range(max(len(ours), words.shape[1])):
        if column >= words.shape[1]:  # what is left of the wider one must be padding
            same &= ours[column][at] == 0
        elif column >= len(ours):
            same &= words[:, column] == 0
        else:
            same &= ours[column][at] == words[:, column]
    return same


def _keys(rows: NDArray[np.int32], hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return hashes + rows.astype(np.uint64) * _ROW_STEP


def _slots(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """At least four slots a judgment, so that few documents meet a judgment that is not theirs."""
    slots = np.full(1 << max(1, (4 * len(keys)).bit_length()), -1, np.int32)
    slot = keys >> _shift(len(slots))
    order = np.argsort(slot, kind="stable").astype(np.int32)
    next_in_slot = np.full(len(keys), -1, np.int32)
    shared = slot[order[1:]] == slot[order[:-1]]
    next_in_slot[order[:-1][shared]] = order[1:][shared]
    firsts = order[np.append(True, ~shared)[: len(order)]]
    slots[slot[firsts]] = firsts
    return slots, next_in_slot


def _shift(size: int) -> np.uint64:
    """What leaves of a key the leading bits that count up to `size`, a power of two."""
    return np.uint64(65 - size.bit_length())


def _grade_counts(
    rows: NDArray[np.int32], grades: NDArray[np.integer], topics: int, highest_grade: int
) -> NDArray[np.int64]:
    cells = rows.astype(np.int64) * (highest_grade + 1) + grades
    counts = np.bincount(cells, minlength=topics * (highest_grade + 1))
    return counts.astype(np.int64, copy=False).reshape(topics, highest_grade + 1)


def _rows_of(topics: Sequence[str], qrels_topics: Sequence[str]) -> NDArray[np.int32]:
    row_of = {topic: row for row, topic in enumerate(topics)}
    unknown = [topic for topic in qrels_topics if topic not in row_of]
    if unknown:
        raise ValueError(f"the qrels judge topics the campaign does not have: {', '.join(unknown)}")
    return np.array([row_of[topic] for topic in qrels_topics], np.int32)


def _refuse_duplicates(table: JudgmentTable) -> None:
    """The qrels hold a document twice in a topic: its own search finds another place."""
    place = find_judgments(
        table, rows=table.rows, doc_ids=table.doc_ids, hashes=hash_doc_ids(table.doc_ids)
    )
    twice = np.flatnonzero(place != np.arange(len(place)))
    if len(twice):
        named = _name(table.topics, table.rows, table.doc_ids, int(twice[0]))
        raise ValueError(f"{named} is judged twice")


def _name(
    topics: Sequence[str], rows: NDArray[np.int32], doc_ids: NDArray[np.bytes_], at: int
) -> str:
    doc_id: bytes = doc_ids[at]
    return f"topic {topics[rows[at]]}, document {doc_id.decode('utf-8', 'backslashreplace')}"


def _check_columns(
    topics: Sequence[str],
    qrels_topics: Sequence[str],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    grades: NDArray[np.integer],
    highest_grade: int,
) -> None:
    lines = len(topic_index)
    if topic_index.shape != (lines,) or doc_ids.shape != (lines,) or grades.shape != (lines,):
        raise ValueError("topic_index, doc_ids and grades need one entry per judgment each")
    if doc_ids.dtype.kind != "S" or grades.dtype.kind != "i":
        raise ValueError(f"doc_ids must be bytes and grades signed integers, not {grades.dtype}")
    if not 1 <= highest_grade <= HIGHEST_POSSIBLE_GRADE:
        raise ValueError(f"the highest grade must lie in 1..{HIGHEST_POSSIBLE_GRADE}")
    if len(set(topics)) != len(topics) or len(set(qrels_topics)) != len(qrels_topics):
        raise ValueError("a topic is named twice")
    if lines and not (topic_index.min() >= 0 and topic_index.max() < len(qrels_topics)):
        raise ValueError(f"topic_index points outside the {len(qrels_topics)} topics of the qrels")
