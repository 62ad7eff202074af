"""Writes zip files reproducibly: equal contents give equal bytes."""

import hashlib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can have
READABLE = 0o644 << 16
UNIX = 3


@dataclass(frozen=True)
class Member:
    """A file in the zip, with what a reader needs to verify it."""

    path: str
    size: int
    sha256: str


class Zip:
    """Files in the order in which they are added, without times or permissions of the machine."""

    def __init__(self, out: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(out, "w")

    def __enter__(self) -> "Zip":
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def add(self, path: str, blocks: Iterable[bytes | str], *, is_packed: bool = False) -> Member:
        """A file that is compressed already is stored as it is."""
        info = zipfile.ZipInfo(path, EPOCH)
        info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        # By default the system of this machine, which would change the bytes.
        info.create_system = UNIX
        info.external_attr = READABLE
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w") as member:
            for block in blocks:
                data = block.encode() if isinstance(block, str) else block
                digest.update(data)
                size += len(data)
                member.write(data)
        return Member(path, size, digest.hexdigest())
