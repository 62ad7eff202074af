"""Documents named twice in a topic: found by 64-bit hashes, verified in full."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from campaigns.trec import scanner
from campaigns.trec.columns import DocIds
from campaigns.trec.fields import WORD, Words
from campaigns.trec.problems import Problem, ProblemList, shown

MIX = np.uint64(0x9E3779B97F4A7C15)
MAX_WORD = (1 << 64) - 1
PART_ROWS = 1_000_000


def id_words(doc_ids: DocIds) -> Words:
    """Fixed-width ids as words, uint64[rows, words]."""
    return doc_ids.view("<u8").reshape(doc_ids.size, doc_ids.itemsize // WORD)


def repeated_rows(
    topic_index: NDArray[np.int32], doc_ids: DocIds
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that name a document of their topic again, and the row that named it first.

    Topics that stand one after the other are looked at some at a time: what is needed for it is as
    large as that part, however long the run.
    """
    words = id_words(doc_ids)
    pairs = scanner.repeated_rows(topic_index, words)
    if pairs is not None:
        return pairs[:, 0], pairs[:, 1]
    found = []
    for part in _parts(topic_index):
        again, first = _repeated(topic_index[part], words[part])
        found.append((again + part.start, first + part.start))
    return np.concatenate([a for a, _ in found]), np.concatenate([f for _, f in found])


def _parts(topic_index: NDArray[np.int32]) -> list[slice]:
    """Slices of whole topics, of `PART_ROWS` or a topic more; one of all rows where the topics do
    not stand together."""
    size = topic_index.size
    if size <= PART_ROWS or (topic_index[1:] < topic_index[:-1]).any():
        return [slice(0, size)]
    bounds = [0]
    while size - bounds[-1] > PART_ROWS:
        last_topic = topic_index[bounds[-1] + PART_ROWS]
        bounds.append(int(np.searchsorted(topic_index, last_topic, side="right")))
    return [slice(a, b) for a, b in pairwise([*bounds, size]) if b > a]


def _repeated(
    topic_index: NDArray[np.int32], words: Words
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The same for one part: equal hashes are neighbours in sorted order."""
    hashes = _hashes(topic_index, words)
    order = np.argsort(hashes)
    alike = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    candidates = np.unique(np.concatenate([order[alike], order[alike + 1]]))
    return _verified(candidates, topic_index, words)


def _hashes(topic_index: NDArray[np.int32], words: Words) -> Words:
    """The topic and each word, multiplied by different odd numbers and added up."""
    hashes = topic_index.astype(np.uint64)
    for k in range(words.shape[1]):
        hashes += words[:, k] * np.uint64(int(MIX) * (2 * k + 1) & MAX_WORD)
    return hashes


def _verified(
    rows: NDArray[np.intp], topic_index: NDArray[np.int32], words: Words
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Those of the rows that are the same in full as one before."""
    keys = [words[rows, k] for k in range(words.shape[1])]
    keys.append(topic_index[rows].astype(np.uint64))
    rows = rows[np.lexsort(keys)]  # stable: equal rows stay in file order
    same = topic_index[rows][1:] == topic_index[rows][:-1]
    same &= (words[rows[1:]] == words[rows[:-1]]).all(axis=1)
    is_again = np.zeros(rows.size, np.bool_)
    is_again[1:] = same
    begins = np.flatnonzero(~is_again)
    first = rows[np.repeat(begins, np.diff(begins, append=rows.size))]
    order = np.argsort(rows[is_again])
    return rows[is_again][order], first[is_again][order]


def note_repeated(
    topic_index: NDArray[np.int32],
    doc_ids: DocIds,
    lines: NDArray[np.uint32],
    topics: Sequence[str],
    findings: ProblemList,
) -> None:
    """A problem for every line that names a document of its topic again, naming both lines."""
    rows, first = repeated_rows(topic_index, doc_ids)

    def describe(k: int) -> Problem:
        row = int(rows[k])
        topic = shown(topics[topic_index[row]])
        message = f"document of topic '{topic}' is already on line {lines[first[k]]}"
        return Problem("DUP", int(lines[row]), message, 3, shown(doc_ids[row]))

    findings.add_rows(range(rows.size), rows.size, describe)
