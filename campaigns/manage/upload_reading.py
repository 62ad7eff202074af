"""Reads a pending upload on a worker, and stores what it contains as the page would have."""

import io
import time
from collections.abc import Callable
from typing import Any, BinaryIO, Final, NamedTuple, cast

from django.db import transaction
from django.db.models import F
from django.http import Http404

from campaigns import access
from campaigns.errors import CannotUpload, NeedsConfirmation, Refusal
from campaigns.judging.documents import (
    AddedDocuments,
    NeedsFields,
    checked_documents,
    store_documents,
)
from campaigns.lifecycle import refuse_archived
from campaigns.models import PendingUpload
from campaigns.qrels import versions
from campaigns.qrels.files import Content, uploaded_content
from campaigns.reading import limits_here
from campaigns.stored_files import open_stored
from campaigns.trec.documents_checks import FieldNames
from campaigns.trec.problems import FormatError
from campaigns.uploads import Outcome, end_upload

PROGRESS_SECONDS: Final = 2.0  # between two reports of the bytes read

Finish = Callable[[], None]


class UploadReader(NamedTuple):
    """How files of a kind are read and stored. `read` checks the whole file and writes nothing.
    `store` is called in a transaction, with what `read` returned."""

    read: Callable[[PendingUpload, BinaryIO], Any]
    store: Callable[[PendingUpload, BinaryIO, Any], Outcome]


def read_upload(pk: int, finish: Finish) -> None:
    """Ends with the upload *stored*, *refused* or *unconfirmed*, in the transaction in which
    `finish` ends the job. May run twice: `finish` raises if another attempt has ended it."""
    upload = PendingUpload.objects.select_related("campaign", "actor").filter(pk=pk).first()
    if upload is None or not upload.is_live:  # it was discarded
        finish()
        return
    try:
        _refuse_without_right(upload)
        with open_stored(upload.storage_key, upload.digest) as stored:
            reader = READERS[PendingUpload.Kind(upload.kind)]
            read = reader.read(upload, cast("BinaryIO", _ReportingFile(stored, upload)))
            # The last report may have come before the end of the file.
            PendingUpload.objects.filter(pk=pk).update(bytes_read=F("size"))
            _store(reader, upload, stored, read, finish)
    except NeedsConfirmation as doubt:
        _end(upload, PendingUpload.State.UNCONFIRMED, Outcome.of_file(doubt), finish)
    except FormatError as error:
        _end(upload, PendingUpload.State.REFUSED, Outcome.of_file(error), finish)
    except Refusal as error:
        _end(upload, PendingUpload.State.REFUSED, Outcome(message=str(error)), finish)


def _store(
    reader: UploadReader, upload: PendingUpload, file: BinaryIO, read: Any, finish: Finish
) -> None:
    """What has changed while the file was read counts: nothing is stored for a person who may not
    upload it any more."""
    with transaction.atomic():
        # First, because it raises if another attempt has ended the job.
        finish()
        current = _locked(upload)
        if current is None:
            return
        _refuse_without_right(current)
        end_upload(current, PendingUpload.State.STORED, reader.store(current, file, read))


@transaction.atomic
def _end(
    upload: PendingUpload, state: PendingUpload.State, outcome: Outcome, finish: Finish
) -> None:
    finish()
    current = _locked(upload)
    if current is not None:
        end_upload(current, state, outcome)


def _locked(upload: PendingUpload) -> PendingUpload | None:
    """The current row; None if it was discarded while the file was read."""
    rows = PendingUpload.objects.select_related("campaign", "actor")
    return rows.select_for_update(of=("self",)).filter(pk=upload.pk).first()


def _refuse_without_right(upload: PendingUpload) -> None:
    refuse_archived(upload.campaign)
    try:
        access.organiser_or_404(upload.actor, upload.campaign.slug)
        may = upload.actor.is_active
    except Http404:
        may = False
    if not may:
        raise CannotUpload(
            "The person who uploaded the file is no longer an organiser of this campaign."
        )


# --- documents ------------------------------------------------------------------------------------


def _read_documents(upload: PendingUpload, file: BinaryIO) -> AddedDocuments:
    try:
        return checked_documents(file, _names(upload), limits_here())
    except NeedsFields:
        raise CannotUpload(
            "Several fields could be the id or the text of a document. Name only one of each."
        ) from None


def _store_documents(upload: PendingUpload, file: BinaryIO, added: AddedDocuments) -> Outcome:
    store_documents(
        campaign=upload.campaign, file=file, actor=upload.actor, names=_names(upload), added=added
    )
    return Outcome(message=added.in_words, notes=added.all_warnings)


def _names(upload: PendingUpload) -> FieldNames | None:
    names = upload.options.get("names")
    return FieldNames(tuple(names["doc_id"]), tuple(names["text"])) if names else None


# --- qrels ----------------------------------------------------------------------------------------


def _read_qrels(upload: PendingUpload, file: BinaryIO) -> Content:
    return uploaded_content(
        upload.campaign, file.read(), is_confirmed=upload.options["is_confirmed"]
    )


def _store_qrels(upload: PendingUpload, file: BinaryIO, content: Content) -> Outcome:
    qrels = versions.add_content(
        campaign=upload.campaign,
        content=content,
        note=upload.options["note"],
        actor=upload.actor,
        is_activated=upload.options["is_activated"],
    )
    return Outcome(
        message=versions.added_in_words(upload.campaign, qrels), qrels_version=qrels.version
    )


READERS: Final = {
    PendingUpload.Kind.DOCUMENTS: UploadReader(_read_documents, _store_documents),
    PendingUpload.Kind.QRELS: UploadReader(_read_qrels, _store_qrels),
}


# --- progress -------------------------------------------------------------------------------------


class _ReportingFile(io.RawIOBase):
    """A stored file that writes into the row of its upload how far it has been read."""

    def __init__(self, file: BinaryIO, upload: PendingUpload) -> None:
        super().__init__()
        self._file, self._upload = file, upload
        self._due = time.monotonic() + PROGRESS_SECONDS

    def read(self, size: int | None = -1) -> bytes:
        before = self._file.tell()  # the bytes that the reader has dealt with
        data = self._file.read(-1 if size is None else size)
        if data and time.monotonic() >= self._due:
            self._due = time.monotonic() + PROGRESS_SECONDS
            PendingUpload.objects.filter(pk=self._upload.pk).update(bytes_read=before)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)
