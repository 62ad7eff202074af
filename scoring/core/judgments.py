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
    """Who asks for (topic, document) gets its judgment: a dictionary with a thumb index.

    The judgments stand in ascending order of a 64-bit key made of topic and document id;
    `thumbs[b]` is the place of the first key whose leading bits are b or more. Keys can coincide,
    so `find_judgments` compares topic and id as well.
    """

    topics: tuple[str, ...]  # the campaign's topics in position order: rows of every matrix, vector
    highest_grade: int  # of the campaign's scale, a constant
    grade_counts: NDArray[np.int64]  # int64[topics, highest_grade + 1], judged documents per grade
    is_judged_topic: NDArray[np.bool_]  # bool[topics], has at least one non-negative judgment
    is_qrels_topic: NDArray[np.bool_]  # bool[topics], occurs in the qrels, if only as unjudged
    keys: NDArray[np.uint64]  # uint64[judgments], ascending
    rows: NDArray[np.int32]  # int32[judgments], position of the topic
    doc_ids: NDArray[np.bytes_]  # S{w}[judgments], w a multiple of 8
    grades: NDArray[np.int8]  # int8[judgments], negatives already UNJUDGED
    thumbs: NDArray[np.int64]  # int64[2^bits + 1]

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
    order = np.argsort(keys, kind="stable")
    table = JudgmentTable(
        topics=tuple(topics),
        highest_grade=highest_grade,
        grade_counts=grade_counts,
        is_judged_topic=grade_counts.sum(axis=1) > 0,
        is_qrels_topic=np.bincount(rows, minlength=len(topics)) > 0,
        keys=keys[order],
        rows=rows[order],
        doc_ids=doc_ids[order],
        grades=np.where(judged, grades, UNJUDGED).astype(np.int8)[order],
        thumbs=_thumbs(keys[order]),
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
    keys = _keys(rows, hashes)
    words = id_words(doc_ids)
    thumb = keys >> _thumb_shift(len(table.thumbs))
    place, end = table.thumbs[thumb], table.thumbs[thumb + np.uint64(1)]
    found = np.full(len(keys), -1, np.int64)
    pending = np.flatnonzero(place < end)
    while len(pending):
        at = place[pending]
        same = table.keys[at] == keys[pending]
        hits = np.flatnonzero(same)
        same[hits] = _is_same_document(table, at[hits], rows[pending[hits]], words[pending[hits]])
        found[pending[same]] = at[same]
        pending = pending[~same]
        place[pending] += 1
        pending = pending[place[pending] < end[pending]]
    return found


def _is_same_document(
    table: JudgmentTable,
    at: NDArray[np.int64],
    rows: NDArray[np.int32],
    words: NDArray[np.uint64],
) -> NDArray[np.bool_]:
    ours = id_words(table.doc_ids[at])
    shared = min(ours.shape[1], words.shape[1])
    same: NDArray[np.bool_] = table.rows[at] == rows
    same &= np.all(ours[:, :shared] == words[:, :shared], axis=1)
    same &= ~ours[:, shared:].any(axis=1)  # what is left of the wider one must be padding
    same &= ~words[:, shared:].any(axis=1)
    return same


def _keys(rows: NDArray[np.int32], hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return hashes + rows.astype(np.uint64) * _ROW_STEP


def _thumbs(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """About two thumbs per judgment, so that a search meets less than one wrong key on average."""
    bits = max(1, (2 * len(keys)).bit_length())
    leading = (keys >> _thumb_shift((1 << bits) + 1)).astype(np.int64)
    thumbs = np.zeros((1 << bits) + 1, np.int64)
    np.cumsum(np.bincount(leading, minlength=1 << bits), out=thumbs[1:])
    return thumbs


def _thumb_shift(thumbs: int) -> np.uint64:
    """What is left of a key after this shift counts thumbs: 64 - bits of 2^bits + 1 thumbs."""
    return np.uint64(65 - (thumbs - 1).bit_length())


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
