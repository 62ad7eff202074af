"""Whole lines of text in blocks of about 4 MiB, and the checks for clean text.

Positions are byte offsets into `Block.data`. Blanks pad it on both sides, so that readers can load
eight bytes from any position in a line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.compression import BOM, WIDE_BOMS, in_time, plain_blocks
from campaigns.trec.problems import Problem, ProblemList, latin_1_hint, refuse, shown

LINE_BYTES = 64 << 10  # longer lines are refused before they are read to the end
PAD = b" " * 64
TAB, LF, VT, FF, CR, SPACE, DEL = 9, 10, 11, 12, 13, 32, 127
CTRL_Z = b"\x1a"
UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # beyond ASCII: controls, formats, blanks
BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs without ink


@dataclass
class Block:
    """Some whole lines, each ended by LF."""

    text: bytes
    first_line: int  # physical number of the first line

    @cached_property
    def data(self) -> NDArray[np.uint8]:
        """The text between two pads of blanks."""
        return np.frombuffer(b"".join((PAD, self.text, PAD)), np.uint8)

    @cached_property
    def refused(self) -> NDArray[np.bool_]:
        """bool[lines]: lines that already have a problem."""
        return np.zeros(self.line_count, np.bool_)

    @cached_property
    def unseen(self) -> NDArray[np.bool_]:
        """bool[lines]: lines with an invisible character."""
        return np.zeros(self.line_count, np.bool_)

    @cached_property
    def is_blank(self) -> NDArray[np.bool_]:
        """bool[bytes]: the bytes that separate fields."""
        return self.data <= SPACE

    @cached_property
    def line_count(self) -> int:
        """The number of lines."""
        return int(np.count_nonzero(self.data == LF))

    @cached_property
    def line_feeds(self) -> NDArray[np.intp]:
        """intp[lines]: where each line ends."""
        return np.flatnonzero(self.data == LF)

    def line_starts(self) -> NDArray[np.intp]:
        """Where each line begins."""
        starts = np.empty_like(self.line_feeds)
        starts[0] = len(PAD)
        starts[1:] = self.line_feeds[:-1] + 1
        return starts

    def line_text(self, index: int) -> bytes:
        """The bytes of one line of the block, without its LF."""
        start = len(PAD) if index == 0 else int(self.line_feeds[index - 1]) + 1
        return self.data[start : self.line_feeds[index]].tobytes()

    def refuse_long_line(self) -> None:
        """Raises FormatError if a line is longer than `LINE_BYTES`."""
        lengths = self.line_feeds - self.line_starts()
        if lengths.max() <= LINE_BYTES:
            return
        index = int(np.argmax(lengths > LINE_BYTES))
        line = self.first_line + index
        if line == 1 and CR in self.data[: self.line_feeds[0]]:
            refuse("LINES_CR", "lines end in CR alone: save the file with LF line ends", 1)
        refuse("LINE_TOO_LONG", f"the line is longer than {LINE_BYTES:,} bytes", line)


def read_blocks(
    source: BinaryIO | bytes,
    findings: ProblemList,
    *,
    max_bytes: int = 1 << 30,
    max_seconds: float | None = None,
    convert: Callable[[Iterator[bytes], ProblemList], Iterator[bytes]] | None = None,
) -> Iterator[Block]:
    """Yield the lines of a plain or gzipped text file, not yet checked by `examine`.

    `convert` makes TREC's lines of other layouts (`layouts`). Raises FormatError at EMPTY, ENCODING
    (by the first bytes) and the refusals of `plain_blocks`.
    """
    keep_freed_memory()
    first_line = 1
    plain = plain_blocks(source, max_bytes=max_bytes, max_seconds=max_seconds)
    plain = in_time(convert(plain, findings), max_seconds) if convert else plain
    for text in _whole_lines(plain, findings):
        if first_line == 1:
            if text.startswith(WIDE_BOMS):
                refuse("ENCODING", "the file is UTF-16 or UTF-32: save it as UTF-8", 1)
            if text.startswith(BOM):
                message = "the byte order mark at the start of the file was removed"
                findings.warn("BOM", message, line=1)
            text = text.removeprefix(BOM)
        block = Block(text, first_line)
        yield block
        first_line += block.line_count
    if first_line == 1:
        refuse("EMPTY", "the file is empty")


def _whole_lines(pieces: Iterator[bytes], findings: ProblemList) -> Iterator[bytes]:
    """Cut at the last LF of each piece. Stops after a line that is too long."""
    carry = b""
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if cut:
            whole = cut == len(piece) and not carry  # most files are one piece: spare a copy
            yield piece if whole else b"".join((carry, memoryview(piece)[:cut]))
            carry = piece[cut:]
        else:
            # A piece without LF: the line goes on, and is bounded below.
            carry += piece
        if len(carry) > LINE_BYTES:
            break
    # DOS and CP/M ended a text with Ctrl-Z, and some tools still do.
    rest = carry.rstrip(CTRL_Z)
    if len(rest) < len(carry):
        findings.warn("CTRL_Z", "the Ctrl-Z at the end of the file was removed")
    if rest:
        yield rest + b"\n"


def examine(block: Block, findings: ProblemList) -> None:
    """Find bytes that are not clean text. Problems of single lines go to `findings`, and the lines
    are marked.

    Raises FormatError for a file that cannot be read further: ENCODING, NUL, LINES_CR and
    LINE_TOO_LONG.
    """
    data = block.data
    if data.min() == 0:
        nuls = np.flatnonzero(data == 0)
        position = int(nuls[0])
        line, byte = _line(block, position), position - _begin(block, position) + 1
        # Latin text in UTF-16 is half NUL; padding and binary data are not.
        is_wide = 0.4 < nuls.size / (data.size - 2 * len(PAD)) < 0.6
        hint = ": this looks like UTF-16, save it as UTF-8" if is_wide else ""
        refuse("NUL", f"NUL at byte {byte} of the line{hint}", line)
    block.refuse_long_line()
    # Most blocks are ASCII with no other control characters than tabs and line feeds: counting
    # shows that faster than a look at each kind.
    usual = np.count_nonzero(data == SPACE) + np.count_nonzero(data == TAB) + block.line_count
    if np.count_nonzero(block.is_blank) == usual and data.max() < DEL:
        return
    if data.max() > DEL:
        _mark_unseen(block, findings)
    is_cr = data == CR
    stray = np.flatnonzero(is_cr[:-1] & (data[1:] != LF))
    # One line, and CR in it: the only LF is the last, which the reader adds if it is missing.
    if stray.size and block.first_line == 1 and block.line_count == 1:
        refuse("LINES_CR", "lines end in CR alone: save the file with LF line ends", 1)
    warn_carriage_returns(int(np.count_nonzero(is_cr)) - stray.size, findings)
    form = np.flatnonzero((data == VT) | (data == FF))
    if form.size:
        line = _line(block, int(form[0]))
        findings.warn("VT_FF", "vertical tab or form feed, read as a space", line=line)
    control = np.flatnonzero(((data < SPACE) & ((data < TAB) | (data > CR))) | (data == DEL))
    _note_bytes(block, stray, findings, "STRAY_CR", "CR inside the line")
    _note_bytes(block, control, findings, "CTRL", "control character")


def warn_carriage_returns(count: int, findings: ProblemList) -> None:
    """Warn of lines that end in CR LF, if there are any."""
    if count:
        findings.warn("CRLF", "{n} {line ends|lines end} in CR LF, read as LF", count=count)


def _line(block: Block, position: int) -> int:
    return block.first_line + int(np.searchsorted(block.line_feeds, position))


def _begin(block: Block, position: int) -> int:
    """Where the line of a byte begins."""
    return int(block.line_starts()[np.searchsorted(block.line_feeds, position)])


def _around(block: Block, position: int) -> str:
    """A byte and its neighbours in the line, for an error message."""
    begin = max(_begin(block, position), position - 8)
    return shown(block.data[begin : position + 8].tobytes().partition(b"\n")[0])


def _unseen_characters(text: str) -> set[str]:
    """The characters beyond ASCII that are invisible, blank or controls."""
    return {
        char
        for char in set(text)
        if not char.isascii() and (unicodedata.category(char) in UNSEEN or char in BLANK_LETTERS)
    }


def unseen_name(text: bytes) -> str:
    """The first invisible character of a UTF-8 text, by number and name; "" if it has none."""
    characters = text.decode()
    unseen = _unseen_characters(characters)
    if not unseen:
        return ""
    char = min(unseen, key=characters.index)
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


def _mark_unseen(block: Block, findings: ProblemList) -> None:
    """Raises FormatError: ENCODING, for bytes that are not UTF-8."""
    raw = block.data.tobytes()
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        byte = error.start - _begin(block, error.start) + 1
        hint = latin_1_hint(raw[error.start])
        message = f"byte {byte} of the line (0x{raw[error.start]:02X}) is not UTF-8{hint}"
        refuse("ENCODING", message, _line(block, error.start), _around(block, error.start))
    if not unicodedata.is_normalized("NFC", text):
        lines = enumerate(text.split("\n"), block.first_line)
        first = next(n for n, line in lines if not unicodedata.is_normalized("NFC", line))
        findings.warn(
            "NOT_NFC", "the text is not in Unicode normal form C and stays unchanged", line=first
        )
    unseen = _unseen_characters(text)
    if unseen:
        for index, line in enumerate(text.split("\n")[: block.line_count]):
            block.unseen[index] = not unseen.isdisjoint(line)


def _note_bytes(
    block: Block,
    positions: NDArray[np.intp],
    findings: ProblemList,
    code: str,
    message: str,
) -> None:
    """One problem for each line with a byte that is not allowed. The line is marked as refused."""
    # Positions ascend, so the first index is that of the first byte in the line.
    lines, first = np.unique(np.searchsorted(block.line_feeds, positions), return_index=True)
    fresh = ~block.refused[lines]
    lines, first = lines[fresh], positions[first[fresh]]
    block.refused[lines] = True

    def describe(k: int) -> Problem:
        # Described only when it is shown: a file can have a million such lines.
        position = int(first[k])
        byte = position - _begin(block, position) + 1
        text = f"{message} 0x{block.data[position]:02X} at byte {byte}"
        line = block.first_line + int(lines[k])
        return Problem(code, line, text, None, _around(block, position))

    findings.add_rows(range(lines.size), lines.size, describe)


def keep_freed_memory() -> None:
    """Let the C library of Linux keep freed arrays of up to 32 MiB for the next ones.

    It returns large blocks to the system, so that each new array costs page faults: a sixth of the
    time to read a run. What counts as large is raised by freeing a large block. Elsewhere this has
    no effect. The memory is never touched.
    """
    np.empty((32 << 20) - (1 << 16), np.uint8)
