"""Documents named twice in a topic: found by 64-bit hashes, verified in full."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.columns import DocIds
from campaigns.trec.fields import WORD, Words
from campaigns.trec.problems import Findings, Problem, shown

MIX = np.uint64(0x9E3779B97F4A7C15)
MAX_WORD = (1 << 64) - 1


def id_words(doc_ids: DocIds) -> Words:
    """Fixed-width ids as words, uint64[rows, words]."""
    return doc_ids.view("<u8").reshape(doc_ids.size, doc_ids.itemsize // WORD)


def repeated_rows(
    topic_index: NDArray[np.int32], doc_ids: DocIds
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that name a document of their topic again, and the row that named it first."""
    hashes = _hashes(topic_index, id_words(doc_ids))
    ordered = np.sort(hashes)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]  # more than once where it stands thrice
    del ordered
    if not twice.size:
        none = np.empty(0, np.intp)
        return none, none
    near = np.minimum(np.searchsorted(twice, hashes), twice.size - 1)
    rows = np.flatnonzero(twice[near] == hashes)
    return _verified(rows, topic_index, id_words(doc_ids))


def _hashes(topic_index: NDArray[np.int32], words: Words) -> Words:
    """Each word times an odd number of its own, added up: enough, as what looks alike is verified.

    Then high bits are mixed into the low ones and the topic comes in.
    """
    hashes = words[:, 0] * MIX
    for k in range(1, words.shape[1]):
        hashes += words[:, k] * np.uint64(int(MIX) * (2 * k + 1) & MAX_WORD)
    hashes ^= hashes >> np.uint64(32)
    hashes += topic_index.astype(np.uint64)
    hashes *= MIX
    return hashes


def _verified(
    rows: NDArray[np.intp], topic_index: NDArray[np.int32], words: Words
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Among rows that hash alike, those that are alike in full."""
    keys = [words[rows, k] for k in range(words.shape[1])]
    keys.append(topic_index[rows].astype(np.uint64))
    rows = rows[np.lexsort(keys)]  # stable: equal rows stay in file order
    same = topic_index[rows][1:] == topic_index[rows][:-1]
    same &= (words[rows[1:]] == words[rows[:-1]]).all(axis=1)
    is_again = np.concatenate([[False], same])
    begins = np.flatnonzero(~is_again)
    first = rows[np.repeat(begins, np.diff(begins, append=rows.size))]
    order = np.argsort(rows[is_again])
    return rows[is_again][order], first[is_again][order]


def note_repeated(
    topic_index: NDArray[np.int32],
    doc_ids: DocIds,
    lines: NDArray[np.int64],
    topics: Sequence[str],
    findings: Findings,
) -> None:
    """A problem for every line that names a document of its topic again, naming both lines."""
    rows, first = repeated_rows(topic_index, doc_ids)

    def describe(k: int) -> Problem:
        row = int(rows[k])
        topic = shown(topics[topic_index[row]])
        message = f"document of topic '{topic}' stands already on line {lines[first[k]]}"
        return Problem("DUP", int(lines[row]), message, 3, shown(doc_ids[row]))

    findings.add_rows(range(rows.size), rows.size, describe)
