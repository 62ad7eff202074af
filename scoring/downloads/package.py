"""Everything of a board that one viewer may see, as one zip with metadata."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.qrels.files import text_of
from campaigns.qrels.provenance import origin_of
from campaigns.qrels.topics import topics_xml
from scoring.citations.snapshots import QRELS_FILE, SCORES_FILE, TOPICS_FILE, sees_judgments
from scoring.downloads import description, linked_data
from scoring.downloads.datacite import DATACITE_FILE, datacite
from scoring.downloads.description import About, licence_of
from scoring.downloads.scores import has_tidy_rows, tidy_rows, tidy_table
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.rows import leaderboard
from scoring.leaderboard.tables import boards_table
from scoring.output.zip import Member, Zip

BOARD_FILE = "leaderboard.csv"
DESCRIPTION_FILE = "datapackage.json"


def write_package(
    viewer: Viewer,
    qrels: Qrels,
    out: BinaryIO,
    *,
    made_at: datetime,
    title: str = "",
    url: str = "",
) -> None:
    """Writes the boards of all measures under these qrels and, if the viewer may see them, scores
    by topic, topics and qrels. The same rows and `made_at` give the same bytes.

    The viewer must be one who may see the board.
    """
    title = title or f"{viewer.campaign.name}: leaderboard and scores"
    about = About(viewer, qrels, made_at, title, url, licence=licence_of(viewer.campaign))
    # The descriptions come last, because they have the sizes and digests of the files.
    with Zip(out) as packed:
        resources = add_leaderboard_data(viewer, qrels, packed)
        add_descriptions(about, resources, packed)


def add_descriptions(about: About, resources: Sequence[Mapping[str, Any]], packed: Zip) -> None:
    """Describes the whole package, for people and for programs."""
    packed.add("README.md", [description.readme(about, resources)])
    packed.add("CITATION.cff", [description.citation_file(about)])
    packed.add(DESCRIPTION_FILE, [description.descriptor(about, resources)])
    packed.add(linked_data.RO_CRATE_FILE, [linked_data.ro_crate(about, resources)])
    packed.add(linked_data.CROISSANT_FILE, [linked_data.croissant(about, resources)])
    packed.add(DATACITE_FILE, [datacite(about)])


def add_leaderboard_data(viewer: Viewer, qrels: Qrels, packed: Zip) -> list[Mapping[str, Any]]:
    """Adds what this viewer may see of the leaderboard, and describes each file."""
    measures = rules_of(viewer.campaign).measures
    boards = boards_table(
        (leaderboard(viewer, measure, qrels=qrels) for measure in measures), qrels
    )
    text = "the leaderboards of all measures"
    resources: list[Mapping[str, Any]] = [
        description.table(
            packed.add(BOARD_FILE, boards.csv_blocks()), description.board_schema(qrels), text
        )
    ]
    if has_tidy_rows(viewer):
        scores = tidy_table(tidy_rows(viewer, qrels), qrels)
        member = packed.add(SCORES_FILE, scores.csv_blocks())
        text = "every score of every run on every topic"
        resources.append(description.table(member, description.scores_schema(qrels), text))
    if viewer.can_see_topics:
        member = packed.add(TOPICS_FILE, topics_xml(viewer.campaign))
        resources.append(description.file(member, "the topics, with all their fields"))
    if sees_judgments(viewer, qrels):
        member = packed.add(QRELS_FILE, text_of(qrels))
        by = "0 for people or 1 for the program" if qrels.has_program else "0"
        text = f"the judgments: topic, {by}, document, grade"
        resources.append(qrels_file(member, qrels, text))
    return resources


def qrels_file(member: Member, qrels: Qrels, text: str) -> Mapping[str, Any]:
    """Describes a version of the qrels, with its origin and the depth of its pool as stated."""
    facts: dict[str, Any] = {}
    sentences = origin_of(qrels)
    if qrels.provenance:
        facts["provenance"] = qrels.provenance
    if qrels.pool_depth:
        facts["pool_depth"] = qrels.pool_depth
        sentences.append(f"The organisers state that runs were pooled to depth {qrels.pool_depth}.")
    if sentences:
        text += f" ({' '.join(sentences)})"
    return description.file(member, text) | facts
