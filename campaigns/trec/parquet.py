"""Parquet files as JSON lines, which the readers know (`layouts`). They need pyarrow, which reads
them in a process of its own (`parquet_rows`)."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Final

from campaigns.trec.parquet_rows import REFUSED
from campaigns.trec.problems import refuse, refuse_large, refuse_slow, shown

PROGRAM: Final = Path(__file__).with_name("parquet_rows.py")
MEMORY: Final = 1 << 30  # bytes of the process
ROWS: Final = 4096
TEXT_BYTES: Final = 1 << 24  # of one text
PIECE_BYTES: Final = 1 << 24  # of the texts of the rows that are written out at a time
READ_BYTES: Final = 1 << 20
# With these the system ends a process that takes too long, where it has them.
TOO_SLOW: Final = {getattr(signal, name, 0) for name in ("SIGXCPU", "SIGKILL")}
KEPT: Final = ("PATH", "LD_LIBRARY_PATH")  # of the environment, which has secrets
WAY_OUT: Final = 'install pyarrow ("trackside[parquet]"), or save the table as CSV'
DAMAGED: Final = "the Parquet file is damaged ({}): save the table again, or as CSV"


def json_lines(
    pieces: Iterator[bytes], *, max_bytes: int, max_seconds: float | None = None
) -> Iterator[bytes]:
    """Each row as a JSON object of its texts and numbers, so that a row's number is its line's.
    Raises `FormatError`."""
    if find_spec("pyarrow") is None:
        refuse("TYPE", f"the file is Parquet, which is not read here: {WAY_OUT}")
    # Files, because pyarrow seeks in what it reads, and a full pipe of errors would stop the
    # process.
    with tempfile.TemporaryFile() as whole, tempfile.TemporaryFile() as said:
        for piece in pieces:
            whole.write(piece)
        whole.seek(0)
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        # The system's allocator: memory of pyarrow's own ones would not count.
        with subprocess.Popen(  # noqa: S603 - our own program
            _command(max_bytes, max_seconds),
            stdin=whole,
            stdout=subprocess.PIPE,
            stderr=said,
            env=kept | {"ARROW_DEFAULT_MEMORY_POOL": "system"},
        ) as process:
            assert process.stdout is not None
            try:
                while lines := process.stdout.read(READ_BYTES):
                    yield lines
                process.wait()
            finally:
                process.kill()  # nobody reads further
        said.seek(0)
        _refuse_failed(process.returncode, said, max_bytes, max_seconds)


def _command(max_bytes: int, max_seconds: float | None) -> list[str]:
    limits = {
        "path": [place for place in sys.path if place],
        "memory": MEMORY,
        "seconds": None if max_seconds is None else math.ceil(max_seconds),
        "bytes": max_bytes,
        "rows": ROWS,
        "text": TEXT_BYTES,
        "piece": PIECE_BYTES,
    }
    return [sys.executable, "-I", str(PROGRAM), json.dumps(limits)]


def _refuse_failed(status: int, said: BinaryIO, max_bytes: int, max_seconds: float | None) -> None:
    """Refuses the file if the process did, or did not survive it."""
    if status == 0:
        return
    if status == REFUSED:
        code, message, line = json.loads(said.read().splitlines()[-1])
        if code == "DAMAGED":
            refuse("TYPE", DAMAGED.format(message))
        if code == "REPEATED":
            refuse("TYPE", f"two columns are called '{shown(message)}': rename one of them")
        if code == "TOO_BIG":
            refuse_large(max_bytes)
        refuse(code, message, line)
    if max_seconds is not None and -status in TOO_SLOW:
        refuse_slow(max_seconds, "save it as CSV")
    reason = f"or pyarrow needs more than {MEMORY >> 20:,} MiB of memory for it"
    refuse("TYPE", DAMAGED.format(reason))
