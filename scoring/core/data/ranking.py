"""Order, ties and depth of a run: the only place where they are decided.

Documents are ordered by retrieval score, descending, compared in double precision (-0.0 equals
0.0). Equal scores are ordered by document id, descending as bytes: trec_eval's order
(`form_res_rels.c`). The rank column of a run file is unknown here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

WORD = 8  # bytes; document ids are padded with NUL bytes to whole 64-bit words
_GOLDEN = 0x9E3779B97F4A7C15
_LINES_WORTH_A_SORT = 50  # fewer lines a topic are sorted faster all together


@dataclass(frozen=True, eq=False)
class Ranking:
    """One run in rank order, self-contained: it needs neither its file nor any vocabulary.

    The documents of all topics stand one after the other, topic after topic, best first.
    """

    topics: tuple[str, ...]  # the run's own topic order
    lengths: NDArray[np.int32]  # int32[topics], documents kept per topic
    doc_ids: NDArray[np.bytes_]  # S{w}[documents], w a multiple of 8
    hashes: NDArray[np.uint64]  # uint64[documents], hash of the document id alone
    tie_groups: NDArray[np.int32]  # int32[documents], position of the tied group's first document

    def __post_init__(self) -> None:
        documents = int(self.lengths.sum(dtype=np.int64))
        if len(self.topics) != len(self.lengths):
            raise ValueError(f"{len(self.topics)} topics but {len(self.lengths)} lengths")
        for name in ("doc_ids", "hashes", "tie_groups"):
            column = getattr(self, name)
            if column.shape != (documents,):
                raise ValueError(f"{name} has shape {column.shape}, expected ({documents},)")
        if self.doc_ids.dtype.kind != "S" or self.doc_ids.dtype.itemsize % WORD:
            raise ValueError(
                f"doc_ids must be bytes of a width in whole words, not {self.doc_ids.dtype}"
            )

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """int64[topics + 1]: documents offsets[t]:offsets[t + 1] are those of topic t."""
        return _offsets(self.lengths)

    @cached_property
    def positions(self) -> NDArray[np.int32]:
        """int32[documents]: 0-based position of each document within its topic."""
        return _positions(self.lengths)

    @property
    def max_length(self) -> int:
        """Documents of the longest topic, 0 for a run without documents."""
        return int(self.lengths.max(initial=0))

    @property
    def tied_documents(self) -> int:
        """Documents that share their retrieval score with another one of their topic."""
        firsts = np.flatnonzero(self.tie_groups == self.positions)
        sizes = np.diff(firsts, append=len(self.tie_groups))
        return int(sizes[sizes > 1].sum())


def rank(
    *,
    topics: Sequence[str],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    retrieval_scores: NDArray[np.float64],
    max_depth: int | None = None,
) -> Ranking:
    """Order the lines of a run.

    `topic_index`, `doc_ids` and `retrieval_scores` have one entry per line of the run, in any
    order; `topic_index` points into `topics`, which gives the order of the topics. Only the first
    `max_depth` documents of a topic are kept; a tied group across that edge is cut.

    A document occurs at most once per topic: the reader of the file refuses anything else.
    Raises ValueError for columns that do not fit together or a score that is not a number.

    >>> columns = {"topics": ["t1"], "topic_index": np.zeros(3, np.int32)}
    >>> columns |= {"doc_ids": np.array([b"d1", b"d2", b"d3"])}
    >>> found = rank(**columns, retrieval_scores=np.array([1.0, 2.0, 1.0]))
    >>> found.doc_ids.tolist(), found.tie_groups.tolist()
    ([b'd2', b'd3', b'd1'], [0, 1, 1])
    """
    check_columns(topics, topic_index, doc_ids, retrieval_scores, max_depth)
    doc_ids = whole_words(doc_ids)
    order = score_order(topic_index, retrieval_scores)
    if order is not None:
        topic_index, retrieval_scores = topic_index[order], retrieval_scores[order]
        doc_ids = doc_ids[order]
    firsts = np.flatnonzero(begins_group(topic_index, retrieval_scores))
    doc_ids = _order_ties(doc_ids, firsts)
    lengths = np.bincount(topic_index, minlength=len(topics)).astype(np.int32)
    positions = _positions(lengths)
    # Before the cut, so that a group across the edge keeps its first position.
    tie_groups = np.repeat(positions[firsts], np.diff(firsts, append=len(positions)))
    if max_depth is not None and lengths.max(initial=0) > max_depth:
        kept = positions < max_depth
        doc_ids, tie_groups = doc_ids[kept], tie_groups[kept]
        lengths = np.minimum(lengths, np.int32(max_depth))
    return Ranking(tuple(topics), lengths, doc_ids, hash_doc_ids(doc_ids), tie_groups)


def hash_doc_ids(doc_ids: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """uint64[documents]: a hash of each id that does not depend on how wide the ids are padded.

    Each 64-bit word is multiplied by an odd number of its own and the results are added: words of
    padding add nothing. All bytes of an id reach the leading bits, which are those to look up by.
    Hashes only speed a join up; whoever joins by them compares the ids as well.

    >>> bool(hash_doc_ids(np.array([b"d1"])) == hash_doc_ids(np.array([b"d1"], "S24")))
    True
    """
    words = id_words(doc_ids)
    hashes = words[:, 0] * np.uint64(_GOLDEN)
    for column in range(1, words.shape[1]):
        # Odd multipliers are invertible modulo 2^64, so no bit of a word is lost.
        hashes += words[:, column] * np.uint64((_GOLDEN * (2 * column + 1)) & 0xFFFFFFFFFFFFFFFF)
    return hashes


def id_words(doc_ids: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """uint64[documents, words]: the ids as 64-bit words (first byte lowest), a view if it can be.

    Equal ids have equal words; the order of the words is not the order of the ids.

    >>> id_words(np.array([b"A", b"BA"])).tolist()  # A is 65, and 66 + 256 * 65
    [[65], [16706]]
    """
    padded = np.ascontiguousarray(_padded(doc_ids))
    words: NDArray[np.uint64] = padded.view("<u8").reshape(
        len(padded), padded.dtype.itemsize // WORD
    )
    return words.astype(np.uint64, copy=False)


def whole_words(doc_ids: NDArray[np.bytes_]) -> NDArray[np.bytes_]:
    """S{w}[documents]: the same ids, w the smallest multiple of 8 that holds the longest.

    >>> whole_words(np.array([b"document-1"], "S32")).dtype.itemsize  # ten bytes
    16
    """
    padded = _padded(doc_ids)
    words = id_words(padded)
    used = words.shape[1]
    # A column can be wider than its ids, and each word costs time in hashes and comparisons.
    while used > 1 and not words[:, used - 1].any():
        used -= 1
    return padded.astype(f"S{used * WORD}", copy=False)


def _padded(doc_ids: NDArray[np.bytes_]) -> NDArray[np.bytes_]:
    """The same ids, NUL bytes added up to the next whole word."""
    width = max(WORD, -(-doc_ids.dtype.itemsize // WORD) * WORD)
    return doc_ids.astype(f"S{width}", copy=False)


def check_columns(
    topics: Sequence[str],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    retrieval_scores: NDArray[np.float64],
    max_depth: int | None,
) -> None:
    """Raises ValueError for columns that do not fit together; shapes as in `rank`.

    >>> check_columns(["t1"], np.zeros(1, np.int32), np.array([b"d1"]), np.array([np.nan]), None)
    Traceback (most recent call last):
        ...
    ValueError: a retrieval score is not a number
    """
    lines = len(topic_index)
    if (
        topic_index.shape != (lines,)
        or doc_ids.shape != (lines,)
        or retrieval_scores.shape != (lines,)
    ):
        raise ValueError("topic_index, doc_ids and retrieval_scores need one entry per line each")
    if doc_ids.dtype.kind != "S":
        raise ValueError(f"doc_ids must be bytes, not {doc_ids.dtype}")
    if retrieval_scores.dtype != np.float64:
        raise ValueError(f"retrieval scores must be float64, not {retrieval_scores.dtype}")
    if lines and not (topic_index.min() >= 0 and topic_index.max() < len(topics)):
        raise ValueError(f"topic_index points outside the {len(topics)} topics")
    if len(set(topics)) != len(topics):
        raise ValueError("a topic is named twice")
    if np.isnan(retrieval_scores).any():
        raise ValueError("a retrieval score is not a number")
    if max_depth is not None and max_depth < 1:
        raise ValueError(f"max_depth must be at least 1, not {max_depth}")


def score_order(
    topic_index: NDArray[np.int32], retrieval_scores: NDArray[np.float64]
) -> NDArray[np.intp] | None:
    """Lines by topic, then descending score; None where they stand so already, as in most runs.

    >>> score_order(np.array([1, 0, 0], np.int32), np.array([0.5, 0.1, 0.9])).tolist()
    [2, 1, 0]
    >>> score_order(np.array([0, 0, 1], np.int32), np.array([0.9, 0.1, 0.5])) is None
    True
    """
    changes = topic_index[1:] != topic_index[:-1]
    falling = retrieval_scores[1:] <= retrieval_scores[:-1]
    stand_together = bool((topic_index[1:] >= topic_index[:-1]).all())
    if stand_together and bool((changes | falling).all()):
        return None
    keys = -retrieval_scores
    bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), len(keys)]
    if not stand_together or len(bounds) * _LINES_WORTH_A_SORT > len(keys):
        return np.lexsort((keys, topic_index))
    # Sorting each topic by itself takes an eighth of the time. Ties may come in any order.
    parts = [keys[begin:end].argsort() + begin for begin, end in pairwise(bounds)]
    return np.concatenate(parts)


def begins_group(
    topic_index: NDArray[np.int32], retrieval_scores: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """bool[lines]: a group of lines with the same topic and the same score begins here.

    >>> begins_group(np.array([0, 0, 0, 1], np.int32), np.array([0.9, 0.5, 0.5, 0.5])).tolist()
    [True, True, False, True]
    """
    begins = np.ones(len(topic_index), np.bool_)
    np.not_equal(topic_index[1:], topic_index[:-1], out=begins[1:])
    begins[1:] |= retrieval_scores[1:] != retrieval_scores[:-1]
    return begins


def tie_order(doc_ids: NDArray[np.bytes_], groups: NDArray[np.int64]) -> NDArray[np.intp]:
    """What orders documents by group, and within a group by id, descending as bytes.

    `groups` are numbered upwards from 0; no group names a document twice.

    >>> tie_order(np.array([b"d1", b"d2", b"d3"]), np.array([0, 1, 1])).tolist()
    [0, 2, 1]
    """
    keys = tie_keys(doc_ids, groups)
    if keys is not None:
        return np.argsort(keys, kind="stable")  # makes use of groups that stand in order
    # Read as big-endian numbers, words compare as their bytes do; inverted, they sort descending.
    words = id_words(doc_ids).byteswap()
    return np.lexsort((*(~words[:, column] for column in reversed(range(words.shape[1]))), groups))


def tie_keys(
    doc_ids: NDArray[np.bytes_], groups: NDArray[np.integer], *, spare_bits: int = 0
) -> NDArray[np.uint64] | None:
    """uint64[documents]: keys that stand in tie order, made of the group and, from each word of the
    ids, the bits between the first and the last that are not alike in all of them; below them are
    `spare_bits` zeros. None where they are more than a word holds.

    >>> tie_keys(np.array([b"d1", b"d2", b"d3"]), np.array([0, 1, 1])).argsort().tolist()
    [0, 2, 1]
    >>> tie_keys(np.array([b"a" * 16, b"z" * 16]), np.array([0, 0])) is None  # 61 bits of each word
    True
    """
    keys = groups.astype(np.uint64)
    bits = int(groups.max(initial=0)).bit_length() + spare_bits
    for word in id_words(doc_ids).T:
        # Read as big-endian numbers, words compare as their bytes do; inverted, they descend.
        number = ~word.byteswap()
        varying = int(np.bitwise_or.reduce(number) ^ np.bitwise_and.reduce(number))
        if not varying:
            continue
        lowest = (varying & -varying).bit_length() - 1
        width = varying.bit_length() - lowest
        bits += width
        if bits > 64:
            return None
        keys <<= np.uint64(width)
        number >>= np.uint64(lowest)
        number &= np.uint64((1 << width) - 1)
        keys |= number
    keys <<= np.uint64(spare_bits)
    return keys


def _order_ties(doc_ids: NDArray[np.bytes_], firsts: NDArray[np.intp]) -> NDArray[np.bytes_]:
    """The ids with every group of equal scores in tie order."""
    sizes = np.diff(firsts, append=len(doc_ids))
    shared = sizes > 1
    tied = np.flatnonzero(np.repeat(shared, sizes))
    if not len(tied):
        return doc_ids
    # Numbered upwards, as `tie_order` wants them: low numbers leave its keys more bits.
    groups = np.repeat(np.arange(np.count_nonzero(shared)), sizes[shared])
    ordered = doc_ids.copy()
    ordered[tied] = doc_ids[tied[tie_order(doc_ids[tied], groups)]]
    return ordered


def _offsets(lengths: NDArray[np.int32]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _positions(lengths: NDArray[np.int32]) -> NDArray[np.int32]:
    starts = _offsets(lengths)
    count = np.arange(starts[-1], dtype=np.int32)
    return count - np.repeat(starts[:-1].astype(np.int32), lengths)
