"""The compiled scanner: what it takes, what it leaves to Python, and that both read the same."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from campaigns.trec import compiled, records
from campaigns.trec.blocks import Block
from campaigns.trec.qrels import read_qrels
from campaigns.trec.records import MIX
from tests.campaigns.trec.fuzz import compare_readers, mutants, qrels_samples, samples

pytestmark = pytest.mark.skipif(compiled.scan is None, reason="the scanner was not compiled")


def block_of(text: bytes, first_line: int = 1) -> Block:
    return Block(text, first_line)


REGULAR = {
    "as most programs write it": b"1 Q0 A 1 2.5 r\n1 Q0 B 2 1 r\n",
    "tabs": b"1\tQ0\tA\t1\t2.5\tr\n",
    "several blanks": b"1  Q0 \tA   1 2.5\t\tr \t\n",
    "CR LF": b"1 Q0 A 1 2.5 r\r\n1 Q0 B 2 1.5 r \r\n",
    "another field 2": b"1 0 A 1 2.5 r\n2 x B 1 2.5 r\n",
    "ranks in any order": b"1 Q0 A 0 2.5 r\n1 Q0 B -3 1 r\n1 Q0 C 99999999 0 r\n",
    "ids of mixed length": b"1 Q0 %b 1 3 r\n1 Q0 A 2 2 r\n1 Q0 12345678 3 1 r\n" % (b"x" * 1024),
    "ids that grow": b"".join(b"1 Q0 %b 1 3 r\n" % (b"x" * n) for n in (1, 8, 9, 10, 17, 63, 1024)),
    "many short lines after a long one": b"1 Q0 %b 1 3 r\n" % (b"x" * 999)
    + b"".join(b"1 Q0 %d 1 3 r\n" % n for n in range(999)),
    "topics that alternate": b"1 Q0 A 1 1 r\n2 Q0 A 1 1 r\n1 Q0 B 2 0 r\n",
    "scientific notation": b"1 Q0 A 1 1e-05 r\n1 Q0 B 2 -1.5E+3 r\n1 Q0 C 3 .5 r\n1 Q0 D 4 5. r\n",
    "one byte for each field": b"a b c 1 2 d\n",
}
IRREGULAR = {
    "a blank line": b"1 Q0 A 1 2.5 r\n\n",
    "a comment": b"#1 Q0 A 1 2.5 r\n",
    "white space in front": b" 1 Q0 A 1 2.5 r\n",
    "five fields": b"1 Q0 A 1 2.5\n",
    "seven fields": b"1 Q0 A 1 2.5 r s\n",
    "two tags": b"1 Q0 A 1 2.5 r\n1 Q0 B 2 1.5 rr\n",
    "a longer tag first": b"1 Q0 A 1 2.5 rr\n1 Q0 B 2 1.5 r\n",
    "a CR inside": b"1 Q0 A\r 1 2.5 r\n",
    "two CRs": b"1 Q0 A 1 2.5 r\r\r\n",
    "NUL": b"1 Q0 A\0 1 2.5 r\n",
    "DEL": b"1 Q0 A\x7f 1 2.5 r\n",
    "beyond ASCII": "1 Q0 Ä 1 2.5 r\n".encode(),
    "a vertical tab": b"1 Q0 A\v1 2.5 r\n",
    "an id of 1,025 bytes": b"1 Q0 %b 1 2.5 r\n" % (b"x" * 1025),
    "an id of 1,031 bytes where there is room": b"".join(
        b"1 Q0 %b 1 2.5 r\n" % (b"x" * n) for n in (1, 520, 528, 1031)
    ),
    "a line that is too long": b"%b Q0 A 1 2.5 r\n" % (b"1" * 70_000),
    "a rank of nine digits": b"1 Q0 A 123456789 2.5 r\n",
    "a rank with a plus": b"1 Q0 A +1 2.5 r\n",
    "no rank": b"1 Q0 A - 2.5 r\n",
    "a rank with a point": b"1 Q0 A 1.0 2.5 r\n",
    "a score of 41 bytes": b"1 Q0 A 1 1.%b r\n" % (b"1" * 39),
    "a comma": b"1 Q0 A 1 2,5 r\n",
    "nan": b"1 Q0 A 1 nan r\n",
    "too large for a double": b"1 Q0 A 1 1e999 r\n",
    "too small for a double": b"1 Q0 A 1 1e-999 r\n",
    "only a point": b"1 Q0 A 1 . r\n",
    "an exponent without digits": b"1 Q0 A 1 1e r\n",
    "an underscore": b"1 Q0 A 1 1_0 r\n",
    "hexadecimal": b"1 Q0 A 1 0x1p3 r\n",
}


@pytest.mark.parametrize("text", REGULAR.values(), ids=REGULAR)
def test_regular_lines_are_scanned(text: bytes) -> None:
    scanned = compiled.scan_run(block_of(text, 7))
    assert scanned is not None
    assert scanned.rows.lines.tolist() == list(range(7, 7 + text.count(b"\n")))
    assert compare_readers(text) == ""


@pytest.mark.parametrize("text", IRREGULAR.values(), ids=IRREGULAR)
def test_everything_else_is_left_to_python(text: bytes) -> None:
    assert compiled.scan_run(block_of(text)) is None
    assert compiled.scan_run(block_of(b"1 Q0 Z 1 2.5 r\n" + text)) is None
    assert compare_readers(text) == ""


@pytest.mark.parametrize("seed", range(4))
def test_mutated_runs_are_read_alike(seed: int) -> None:
    draw = random.Random(seed)
    for text in mutants(samples(), draw, 250):
        assert compare_readers(text) == "", text


@pytest.mark.parametrize("seed", range(2))
def test_mutated_qrels_are_read_alike(seed: int) -> None:
    draw = random.Random(seed)
    for text in mutants(qrels_samples(), draw, 250):
        assert compare_readers(text, read_qrels) == "", text


@pytest.mark.parametrize(
    ("line", "is_regular"),
    [
        (b"1 0 A 2", True), (b"1\t0\tA\t-1 \r", True), (b"x  7 A  127", True),
        (b"1 0 A -127", True),
        (b"1 0 A 128", False), (b"1 0 A 01", False), (b"1 0 A +1", False), (b"1 0 A 1.0", False),
        (b"1 0 A", False), (b"1 0 A 1 1", False), (b"#1 0 A 1", False), (b"1 0 A -", False),
        ("1 0 Ä 1".encode(), False),
    ],
)  # fmt: skip
def test_which_lines_of_qrels_are_scanned(line: bytes, is_regular: bool) -> None:
    text = b"1 0 Z 1\n" + line + b"\n"
    assert (compiled.scan_qrels(block_of(text)) is not None) is is_regular
    assert compare_readers(text, read_qrels) == ""


def test_long_decimals_are_rounded_as_float_does() -> None:
    draw = random.Random(5)
    numbers = []
    for _ in range(20_000):
        digits = "".join(draw.choices("0123456789", k=draw.randint(17, 34)))
        point = draw.randint(0, len(digits))
        zeros = "0" * draw.choice([0, 0, 0, 2, 9])
        numbers.append(f"{draw.choice(['', '-'])}{zeros}{digits[:point]}.{digits[point:]}"[:40])
    text = "".join(f"1 Q0 D{k} 1 {number} r\n" for k, number in enumerate(numbers)).encode()
    scanned = compiled.scan_run(block_of(text))
    assert scanned is not None
    expected = np.array([float(number) for number in numbers])
    assert scanned.scores.tobytes() == expected.tobytes()


def test_ids_made_to_collide_are_left_to_numpy() -> None:
    """Ids of two words with one hash: what the second word adds, the first takes away."""
    second = np.arange(1, 5001, dtype=np.uint64)
    words = np.column_stack([second * np.uint64((1 << 64) - 3), second])
    assert len(np.unique(words @ np.array([MIX, 3 * int(MIX) % (1 << 64)], np.uint64))) == 1
    topics = np.zeros(len(words), np.int32)
    assert compiled.scan is not None
    assert compiled.scan.repeated_rows(topics, words, 2) is None
    again, first = records.repeated_rows(topics, words.view("S16").reshape(-1))
    assert again.size == first.size == 0


def test_a_part_of_very_many_rows_is_left_to_numpy() -> None:
    """Slots for twenty million rows would take a gigabyte."""
    rows = (1 << 20) + 1
    ids = np.arange(1, rows + 1, dtype=np.uint64)
    assert compiled.scan is not None
    assert compiled.scan.repeated_rows(np.zeros(rows, np.int32), ids, 1) is None
    halves = np.repeat(np.array([0, 1], np.int32), [rows // 2, rows - rows // 2])
    assert len(compiled.scan.repeated_rows(halves, ids, 1)) == 0


class TestWrongArguments:
    """The extension is called by our own code only; a mistake there must not read other memory."""

    @pytest.mark.parametrize("text", [b"", b"1 Q0 A 1 2.5 r", b"1 Q0 A 1 2.5 r\n1"])
    def test_scan_run(self, text: bytes) -> None:
        assert compiled.scan is not None
        with pytest.raises(ValueError, match="whole lines"):
            compiled.scan.scan_run(text)

    def test_repeated_rows(self) -> None:
        assert compiled.scan is not None
        topics, ids = np.zeros(2, np.int32), np.zeros(3, np.uint64)
        for words in (0, 1, 2):
            with pytest.raises(ValueError, match="one id for each topic"):
                compiled.scan.repeated_rows(topics, ids, words)

    def test_order(self) -> None:
        assert compiled.scan is not None
        with pytest.raises(ValueError, match="one rank and one score"):
            compiled.scan.order(np.zeros(2, np.int32), np.zeros(2, np.int32), np.zeros(1))


@pytest.mark.parametrize("name", ["campaigns/trec/_scan.c", "scoring/core/data/_align.c"])
def test_a_wheel_that_is_built_with_python_3_13_serves_earlier_ones(name: str) -> None:
    """A length in a format, as `y#`, needs a macro of that version: `SystemError` in 3.11."""
    text = (Path(__file__).resolve().parents[3] / name).read_text()
    formats = re.findall(r'(?:Py_BuildValue|PyArg_\w+)\([^"]*"([^"]*)"', text)
    assert formats
    assert not any("#" in each for each in formats)
