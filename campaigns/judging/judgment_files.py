"""Files of judgments that were made elsewhere: by people with other tools, and by programs.

A file is read before the transaction that stores its grades, so that a long reading locks no rows.
What may have changed in the meantime is checked in the transaction.
"""

from collections.abc import Mapping

from campaigns.errors import CannotJudge
from campaigns.judging.final_grades import Key
from campaigns.models import Campaign
from campaigns.reading import MOST_LINES, reading_place
from campaigns.trec.qrels import MAX_BYTES, ParsedQrels, as_qrels, read_qrels, refuse_high_grades


def read_judgment_file(campaign: Campaign, data: bytes) -> tuple[ParsedQrels, dict[Key, int]]:
    """The lines, and the grade of each document. Raises `FormatError` with line numbers if these
    are not judgments of this campaign."""
    positions = dict(campaign.topics.values_list("code", "position"))
    with reading_place() as limits:
        most = {
            "max_lines": MOST_LINES,
            "max_bytes": limits.bytes_within(MAX_BYTES),
            "max_seconds": limits.seconds,
        }
        parsed = read_qrels(as_qrels(data, **most), known_topics=positions, **most)
    refuse_high_grades(parsed, campaign.highest_grade)
    codes = parsed.topics
    rows = zip(
        parsed.topic_index.tolist(), parsed.doc_ids.tolist(), parsed.grades.tolist(), strict=True
    )
    return parsed, {
        (positions[codes[topic]], codes[topic], doc_id.decode()): grade
        for topic, doc_id, grade in rows
    }


def refuse_outdated(campaign: Campaign, grades: Mapping[Key, int]) -> None:
    """Raises `CannotJudge` if the campaign has changed since the file was read, so that the grades
    no longer fit. Call this with the locked campaign."""
    topics = set(campaign.topics.values_list("position", "code"))
    is_too_high = max(grades.values(), default=0) > campaign.highest_grade
    if is_too_high or not {(position, code) for position, code, _ in grades} <= topics:
        raise CannotJudge(
            "The topics or the highest grade of the campaign changed while the file was read. "
            "Upload the file again."
        )
