"""The upload of a run: a multipart form with one file, sent in blocks."""

import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias
from uuid import uuid4

from scoring.library.bad_input import BadInput
from scoring.library.sources import RunSource, read_run

Progress: TypeAlias = Callable[[str], object]  # called with a sentence at each step
OpenRun: TypeAlias = Callable[[], BinaryIO]

_BLOCK = 1 << 16
_STEP = 10  # per cent


@dataclass(frozen=True)
class Upload:
    """A form with one file."""

    fields: Mapping[str, object]
    name: str  # of the file
    size: int
    open: OpenRun
    progress: Progress
    boundary: str = field(default_factory=lambda: uuid4().hex)

    @property
    def headers(self) -> dict[str, str]:
        length = len(self._head) + self.size + len(self._tail)
        kind = f"multipart/form-data; boundary={self.boundary}"
        return {"Content-Type": kind, "Content-Length": str(length)}

    def body(self) -> Iterator[bytes]:
        """The form, in blocks."""
        yield self._head
        reported = sent = 0
        with self.open() as file:
            while block := file.read(_BLOCK):
                yield block
                sent += len(block)
                if (percent := 100 * sent // max(self.size, 1)) >= reported + _STEP:
                    reported = percent - percent % _STEP
                    self.progress(f"uploaded {reported} %")
        yield self._tail

    @property
    def _head(self) -> bytes:
        parts = [
            f'--{self.boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in self.fields.items()
        ]
        file = (
            f"--{self.boundary}\r\n"
            f'Content-Disposition: form-data; name="file"; filename="{self.name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        return "".join([*parts, file]).encode()

    @property
    def _tail(self) -> bytes:
        return f"\r\n--{self.boundary}--\r\n".encode()


def upload_of(
    run: RunSource, fields: Mapping[str, object], *, name: str | None, progress: Progress
) -> Upload:
    """Files are sent as they are; what is in memory is written as a run first."""
    given = {key: value for key, value in fields.items() if value is not None}
    if unfit := [key for key, value in given.items() if re.search("[\ud800-\udfff]", str(value))]:
        raise BadInput(f"{key}: it contains half of a surrogate pair" for key in unfit)
    if isinstance(run, str | os.PathLike):
        path = os.fspath(run)
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise BadInput([f"{path}: {error.strerror or error}"]) from None
        # It becomes part of a header: no quotes, no line breaks.
        file_name = "".join(
            c if c.isprintable() and c != '"' else "_" for c in os.path.basename(path)
        )
        return Upload(given, file_name, size, lambda: open(path, "rb"), progress)
    content = _content(run, name)
    return Upload(given, "run.txt", len(content), lambda: io.BytesIO(content), progress)


def _content(run: Any, name: str | None) -> bytes:
    if hasattr(run, "read"):
        run = run.read()
    if isinstance(run, str):
        return run.encode()
    if isinstance(run, bytes):
        return run
    text = io.BytesIO()
    tag = name and re.sub(r"\s+", "_", name)  # a tag has no white space, a name may
    read_run(run, name=tag).write(text)
    return text.getvalue()
