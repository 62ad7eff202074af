"""The files of qrels versions: checking an upload, and reading a stored file."""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from campaigns.errors import NeedsConfirmation
from campaigns.models import Campaign, Qrels
from campaigns.stored_files import open_stored, read_stored
from campaigns.trec.compression import plain_blocks
from campaigns.trec.problems import SHOWN_PROBLEMS, FormatError, Problem
from campaigns.trec.qrels import GRADE, ParsedQrels, read_qrels, write_qrels

UNKNOWN = "UNKNOWN_TOPIC"
DROPPED = "DROPPED_TOPICS"


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a new version: its bytes, their parsed form, and their provenance."""

    data: bytes
    parsed: ParsedQrels
    provenance: dict[str, Any]

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def uploaded_content(campaign: Campaign, data: bytes, *, is_confirmed: bool) -> Content:
    """Checks an uploaded file for this campaign.

    Raises `FormatError` for an invalid file, and `NeedsConfirmation` for topics that the campaign
    does not have (their lines are dropped) and for qrels without relevant documents.
    """
    codes = set(campaign.topics.values_list("code", flat=True))
    refused: FormatError | None = None
    try:
        parsed = read_qrels(data, known_topics=codes, max_seconds=settings.MAX_READING_SECONDS)
    except FormatError as error:
        refused = error
        parsed = _parse_known_topics(data, codes, error)
    _refuse_high_grades(parsed, campaign.highest_grade)
    if not (parsed.grades >= campaign.rel).any():
        parsed = _with_no_relevant_warning(parsed, campaign.rel)
        doubts = [w for w in parsed.warnings if w.code == "NO_RELEVANT"]
    else:
        doubts = []
    if (refused or doubts) and not is_confirmed:
        unknown = refused.problems if refused else ()
        total = (refused.total if refused else 0) + len(doubts)
        others = [w for w in parsed.warnings if w.code not in {"NO_RELEVANT", DROPPED}]
        raise NeedsConfirmation((*doubts, *unknown), total, others)
    if refused is None:
        return Content(data, parsed, {})
    # Dropped lines are not stored: a topic that is added later must not change this version.
    stored = io.BytesIO()
    write_qrels(parsed, stored)
    uploaded = {"uploaded_sha256": hashlib.sha256(data).hexdigest()}
    return Content(stored.getvalue(), parsed, uploaded)


def judgments_of(qrels: Qrels) -> ParsedQrels:
    """Parses the version's file."""
    return read_qrels(read_stored(qrels.storage_key, qrels.digest))


def text_of(qrels: Qrels) -> Iterator[bytes]:
    """Opens the version's file, and yields it as plain text. Raises `FileLost` when called."""
    file = open_stored(qrels.storage_key, qrels.digest)

    def blocks() -> Iterator[bytes]:
        with file:
            yield from plain_blocks(file)

    return blocks()


def _parse_known_topics(data: bytes, codes: set[str], refused: FormatError) -> ParsedQrels:
    """Parses without the lines of unknown topics. Raises `refused` if there are other problems."""
    if UNKNOWN not in {problem.code for problem in refused.problems}:
        raise refused
    try:
        parsed = read_qrels(
            data,
            known_topics=codes,
            unknown_topics="drop",
            max_seconds=settings.MAX_READING_SECONDS,
        )
    except FormatError:
        raise refused from None
    if not parsed.line_count:
        raise refused
    return parsed


def _with_no_relevant_warning(parsed: ParsedQrels, rel: int) -> ParsedQrels:
    others = tuple(w for w in parsed.warnings if w.code != "NO_RELEVANT")
    message = f"no document of any topic is relevant, that is of grade {rel} or more"
    return replace(parsed, warnings=(*others, Problem("NO_RELEVANT", None, message)))


def _refuse_high_grades(parsed: ParsedQrels, highest_grade: int) -> None:
    above = (parsed.grades > highest_grade).nonzero()[0]
    if not len(above):
        return
    problems = [
        Problem(
            code="GRADE",
            line=int(parsed.lines[row]),
            message=f"grade is above {highest_grade}, the campaign's highest: topic "
            f"{parsed.topics[parsed.topic_index[row]]}, document {parsed.doc_ids[row].decode()}",
            field=GRADE + 1,
            value=str(parsed.grades[row]),
        )
        for row in above[:SHOWN_PROBLEMS].tolist()
    ]
    raise FormatError(problems, total=len(above))
