"""Stored files, read only as they were stored: a file that is missing or has changed is said to be
so before its first byte is passed on."""

import hashlib
from typing import BinaryIO

from django.core.files.storage import default_storage


class FileLost(Exception):
    """A file that a row names is missing from the storage, or is not the one that was stored."""


def open_stored(key: str, digest: str) -> BinaryIO:
    """The file, open at its beginning. Its sha256 is compared first: a file of 400 MB takes half a
    second."""
    try:
        file: BinaryIO = default_storage.open(key)
    except FileNotFoundError as error:
        raise FileLost(f"{key} is missing from the storage") from error
    try:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise FileLost(f"{key} is not the file that was stored: its sha256 differs")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def read_stored(key: str, digest: str) -> bytes:
    with open_stored(key, digest) as file:
        return file.read()
