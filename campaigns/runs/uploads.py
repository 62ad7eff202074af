"""Files on their way in: digested and streamed to storage, before any row owns them."""

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
    """A file that lies in storage and that no row owns yet."""

    storage_key: str
    digest: str  # sha256, hexadecimal
    size: int
    original_name: str


@contextmanager
def stored_upload(upload: File) -> Iterator[StoredFile]:
    """Streams an upload to storage; deletes it again if the block does not take it in.

    Raises `SubmissionRefused` for one that is too large, OSError where the storage refuses it.
    """
    if (upload.size or 0) > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
        raise SubmissionRefused(
            f"The file is too large: at most {limit} MiB are taken. Gzip it.", "size"
        )
    # Read once more for it: a storage may read what it is given twice, or a part of it again.
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
        # A process that is told to stop may be past the commit: then the file is the run's.
        if not Run.objects.filter(storage_key=key).exists():
            default_storage.delete(key)
        raise


def _stored(upload: File) -> str:
    identity = new_public_id()
    name = f"runs/{identity[:2]}/{identity}"
    try:
        return default_storage.save(name, File(upload.file))
    except OSError:
        with suppress(Exception):  # what there is of it takes room; tidying finds it otherwise
            default_storage.delete(name)
        raise


def _shown_name(name: str | None) -> str:
    """What the uploader called the file: text to show, cut to fit, and never part of a path."""
    printable = "".join(c for c in (name or "") if c.isprintable())
    return printable[-200:]
