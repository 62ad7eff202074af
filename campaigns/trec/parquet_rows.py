"""The rows of a Parquet file as JSON lines: a program of its own, which `parquet` starts.

A few kilobytes can make pyarrow reserve gigabytes, because it believes the sizes that a page
states, and a byte that is wrong can end its process. So it has a process of its own, with limits.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO, Final, NoReturn

REFUSED: Final = 3  # the exit status; the last line on standard error is the problem
ENCODER: Final = json.JSONEncoder(ensure_ascii=False)


class Refused(Exception):
    """The code, the message and the line of a problem."""


def main() -> int:
    limits = json.loads(sys.argv[1])
    sys.path += limits["path"]  # pyarrow is where the process that started this one has it
    _limit_process(limits["memory"], limits["seconds"])
    arrow = import_module("pyarrow")
    try:
        for lines in _rows(sys.stdin.buffer, arrow, limits):
            sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()
    except Refused as refused:
        problem = refused.args
    except MemoryError:
        return 1
    except (arrow.ArrowException, OSError, ValueError) as error:
        problem = ("DAMAGED", " ".join(str(error).split()).rstrip(".")[:200], None)
    else:
        return 0
    sys.stderr.write("\n" + json.dumps(problem))  # libraries may have written there, too
    return REFUSED


def _limit_process(memory: int, seconds: int | None) -> None:
    try:
        resource = import_module("resource")  # not on Windows, which has no such limits
    except ImportError:
        return
    # A crash must not write the memory of the process to a disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    if seconds is not None:
        # SIGXCPU at the first, SIGKILL at the second: a library could ignore the former.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _refuse(code: str, message: str, line: int | None = None) -> NoReturn:
    raise Refused(code, message, line)


def _rows(whole: BinaryIO, arrow: Any, limits: dict[str, int]) -> Iterator[bytes]:
    compute, files = import_module("pyarrow.compute"), import_module("pyarrow.parquet")
    file = files.ParquetFile(whole)
    groups = (file.metadata.row_group(number) for number in range(file.num_row_groups))
    if sum(group.total_byte_size for group in groups) > limits["bytes"]:
        _refuse("TOO_BIG", f"the plain file is larger than {limits['bytes']:,} bytes")
    types, schema = arrow.types, file.schema_arrow
    texts = [field.name for field in schema if _is_text(field.type, types)]
    numbers = [
        field.name
        for field in schema
        if types.is_integer(field.type) or types.is_floating(field.type)
    ]
    # A column is found by its path in the file: `a.b` is that of a column with this name, and of
    # `b` within `a`.
    paths = Counter(file.schema.column(number).path for number in range(len(file.schema)))
    for name in texts + numbers:
        if paths[name] > 1:
            raise Refused("REPEATED", name, None)
    # Ten kilobytes can hold a text that a million rows repeat. It is written out for a few rows at
    # a time, so that the limits of the reader apply before the memory is full.
    file = files.ParquetFile(whole, read_dictionary=texts)
    before = 0
    for batch in file.iter_batches(limits["rows"], columns=texts + numbers, use_threads=False):
        longest = sum(
            _longest(batch.column(name), compute, before, limits["text"]) for name in texts
        )
        count = max(1, limits["piece"] // max(longest, 1))
        for first in range(0, batch.num_rows, count):
            yield _lines(batch.slice(first, count), texts, numbers)
        before += batch.num_rows


def _longest(column: Any, compute: Any, rows_before: int, limit: int) -> int:
    """The most bytes of a text of this column. Raises `Refused`."""
    lengths = compute.binary_length(column.dictionary).take(column.indices)
    longest = compute.max(lengths).as_py() or 0
    if longest > limit:
        row = compute.index(compute.greater(lengths, limit), True).as_py()
        message = f"a text has more than {limit:,} bytes: shorten it"
        _refuse("LINE_TOO_LONG", message, rows_before + row + 1)
    return int(longest)


def _is_text(kind: Any, types: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _lines(rows: Any, texts: list[str], numbers: list[str]) -> bytes:
    columns = [rows.column(name).dictionary_decode().to_pylist() for name in texts]
    columns += [rows.column(name).to_pylist() for name in numbers]
    names = texts + numbers
    lines = []
    for values in zip(*columns, strict=True):
        # Without nulls a row looks like one of JSON lines, where fields may be missing.
        known = {k: v for k, v in zip(names, values, strict=True) if v is not None}
        lines.append(ENCODER.encode(known) + "\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # an orderly exit can meet a thread that pyarrow still starts, and abort
