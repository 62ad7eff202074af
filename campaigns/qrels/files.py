"""The files behind versions of the qrels: an upload read and doubted, a stored one read again."""

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
    """What becomes a version: its bytes, what they say, and where they come from."""

    data: bytes
    parsed: ParsedQrels
    provenance: dict[str, Any]

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def uploaded_content(campaign: Campaign, data: bytes, *, is_confirmed: bool) -> Content:
    """The file as a version of this campaign's qrels.

    Raises `FormatError` where it is not qrels of this campaign, and `NeedsConfirmation` for topics
    that the campaign does not have (their lines are left out) and for qrels without relevant
    documents.
    """
    codes = set(campaign.topics.values_list("code", flat=True))
    refused: FormatError | None = None
    try:
        parsed = read_qrels(data, known_topics=codes, max_seconds=settings.MAX_READING_SECONDS)
    except FormatError as error:
        refused = error
        parsed = _of_known_topics(data, codes, error)
    _refuse_high_grades(parsed, campaign.highest_grade)
    if not (parsed.grades >= campaign.rel).any():
        parsed = _warned_of_no_relevant(parsed, campaign.rel)
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
    # Only what is kept is stored: a topic that is added later must not change this version.
    kept = io.BytesIO()
    write_qrels(parsed, kept)
    uploaded = {"uploaded_sha256": hashlib.sha256(data).hexdigest()}
    return Content(kept.getvalue(), parsed, uploaded)


def judgments_of(qrels: Qrels) -> ParsedQrels:
    """The version's file, read again and whole."""
    return read_qrels(read_stored(qrels.storage_key, qrels.digest))


def text_of(qrels: Qrels) -> Iterator[bytes]:
    """The version's file as plain text, in blocks; it is opened at once. Raises `FileLost`."""
    file = open_stored(qrels.storage_key, qrels.digest)

    def blocks() -> Iterator[bytes]:
        with file:
            yield from plain_blocks(file)

    return blocks()


def _of_known_topics(data: bytes, codes: set[str], refused: FormatError) -> ParsedQrels:
    """What is left without the lines of unknown topics, if those were all that was wrong."""
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


def _warned_of_no_relevant(parsed: ParsedQrels, rel: int) -> ParsedQrels:
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
