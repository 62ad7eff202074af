"""The qrels of a campaign, made ready for look-up by topic and document."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from scoring.core.data import compiled
from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE, IN_POOL, UNJUDGED
from scoring.core.data.ranking import hash_doc_ids, id_words, whole_words

_SLOTS_A_JUDGMENT = 4  # at least, so that few documents meet a judgment that is not theirs


@dataclass(frozen=True, eq=False)
class JudgmentTable:
    """Who asks for (topic, document) gets its judgment: a hash table.

    Every topic has slots of its own, side by side as the lines of a run ask for them. The leading
    bits of the hash of a document id say in which of them a judgment is; those of one slot point to
    each other. Hashes can coincide, so `find_judgments` compares the ids as well.
    """

    topics: tuple[str, ...]  # the campaign's topics in position order: rows of every matrix, vector
    highest_grade: int  # of the campaign's scale, a constant
    grade_counts: NDArray[np.int64]  # int64[topics, highest_grade + 1], judged documents per grade
    is_judged_topic: NDArray[np.bool_]  # bool[topics], has at least one non-negative judgment
    rows: NDArray[np.int32]  # int32[judgments], position of the topic, in the order of the file
    doc_ids: NDArray[np.bytes_]  # S{w}[judgments], w a multiple of 8
    grades: NDArray[np.int8]  # int8[judgments], negatives already UNJUDGED
    slots: NDArray[np.int32]  # int32[slots], a judgment of the slot, or -1
    first_slots: NDArray[np.int64]  # int64[topics + 1], of each topic; the last for unknown ones
    shifts: NDArray[np.uint64]  # uint64[topics + 1], what leaves of a hash the bits that count
    next_in_slot: NDArray[np.int32]  # int32[judgments], another one of the same slot, or -1

    @cached_property
    def words(self) -> tuple[NDArray[np.uint64], ...]:
        """The ids word by word, each uint64[judgments]."""
        return tuple(np.ascontiguousarray(word) for word in id_words(self.doc_ids).T)

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """int8[judgments]: the grade, or IN_POOL for a document that nobody judged."""
        return np.where(self.grades == UNJUDGED, np.int8(IN_POOL), self.grades)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """What the compiled aligner asks for."""
        ids = np.ascontiguousarray(id_words(self.doc_ids))
        slots = (self.slots, self.next_in_slot)
        return (self.first_slots, self.shifts, self._in_use, *slots, ids, self.codes)

    @cached_property
    def _in_use(self) -> NDArray[np.uint8]:
        """uint8[slots]: a bit for each eighth of a slot that has a judgment."""
        shifts = self.shifts[self.rows] - np.uint64(3)
        eighths = (hash_doc_ids(self.doc_ids) >> shifts).view(np.int64)
        bits = np.zeros(8 * len(self.slots), np.bool_)
        # Most lines of a run are not judged: the compiled aligner sees that by one bit, and looks
        # at the slot only otherwise.
        bits[8 * self.first_slots[self.rows] + eighths] = True
        return np.packbits(bits, bitorder="little")

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
    judged" and becomes UNJUDGED.

    Raises ValueError, naming topic and document, for a grade above `highest_grade`, for a document
    judged twice in a topic, and for a topic of the qrels that the campaign does not have.

    >>> columns = {"doc_ids": np.array([b"d1", b"d2", b"d3"]), "grades": np.array([2, 0, -1])}
    >>> rows = np.zeros(3, np.int32)
    >>> topics = {"topics": ["t1", "t2"], "qrels_topics": ["t1"], "topic_index": rows}
    >>> build_table(**topics, **columns, highest_grade=2).grade_counts.tolist()
    [[1, 0, 1], [0, 0, 0]]
    """
    _check_columns(topics, qrels_topics, topic_index, doc_ids, grades, highest_grade)
    row_of = {topic: row for row, topic in enumerate(topics)}
    unknown = [topic for topic in qrels_topics if topic not in row_of]
    if unknown:
        raise ValueError(f"the qrels judge topics the campaign does not have: {', '.join(unknown)}")
    rows = np.array([row_of[topic] for topic in qrels_topics], np.int32)[topic_index]
    too_high = np.flatnonzero(grades > highest_grade)
    if len(too_high):
        first = int(too_high[0])
        raise ValueError(
            f"{_name(topics, rows, doc_ids, first)} has grade {int(grades[first])}, "
            f"above the highest grade {highest_grade}"
        )
    judged = grades >= 0
    # Topics and grades are counted together, as cells of a flat matrix.
    scale = highest_grade + 1
    cells = rows[judged].astype(np.int64) * scale + grades[judged]
    counts = np.bincount(cells, minlength=len(topics) * scale)
    grade_counts = counts.astype(np.int64, copy=False).reshape(len(topics), scale)
    doc_ids = whole_words(doc_ids)
    first_slots, shifts = _shares(np.bincount(rows, minlength=len(topics)))
    slot_of = _slot_of(first_slots, shifts, rows, hash_doc_ids(doc_ids))
    slots, next_in_slot = _slots(slot_of, int(first_slots[-1]) + 1)
    table = JudgmentTable(
        topics=tuple(topics),
        highest_grade=highest_grade,
        grade_counts=grade_counts,
        is_judged_topic=grade_counts.sum(axis=1) > 0,
        rows=rows,
        doc_ids=doc_ids,
        grades=np.where(judged, grades, UNJUDGED).astype(np.int8),
        slots=slots,
        first_slots=first_slots,
        shifts=shifts,
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
) -> NDArray[np.int32]:
    """int32[documents]: the index in the table of each (topic position, document), else -1.

    `rows` are positions in the table's topics, -1 for topics that it lacks; `hashes` are
    `hash_doc_ids(doc_ids)`. Found by hash, then verified in full on the bytes; ids may be padded to
    another width than the table's.

    >>> rows, doc_ids = np.zeros(2, np.int32), np.array([b"d3", b"d9"])
    >>> hashes = hash_doc_ids(doc_ids)
    >>> find_judgments(table, rows=rows, doc_ids=doc_ids, hashes=hashes).tolist()
    [1, -1]
    """
    if compiled.align is not None:
        # The C code takes arrays of these types that lie in one piece.
        places = np.empty(len(hashes), np.int32)
        doc_words = np.ascontiguousarray(id_words(doc_ids))
        rows = np.ascontiguousarray(rows, np.int32)
        compiled.align.find(*table.arrays, rows, np.ascontiguousarray(hashes), doc_words, places)
        return places
    places = np.full(len(hashes), -1, np.int32)
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
    """As `find_judgments`, the judged ones alone, in no order: which they are, their indices.

    >>> rows, doc_ids = np.zeros(2, np.int32), np.array([b"d9", b"d3"])
    >>> found = judged_documents(table, rows=rows, doc_ids=doc_ids, hashes=hash_doc_ids(doc_ids))
    >>> [each.tolist() for each in found]
    [[1], [1]]
    """
    first = table.slots.take(_slot_of(table.first_slots, table.shifts, rows, hashes))
    pending = np.flatnonzero(first >= 0)  # which documents are still asked about
    places = first.take(pending).astype(np.int64)
    hits, found = [pending[:0]], [places[:0]]
    # All documents at once, each round with those that are not found yet.
    while len(places):
        is_same = _is_same_document(table, places, doc_ids.take(pending))
        same = np.flatnonzero(is_same)
        hits.append(pending.take(same))
        found.append(places.take(same))
        following = table.next_in_slot.take(places)
        left = np.flatnonzero((following >= 0) > is_same)  # whoever is found asks no further
        pending, places = pending.take(left), following.take(left).astype(np.int64)
    return np.concatenate(hits), np.concatenate(found)


def _is_same_document(
    table: JudgmentTable, places: NDArray[np.int64], doc_ids: NDArray[np.bytes_]
) -> NDArray[np.bool_]:
    same = np.ones(len(places), np.bool_)
    for ours, theirs in zip_longest(table.words, id_words(doc_ids).T):
        if theirs is None:  # what is left of the wider one must be padding
            same &= ours.take(places) == 0
        elif ours is None:
            same &= theirs == 0
        else:
            same &= ours.take(places) == theirs
    return same


def _shares(judgments: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """`first_slots` and `shifts` for this many judgments of each topic: to each a power of two."""
    # The 0 is for topics that the table lacks: one slot, which is empty.
    bits = np.array([(_SLOTS_A_JUDGMENT * n).bit_length() for n in [*judgments.tolist(), 0]])
    ends = np.cumsum(1 << bits)
    return ends - (1 << bits), (64 - bits).astype(np.uint64)


def _slot_of(
    first_slots: NDArray[np.int64],
    shifts: NDArray[np.uint64],
    rows: NDArray[np.int32],
    hashes: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """int64[documents]: where each is, if it is judged. Row -1, of unknown topics, is the last."""
    topic = rows.astype(np.intp)
    # A shift by all 64 bits, of the one slot of a topic without judgments, gives 0.
    slot: NDArray[np.int64] = (hashes >> shifts.take(topic)).view(np.int64)
    slot += first_slots.take(topic)
    return slot


def _slots(slot_of: NDArray[np.int64], size: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    slots = np.full(size, -1, np.int32)
    # By slot: each judgment points to the next of its slot, and the slot to the first of them.
    order = np.argsort(slot_of, kind="stable").astype(np.int32)
    next_in_slot = np.full(len(slot_of), -1, np.int32)
    shared = slot_of[order[1:]] == slot_of[order[:-1]]
    next_in_slot[order[:-1][shared]] = order[1:][shared]
    firsts = order[np.append(True, ~shared)[: len(order)]]
    slots[slot_of[firsts]] = firsts
    return slots, next_in_slot


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
