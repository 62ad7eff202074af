"""The texts of a campaign's documents."""

from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO
from urllib.parse import quote

from django.db import transaction
from django.db.models import Exists, OuterRef

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Document, Plan, Task, User
from campaigns.reading import ReadingLimits, reading_place
from campaigns.trec.document_fields import AmbiguousFields, ambiguous_fields
from campaigns.trec.documents import MAX_BYTES, read_documents
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

    @property
    def in_words(self) -> str:
        return f"{self.count:,} document{'' if self.count == 1 else 's'} uploaded."

    @property
    def all_warnings(self) -> list[str]:
        """Sentences, about the missing texts first."""
        missing = [self._missing_texts] if self.without_text else []
        return missing + [str(warning) for warning in self.warnings]

    @property
    def _missing_texts(self) -> str:
        named = ", ".join(self.first_without_text)
        more = " and others" if self.without_text > len(self.first_without_text) else ""
        if self.without_text == self.count:
            return (
                "None of them has a text: call the field or column text, contents, body, segment, "
                "passage or article."
            )
        verb = "has" if self.without_text == 1 else "have"
        return f"{self.without_text:,} of them {verb} no text: {named}{more}."


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
    with reading_place() as limits:
        added = checked_documents(file, names, limits)
        store_documents(campaign=campaign, file=file, actor=actor, names=names, added=added)
    return added


def checked_documents(
    file: BinaryIO, names: FieldNames | None, limits: ReadingLimits
) -> AddedDocuments:
    """What `store_documents` would store. Raises the errors of `add_documents`."""
    most = {"max_bytes": limits.bytes_within(MAX_BYTES), "max_seconds": limits.seconds}
    file.seek(0)
    if names is None and (fields := ambiguous_fields(file, **most)):
        raise NeedsFields(fields)
    limits.refuse_larger(file)
    findings = ProblemList()
    count, without_text, first = 0, 0, list[str]()
    for document in read_documents(file, names=names, findings=findings, **most):
        count += 1
        if not document.text:
            without_text += 1
            first += [document.doc_id] if without_text <= SHOWN_WITHOUT_TEXT else []
    # The warnings are complete only after the last document.
    return AddedDocuments(count, without_text, tuple(first), findings.warnings)


@transaction.atomic
def store_documents(
    *,
    campaign: Campaign,
    file: BinaryIO,
    actor: User,
    names: FieldNames | None,
    added: AddedDocuments,
) -> None:
    """Stores the documents of a file that has been checked."""
    file.seek(0)
    rows = read_documents(file, names=names)
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        _store(campaign, batch)
    record(campaign, actor, "added documents", count=added.count)


@transaction.atomic
def remove_documents(*, campaign: Campaign, actor: User) -> int:
    """Deletes all texts and returns their number. Judgments stay."""
    refuse_archived(campaign)
    count, _ = Document.objects.filter(campaign=campaign).delete()
    if count:
        record(campaign, actor, "removed documents", count=count)
    return count


def url_of(campaign: Campaign, doc_id: str) -> str:
    """The URL of the document, or "" if the organisers have set none."""
    # A slash of an id belongs to the id, not to the path of the URL.
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
