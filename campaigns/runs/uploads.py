"""Uploaded files are hashed and streamed to storage before a row refers to them."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

from campaigns.errors import SubmissionRefused
from campaigns.models import Run
from campaigns.models.identity import new_public_id


@dataclass(frozen=True)
class StoredFile:
    """A file in storage to which no row refers yet."""

    storage_key: str
    digest: str  # sha256, hexadecimal
    size: int
    original_name: str


@contextmanager
def stored_upload(upload: File) -> Iterator[StoredFile]:
    """Streams an upload to storage, and deletes it if the block raises.

    Raises `SubmissionRefused` if the file is too large, OSError if the storage fails.
    """
    if (upload.size or 0) > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
        raise SubmissionRefused(
            f"The file is larger than {limit} MiB. Compress it with gzip.", "size"
        )
    # A separate pass, because a storage may read the file twice, or a part of it again.
    upload.seek(0)
    digest = hashlib.file_digest(upload.file, "sha256").hexdigest()
    size = upload.seek(0, os.SEEK_END)
    key = _stored(upload)
    try:
        yield StoredFile(
            storage_key=key,
            digest=digest,
            size=size,
            original_name=_shown_name(upload.name),
        )
    except BaseException:
        # A process may be stopped after the commit. Then the file belongs to the run.
        if not Run.objects.filter(storage_key=key).exists():
            default_storage.delete(key)
        raise


def _stored(upload: File) -> str:
    identity = new_public_id()
    name = f"runs/{identity[:2]}/{identity}"
    try:
        return default_storage.save(name, File(upload.file))
    except OSError:
        with suppress(Exception):  # if this fails, housekeeping deletes the partial file
            default_storage.delete(name)
        raise


def _shown_name(name: str | None) -> str:
    """The uploader's name of the file, truncated. It is displayed and never part of a path."""
    printable = "".join(c for c in (name or "") if c.isprintable())
    return printable[-200:]
