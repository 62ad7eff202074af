"""The texts of a campaign's documents: uploaded, counted, looked up, taken out again."""

from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO
from urllib.parse import quote

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Document, Plan, Task, User
from campaigns.trec.documents import ParsedDocument, read_documents

ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class Counts:
    """How many texts there are, and how many of the documents to be judged have none."""

    documents: int
    to_judge: int
    without_text: int


def counts_of(campaign: Campaign) -> Counts:
    """Three queries."""
    there = Document.objects.filter(campaign=campaign)
    tasks = Task.objects.filter(plan__campaign=campaign).exclude(plan__state=Plan.State.ENDED)
    to_judge = tasks.values("doc_id").distinct()  # one document may be judged for two topics
    missing = to_judge.exclude(Exists(there.filter(doc_id=OuterRef("doc_id"))))
    return Counts(there.count(), to_judge.count(), missing.count())


def add_documents(*, campaign: Campaign, file: BinaryIO, actor: User) -> int:
    """Stores every document of a file, or none; one that is there already takes the new text. How
    many the file holds. Raises `FormatError`.

    The file is read twice, so that nobody waits for a transaction in which a file is looked at
    that may be refused at its end. Only the first time is limited: what is done with the documents
    would count as time of the second.
    """
    refuse_archived(campaign)
    count = sum(1 for _ in read_documents(file, max_seconds=settings.MAX_READING_SECONDS))
    file.seek(0)
    with transaction.atomic():
        rows = read_documents(file)
        while some := list(islice(rows, ROWS_AT_ONCE)):
            _store(campaign, some)
        record(campaign, actor, "added documents", count=count)
    return count


@transaction.atomic
def remove_documents(*, campaign: Campaign, actor: User) -> int:
    """Takes all texts out; judgments stay. How many there were."""
    refuse_archived(campaign)
    count, _ = Document.objects.filter(campaign=campaign).delete()
    if count:
        record(campaign, actor, "removed documents", count=count)
    return count


def address_of(campaign: Campaign, doc_id: str) -> str:
    """Where the document can be read, or "" where the organisers named no place."""
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
