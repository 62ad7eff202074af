"""The files of qrels versions: checking an upload, and reading a stored file."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from campaigns.errors import NeedsConfirmation
from campaigns.models import Campaign, Qrels
from campaigns.reading import MOST_LINES, ReadingLimits, reading_place
from campaigns.stored_files import open_stored, read_stored
from campaigns.trec.compression import plain_blocks
from campaigns.trec.layouts import is_trec_qrels
from campaigns.trec.problems import FormatError, LimitReached, Problem
from campaigns.trec.qrels import (
    MAX_BYTES,
    ParsedQrels,
    read_qrels,
    refuse_high_grades,
    write_qrels,
)

UNKNOWN = "UNKNOWN_TOPIC"
DROPPED = "DROPPED_TOPICS"
FIELD_2 = "FIELD_2"


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a new version: its bytes, their parsed form, and their provenance."""

    data: bytes
    parsed: ParsedQrels
    provenance: dict[str, Any]
    sources: Qrels.Sources = Qrels.Sources.PEOPLE
    statement: str = ""  # if a program judged

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def with_program(
        self, sources: Qrels.Sources, statement: str, programs: Sequence[dict[str, Any]]
    ) -> "Content":
        """With judgments of programs. Field 2 then says who judged, so no warning says that it
        varies."""
        others = tuple(each for each in self.parsed.warnings if each.code != FIELD_2)
        return replace(
            self,
            parsed=replace(self.parsed, warnings=others),
            provenance=self.provenance | {"programs": list(programs)},
            sources=sources,
            statement=statement,
        )


def uploaded_content(
    campaign: Campaign,
    data: bytes,
    *,
    is_confirmed: bool,
    may_lack_relevant: bool = False,
    is_own: bool = False,
) -> Content:
    """Checks an uploaded file for this campaign. `is_own`: the site has written it itself.

    Raises `FormatError` for an invalid file, and `NeedsConfirmation` for topics that the campaign
    does not have (their lines are dropped) and for qrels without relevant documents, unless they
    may lack these.
    """
    with reading_place(is_own=is_own) as limits:
        parsed, refused = _parsed(campaign, data, limits)
    refuse_high_grades(parsed, campaign.highest_grade)
    doubts = []
    if not (parsed.grades >= campaign.rel).any():
        # In place of the reader's warning, which assumes that grade 1 is relevant.
        others = [w for w in parsed.warnings if w.code != "NO_RELEVANT"]
        message = f"no document of any topic is relevant, that is of grade {campaign.rel} or more"
        warning = Problem("NO_RELEVANT", None, message)
        parsed = replace(parsed, warnings=(*others, warning))
        if not may_lack_relevant:
            doubts = [w for w in parsed.warnings if w.code == "NO_RELEVANT"]
    if (refused or doubts) and not is_confirmed:
        unknown = refused.problems if refused else ()
        total = (refused.total if refused else 0) + len(doubts)
        others = [w for w in parsed.warnings if w.code not in {"NO_RELEVANT", DROPPED}]
        raise NeedsConfirmation((*doubts, *unknown), total, others)
    if refused is None and is_trec_qrels(plain_blocks(data)):
        return Content(data, parsed, {})
    # Downloads are in TREC's layout. Dropped lines are not stored: a topic that is added later must
    # not change this version.
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


def _parsed(
    campaign: Campaign, data: bytes, limits: ReadingLimits
) -> tuple[ParsedQrels, FormatError | None]:
    """Without the lines of unknown topics, and the error that names these. Raises it if there are
    other problems."""
    codes = set(campaign.topics.values_list("code", flat=True))
    read = partial(
        read_qrels,
        data,
        known_topics=codes,
        max_lines=MOST_LINES,
        max_bytes=limits.bytes_within(MAX_BYTES),
        max_seconds=limits.seconds,
    )
    try:
        return read(), None
    # A FormatError too, but with higher limits a worker may be able to read the file.
    except LimitReached:
        raise
    except FormatError as error:
        refused = error
    if UNKNOWN not in {problem.code for problem in refused.problems}:
        raise refused
    try:
        parsed = read(unknown_topics="drop")
    except FormatError:
        raise refused from None
    # Nothing is left: all lines are of unknown topics.
    if not parsed.line_count:
        raise refused
    return parsed, refused
