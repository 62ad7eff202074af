"""The compiled scanner (`_scan.c`), or None where it was not built: Python does the same work."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import Block
from campaigns.trec.columns import Rows

scan: ModuleType | None = None
if not os.environ.get("TRACKSIDE_PURE_PYTHON"):
    with suppress(ImportError):  # no compiler when this was installed
        from campaigns.trec import _scan

        scan = _scan


@dataclass(frozen=True)
class ScannedLines:
    """The columns of a block of regular lines. `literals` has one entry for each head of `rows`."""

    rows: Rows
    literals: list[bytes]  # field 2
    tag: bytes  # b"" for qrels
    numbers: NDArray[np.int32]  # ranks or grades
    scores: NDArray[np.float64]  # none for qrels
    carriage_returns: int  # lines that end in CR LF


def scan_run(block: Block) -> ScannedLines | None:
    """The lines of the block as columns.

    None if a line needs an error or a warning, or if the scanner was not compiled. The Python
    reader then reads the block, so that all messages have one implementation.
    """
    return None if scan is None else _columns(block, scan.scan_run(block.text))


def scan_qrels(block: Block) -> ScannedLines | None:
    """The same for qrels."""
    return None if scan is None else _columns(block, scan.scan_qrels(block.text))


def _columns(block: Block, scanned: tuple[Any, ...] | None) -> ScannedLines | None:
    if scanned is None:
        return None
    heads, topics, literals, tag, ids, words, numbers, scores, carriage_returns = scanned
    # Four bytes for each line: the scanner returns columns as bytes.
    block.line_count = len(numbers) // 4  # spares counting them
    rows = Rows(
        np.arange(block.first_line, block.first_line + block.line_count, dtype=np.uint32),
        np.frombuffer(heads, np.int64),
        topics,
        np.frombuffer(ids, "<u8").reshape(-1, words),
    )
    columns = np.frombuffer(numbers, np.int32), np.frombuffer(scores, np.float64)
    return ScannedLines(rows, literals, tag, *columns, carriage_returns)
