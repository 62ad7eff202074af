"""The texts of a campaign's documents."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO
from urllib.parse import quote

from django.db import transaction
from django.db.models import Exists, OuterRef

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Document, Plan, Task, User
from campaigns.reading import reading_place
from campaigns.trec.document_fields import AmbiguousFields, ambiguous_fields
from campaigns.trec.documents import read_documents
from campaigns.trec.documents_checks import FieldNames, ParsedDocument
from campaigns.trec.problems import Problem, ProblemList

ROWS_AT_ONCE = 500
SHOWN_WITHOUT_TEXT = 5


@dataclass(frozen=True)
class DocumentCounts:
    """`documents` and `empty` count what is stored, with text and without; `without_text` counts
    documents to judge."""

    documents: int
    empty: int
    to_judge: int
    without_text: int


def counts_of(campaign: Campaign) -> DocumentCounts:
    """Four queries."""
    every = Document.objects.filter(campaign=campaign)
    stored = every.exclude(text="")
    tasks = Task.objects.filter(plan__campaign=campaign).exclude(plan__state=Plan.State.ENDED)
    to_judge = tasks.values("doc_id").distinct()  # a document may be judged for two topics
    missing = to_judge.exclude(Exists(stored.filter(doc_id=OuterRef("doc_id"))))
    empty = every.filter(text="")
    return DocumentCounts(stored.count(), empty.count(), to_judge.count(), missing.count())


@dataclass(frozen=True)
class AddedDocuments:
    count: int
    without_text: int
    first_without_text: tuple[str, ...]  # ids
    warnings: tuple[Problem, ...]


class NeedsFields(Exception):
    """Several fields could be the id or the text of the documents. Nothing was stored."""

    def __init__(self, fields: AmbiguousFields) -> None:
        self.fields = fields
        super().__init__(fields)


def add_documents(
    *, campaign: Campaign, file: BinaryIO, actor: User, names: FieldNames | None = None
) -> AddedDocuments:
    """Stores all documents of a file, replacing the texts of known documents. Raises
    `FormatError` and, without names, `NeedsFields`, and then stores none.

    The file is validated before the transaction begins, so that a long validation locks no rows.
    Only the first of the two readings has a time limit, because the second includes the time for
    storing the documents.
    """
    refuse_archived(campaign)
    with reading_place() as max_seconds:
        if names is None and (fields := ambiguous_fields(file, max_seconds=max_seconds)):
            raise NeedsFields(fields)
        file.seek(0)
        findings = ProblemList()
        read = read_documents(file, names=names, max_seconds=max_seconds, findings=findings)
        added = _counted(read, findings)
        file.seek(0)
        with transaction.atomic():
            rows = read_documents(file, names=names)
            while batch := list(islice(rows, ROWS_AT_ONCE)):
                _store(campaign, batch)
            record(campaign, actor, "added documents", count=added.count)
    return added


def _counted(documents: Iterator[ParsedDocument], findings: ProblemList) -> AddedDocuments:
    count, without_text, first = 0, 0, list[str]()
    for document in documents:
        count += 1
        if not document.text:
            without_text += 1
            first += [document.doc_id] if without_text <= SHOWN_WITHOUT_TEXT else []
    return AddedDocuments(count, without_text, tuple(first), findings.warnings)


@transaction.atomic
def remove_documents(*, campaign: Campaign, actor: User) -> int:
    """Deletes all texts and returns their number. Judgments stay."""
    refuse_archived(campaign)
    count, _ = Document.objects.filter(campaign=campaign).delete()
    if count:
        record(campaign, actor, "removed documents", count=count)
    return count


def address_of(campaign: Campaign, doc_id: str) -> str:
    """The URL of the document, or "" if the organisers have set none."""
    return campaign.document_address.replace("{doc_id}", quote(doc_id, safe=""))


def _store(campaign: Campaign, parsed: list[ParsedDocument]) -> None:
    Document.objects.bulk_create(
        [
            Document(campaign=campaign, doc_id=each.doc_id, title=each.title, text=each.text)
            for each in parsed
        ],
        update_conflicts=True,
        unique_fields=["campaign", "doc_id"],
        update_fields=["title", "text"],
    )
