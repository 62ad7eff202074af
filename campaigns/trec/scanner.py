"""The compiled scanner of runs (`_scan.c`), where it was built: columns of lines that are regular.

It judges nothing. Where a block of lines has anything that deserves an error or a warning, it
returns None, and the reader in Python reads the block: all messages have one implementation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.trec import compiled
from campaigns.trec.blocks import PAD, Block
from campaigns.trec.records import Rows


@dataclass(frozen=True)
class ScannedRun:
    """A block of a run. One entry for each line, except `literals`: one for each head of `rows`."""

    rows: Rows
    literals: list[bytes]  # field 2
    tag: bytes
    ranks: NDArray[np.int32]
    scores: NDArray[np.float64]
    carriage_returns: int  # lines that end in CR LF


def scan_run(block: Block) -> ScannedRun | None:
    """The lines of the block; None if one is irregular or nothing was compiled."""
    if compiled.scan is None:
        return None
    scanned = compiled.scan.scan_run(block.data, len(PAD), block.data.size - len(PAD))
    if scanned is None:
        return None
    heads, topics, literals, tag, ids, words, ranks, scores, carriage_returns = scanned
    block.line_count = len(scores) // 8  # spares counting them
    rows = Rows(
        np.arange(block.first_line, block.first_line + block.line_count),
        np.frombuffer(heads, np.int64),
        topics,
        np.frombuffer(ids, "<u8").reshape(-1, words),
    )
    return ScannedRun(
        rows,
        literals,
        tag,
        np.frombuffer(ranks, np.int32),
        np.frombuffer(scores, np.float64),
        carriage_returns,
    )


def repeated_rows(
    topic_index: NDArray[np.int32], ids: NDArray[np.uint64]
) -> NDArray[np.int64] | None:
    """int64[pairs, 2]: rows that name a document of their topic again, and the row that named it
    first. None if nothing was compiled, or if the ids were made so that hashing them is slow."""
    if compiled.scan is None:
        return None
    pairs = compiled.scan.repeated_rows(topic_index, ids, ids.shape[1])
    return None if pairs is None else np.frombuffer(pairs, np.int64).reshape(-1, 2)
