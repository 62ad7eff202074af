"""Reads stored files. A missing or changed file is reported before its first byte is returned."""

import hashlib
from typing import BinaryIO

from django.core.files.storage import default_storage


class FileLost(Exception):
    """A stored file is missing from the storage, or differs from the one that was stored."""


def open_stored(key: str, digest: str) -> BinaryIO:
    """Opens the file at its beginning, after comparing its sha256. This takes half a second for 400
    MB."""
    try:
        file: BinaryIO = default_storage.open(key)
    except FileNotFoundError as error:
        raise FileLost(f"{key} is missing from the storage") from error
    try:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise FileLost(f"{key} is not the file that was stored: its sha256 differs")
        file.seek(0)
    except BaseException:
        # The caller gets no file that it could close.
        file.close()
        raise
    return file


def read_stored(key: str, digest: str) -> bytes:
    with open_stored(key, digest) as file:
        return file.read()
