"""Uploaded files that wait for a worker, because a request would have to read for too long.

The file is kept in the storage, and a job reads it (`campaigns.manage.upload_reading`). What it
would store is stored completely or not at all, and then the file is deleted.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.functions import Now
from django.http import Http404
from django.shortcuts import get_object_or_404

from campaigns import access, scoring_hooks
from campaigns.errors import CannotUpload
from campaigns.lifecycle import lock_unarchived, refuse_archived
from campaigns.models import Campaign, PendingUpload, User
from campaigns.models.identity import new_public_id
from campaigns.trec.problems import FormatError

MOST_OPEN: Final = 3  # of a campaign
OPEN: Final = (
    PendingUpload.State.WAITING,
    PendingUpload.State.READING,
    PendingUpload.State.UNCONFIRMED,
)


@dataclass(frozen=True)
class Outcome:
    """What reading a file has led to. Problems and warnings are as `Problem.as_dict` has them."""

    message: str = ""
    problems: Sequence[Mapping[str, Any]] = ()
    total: int = 0  # problems
    warnings: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()  # warnings in sentences
    qrels_version: int | None = None

    @classmethod
    def of_file(cls, error: FormatError) -> "Outcome":
        return cls(
            problems=[problem.as_dict() for problem in error.problems],
            total=error.total,
            warnings=[warning.as_dict() for warning in error.warnings],
        )


def outcome_of(upload: PendingUpload) -> Outcome:
    return Outcome(**upload.outcome)


def keep_upload(
    *,
    campaign: Campaign,
    kind: PendingUpload.Kind,
    file: File,
    actor: User,
    options: dict[str, Any],
) -> PendingUpload:
    """Stores the file, and enqueues the job that reads it. Raises `CannotUpload` and `Archived`,
    and then stores nothing."""
    _refuse_size(file)
    _refuse_too_many(campaign)  # before a large file is stored
    file.seek(0)
    digest = hashlib.file_digest(file.file, "sha256").hexdigest()
    size = file.seek(0, os.SEEK_END)
    # The uploader's name of the file is displayed and never part of a path.
    printable = "".join(c for c in (file.name or "") if c.isprintable())
    key = _stored(file)
    try:
        with transaction.atomic():
            campaign = lock_unarchived(campaign)
            # Again, under the lock.
            _refuse_too_many(campaign)
            upload = PendingUpload.objects.create(
                campaign=campaign,
                kind=kind,
                state_changed_at=Now(),
                actor=actor,
                original_name=printable[-200:],
                storage_key=key,
                digest=digest,
                size=size,
                options=options,
            )
            scoring_hooks.enqueue_reading(upload)
    except BaseException:
        # A process may be stopped after the commit. Then the file belongs to the row.
        if not PendingUpload.objects.filter(storage_key=key).exists():
            default_storage.delete(key)
        raise
    return upload


def upload_or_404(viewer: access.Viewer, public_id: str) -> PendingUpload:
    """One of the campaign, for its organisers."""
    if not viewer.is_organiser:
        raise Http404
    return get_object_or_404(viewer.campaign.pending_uploads, public_id=public_id)


def open_uploads(campaign: Campaign, kind: PendingUpload.Kind) -> list[PendingUpload]:
    """Those of a kind that are still to be stored, oldest first."""
    return list(campaign.pending_uploads.filter(kind=kind, state__in=OPEN).order_by("pk"))


def confirm_upload(*, upload: PendingUpload, actor: User) -> PendingUpload:
    """Reads the file once more, and then stores it without a question. A second confirmation
    changes nothing. Raises `Archived`, and `Http404` if the upload was discarded meanwhile."""
    with transaction.atomic():
        # In this order, because a worker that stores an upload locks its row before the campaign.
        rows = PendingUpload.objects.select_for_update(of=("self",))
        current = get_object_or_404(rows, pk=upload.pk)
        lock_unarchived(upload.campaign)
        if current.state != PendingUpload.State.UNCONFIRMED:
            return current
        current.options |= {"is_confirmed": True}
        current.actor, current.bytes_read = actor, 0
        current.state, current.state_changed_at = PendingUpload.State.WAITING, Now()
        current.save(update_fields=["options", "actor", "bytes_read", "state", "state_changed_at"])
        scoring_hooks.enqueue_reading(current)
    return current


@transaction.atomic
def discard_upload(*, upload: PendingUpload) -> None:
    """Deletes the file and its row. A worker that is reading it then stores nothing. Raises
    `Archived`."""
    refuse_archived(upload.campaign)
    row = PendingUpload.objects.select_for_update(of=("self",)).filter(pk=upload.pk).first()
    if row is not None:
        _delete_file(row)
        row.delete()


def end_upload(upload: PendingUpload, state: PendingUpload.State, outcome: Outcome) -> None:
    """Call this in the transaction that stores what the file contains. The file is deleted, unless
    the state is *unconfirmed*."""
    if state != PendingUpload.State.UNCONFIRMED:
        _delete_file(upload)
        upload.storage_key = ""
    upload.state, upload.state_changed_at = state, Now()
    upload.outcome = asdict(outcome)
    upload.save(update_fields=["storage_key", "state", "state_changed_at", "outcome"])


def _delete_file(upload: PendingUpload) -> None:
    if upload.storage_key:
        transaction.on_commit(partial(_delete_stored, upload.storage_key))


def _delete_stored(key: str) -> None:
    with suppress(OSError):  # if this fails, housekeeping deletes it
        default_storage.delete(key)


def _refuse_size(file: File) -> None:
    if file.size > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
        raise CannotUpload(f"The file is larger than {limit} MiB. Compress it with gzip.")


def _refuse_too_many(campaign: Campaign) -> None:
    if campaign.pending_uploads.filter(state__in=OPEN).count() >= MOST_OPEN:
        raise CannotUpload(
            f"{MOST_OPEN} large files of this campaign wait to be read or confirmed. Confirm or "
            "discard one of them first. Nothing of this one was stored."
        )


def _stored(file: File) -> str:
    identity = new_public_id()
    name = f"uploads/{identity[:2]}/{identity}"
    try:
        return default_storage.save(name, File(file.file))
    except OSError:
        _delete_stored(name)  # the part that was written
        raise
