"""Reads mutated runs and qrels with the compiled scanner and with Python, and compares the results.

    python -m tests.campaigns.trec.fuzz 1000000 [seed]

`make fuzz` does so with extensions that are compiled with AddressSanitizer and UBSan.
"""

from __future__ import annotations

import gzip
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from campaigns.trec import compiled
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import ParsedQrels, read_qrels
from campaigns.trec.runs import ParsedRun, read_run

Read = Callable[[bytes], ParsedRun | ParsedQrels]

LINES = 12  # of a sample: enough for two topics and a few ties
BYTES = b" \t\n\r\0#.-+eE019AzQ,\x0b\x1a\x7f\x80\xc3\xa4\xff"
FIELDS = (
    *(b"Q0", b"0", b"1", b"-1", b"007", b"99999999", b"123456789", b"1.0", b"#", b"x" * 9),
    *(b"x" * 1024, b"x" * 1025, b"1" * 65, b"nan", b"-inf", b"1e5", b"1e-400", b"1e400", b"-0.0"),
    *(b".5", b"5.", b".", b"+3", b"0x1p3", b"1_0", b"3,5", b"9007199254740993"),
    *(b"0.1234567890123456789012345678901", b"12345678901234567890.5", b"4.9e-324", b"1e22"),
    *("é".encode(), "\u200b".encode(), b"r\r", b"", b"  "),
)


def samples() -> list[bytes]:
    """The first lines of real runs where there are any, and of made ones."""
    made = [b"%d Q0 DOC-%d %d %d.%03d run" % (1 + k // 6, k * k, k, 9 - k, 7 * k) for k in range(9)]
    tabs = [
        b"q%d\t0\tFT9%d-%d\t%d\t%.7e\trun.2\r" % (k // 4, k, 10**k, 6 - k, 1 / (k + 1))
        for k in range(9)
    ]
    tied = [b"301 Q0 clueweb09-en%04d-0 %d -%d.5 r" % (k, k, k // 2) for k in range(9)]
    texts = [b"\n".join(lines) + b"\n" for lines in (made, tabs, tied)]
    folder = os.environ.get("TRACKSIDE_DATA")
    return texts + ([_head(path) for path in _real_runs(Path(folder))] if folder else [])


def qrels_samples() -> list[bytes]:
    """Qrels of one and of several iterations, with grades of one and of more digits."""
    plain = [b"%d 0 FT9%d-%d %d\n" % (401 + k // 5, k, 10**k, k % 3) for k in range(12)]
    tabs = [b"mb%d\tass%d\tD%d\t%d\r\n" % (k // 4, k % 2, k, 9 * k - 40) for k in range(9)]
    return [b"".join(plain), b"".join(tabs)]


def _real_runs(folder: Path) -> Iterator[Path]:
    for name in ("trec8-adhoc", "trec-covid-round1", "trec-dl19-passage"):
        yield from sorted((folder / name / "runs").glob("*"))[::7]


def _head(path: Path) -> bytes:
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rb") as file:
        return b"".join(file.readline() for _ in range(LINES))


def mutants(texts: Sequence[bytes], draw: random.Random, count: int) -> Iterator[bytes]:
    for _ in range(count):
        text = draw.choice(texts)
        for _ in range(draw.choice((0, 1, 1, 2, 3, 6))):
            text = draw.choice(MUTATIONS)(text, draw)
        yield text


def _change_byte(text: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(text) + 1)
    return text[:at] + bytes([draw.choice(BYTES)]) + text[at + draw.choice((0, 1)) :]


def _drop_bytes(text: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(text) + 1)
    return text[:at] + text[at + draw.choice((1, 1, 2, 8, 60)) :]


def _change_field(text: bytes, draw: random.Random) -> bytes:
    lines = text.split(b"\n")
    at = draw.randrange(len(lines))
    fields = lines[at].split(b" ") if b" " in lines[at] else lines[at].split(b"\t")
    fields[draw.randrange(len(fields))] = draw.choice(FIELDS)
    lines[at] = draw.choice((b" ", b"\t", b"  ")).join(fields)
    return b"\n".join(lines)


def _change_column(text: bytes, draw: random.Random) -> bytes:
    column, value = draw.randrange(6), draw.choice(FIELDS)
    lines = [line.split() for line in text.split(b"\n")]
    for fields in lines:
        if len(fields) > column:
            fields[column] = value
    return b"\n".join(map(b" ".join, lines))


def _change_end(text: bytes, draw: random.Random) -> bytes:
    end = draw.choice((b"\r\n", b" \n", b"\n\n", b"\t\r\n", b"\r"))
    return text.replace(b"\n", end, draw.choice((1, -1)))


def _repeat_line(text: bytes, draw: random.Random) -> bytes:
    lines = text.split(b"\n")
    lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
    return b"\n".join(lines)


def _shuffle(text: bytes, draw: random.Random) -> bytes:
    lines = text.split(b"\n")
    draw.shuffle(lines)
    return b"\n".join(lines)


MUTATIONS = (
    _change_byte, _change_byte, _drop_bytes, _change_field, _change_field, _change_column,
    _change_end, _repeat_line, _shuffle,
)  # fmt: skip


def compare_readers(text: bytes, read: Read = read_run) -> str:
    """What the compiled scanner and Python disagree about; "" if they agree."""
    scanner = compiled.scan
    by_scanner = _outcome(text, read)
    compiled.scan = None
    try:
        by_python = _outcome(text, read)
    finally:
        compiled.scan = scanner
    return "" if by_scanner == by_python else f"{by_scanner}\n{by_python}"


def _outcome(text: bytes, read: Read) -> object:
    try:
        parsed = read(text)
    except FormatError as error:
        return error.problems, error.total, error.warnings
    tag, values = (
        (parsed.tag, parsed.retrieval_scores)
        if isinstance(parsed, ParsedRun)
        else ("", parsed.grades)
    )
    ids = parsed.doc_ids
    columns = (parsed.topic_index.tobytes(), ids.tobytes(), ids.dtype, values.tobytes())
    return tag, parsed.topics, columns, parsed.line_count, parsed.warnings


def main(count: int, seed: int = 0) -> int:
    if compiled.scan is None:
        print("The scanner is not compiled.", file=sys.stderr)
        return 2
    print(f"{count:,} cases with {compiled.scan.__file__}")
    draw = random.Random(seed)
    runs = ((text, read_run) for text in mutants(samples(), draw, count - count // 4))
    qrels = ((text, read_qrels) for text in mutants(qrels_samples(), draw, count // 4))
    for number, (text, read) in enumerate(chain(runs, qrels), 1):
        difference = compare_readers(text, read)
        if difference:
            print(f"case {number}: {text!r}\n{difference}")
            return 1
        if number % 100_000 == 0:
            print(f"{number:,} read alike", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
