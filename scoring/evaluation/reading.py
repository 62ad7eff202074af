"""Reads a run's stored file by the rules of its campaign."""

from collections.abc import Sequence
from typing import BinaryIO

from django.conf import settings

from campaigns.models import Campaign, Run
from campaigns.stored_files import open_stored
from campaigns.trec.columns import LONGEST_NAME
from campaigns.trec.run_metadata import read_metadata
from campaigns.trec.runs import ParsedRun, read_run
from scoring.core.data.ranking import Ranking, rank

COMMENT_LINES = 1000  # allowed beyond the lines of the documents


def parsed_run(run: Run, codes: list[str]) -> tuple[ParsedRun, str]:
    """The run, and the metadata that its file begins with. Raises `FormatError` if the campaign
    refuses the file, and `FileLost`."""
    with open_stored(run.storage_key, run.digest) as file:
        parsed = parsed_file(
            file,
            run.campaign,
            codes,
            max_bytes=settings.MAX_UNPACKED_BYTES,
            max_seconds=settings.MAX_READING_SECONDS,
            file_name=run.original_name,
            is_named_by_tag=not run.display_name,  # it has a name once it was checked
        )
        # The metadata stands in comment lines, which the reader of runs skips.
        file.seek(0)
        return parsed, read_metadata(file)


def parsed_file(
    file: BinaryIO,
    campaign: Campaign,
    codes: Sequence[str],
    *,
    max_bytes: int,
    max_seconds: float,
    file_name: str,
    is_named_by_tag: bool,
) -> ParsedRun:
    """A run of the campaign with these topics. Raises `FormatError`."""
    return read_run(
        file,
        known_topics=codes,
        unknown_topics=campaign.unknown_topics,
        max_depth=campaign.run_depth,
        max_lines=int(len(codes) * campaign.run_depth * 1.1) + COMMENT_LINES,
        max_bytes=max_bytes,
        max_seconds=max_seconds,
        max_tag_bytes=LONGEST_NAME,
        file_name=file_name,
        is_named_by_tag=is_named_by_tag,
    )


def ranking_of(parsed: ParsedRun) -> Ranking:
    return rank(
        topics=parsed.topics,
        topic_index=parsed.topic_index,
        doc_ids=parsed.doc_ids,
        retrieval_scores=parsed.retrieval_scores,
    )
