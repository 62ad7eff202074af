"""What a run retrieved, and what the judges said of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from django.http import Http404
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Run, Topic
from scoring.core.documents import GradedDocuments, graded_documents
from scoring.core.grades import UNJUDGED
from scoring.core.judgments import JudgmentTable, build_table
from scoring.core.means import topics_of_mean
from scoring.definitions import Rules, rules_of
from scoring.loading import load_ranking, load_table
from scoring.models import StoredRanking

PAGE: Final = 100  # documents


@dataclass(frozen=True)
class RankedDocument:
    """None as `grade`: nobody judged it."""

    rank: int
    doc_id: str
    grade: int | None
    is_relevant: bool
    is_tied: bool


@dataclass(frozen=True)
class UnjudgedDocument:
    """`adds`: what it could add to the run's mean RBP, `together`: with all of the rows above."""

    place: int
    topic: Topic
    rank: int
    doc_id: str
    adds: float
    together: float


@dataclass(frozen=True)
class UnjudgedList:
    persistence: float
    counted: int  # topics that a mean is taken over
    rows: tuple[UnjudgedDocument, ...]


def ranked_documents(viewer: Viewer, run: Run, topic: Topic) -> tuple[RankedDocument, ...]:
    """The ranking of one topic under the qrels in force; where there are none, nothing is judged.
    At most two queries."""
    documents = _documents(viewer, run)
    return () if documents is None else documents_of_topic(viewer, documents, topic)


def documents_of_topic(
    viewer: Viewer, documents: GradedDocuments, topic: Topic
) -> tuple[RankedDocument, ...]:
    own = documents.of_topic(topic.position)
    columns = (own.positions, own.doc_ids, own.grades, own.is_tied)
    return tuple(
        RankedDocument(
            rank=position + 1,
            doc_id=as_text(doc_id),
            grade=None if grade == UNJUDGED else grade,
            is_relevant=grade >= viewer.campaign.rel,
            is_tied=is_tied,
        )
        for position, doc_id, grade, is_tied in zip(
            *(column.tolist() for column in columns), strict=True
        )
    )


def unjudged_documents(viewer: Viewer, run: Run, persistence: float) -> UnjudgedList | None:
    """Over all topics that the board counts, those first that leave most unknown; None without
    qrels. At most three queries."""
    if viewer.campaign.active_qrels is None:
        return None
    counted = counted_topics(table_of(viewer), rules_of(viewer.campaign))
    documents = _documents(viewer, run)
    if documents is None or not counted.any():
        return UnjudgedList(persistence, int(counted.sum()), ())
    topics = list(viewer.campaign.topics.order_by("position"))
    unjudged = documents.unjudged(counted)
    adds = (1 - persistence) * persistence**unjudged.positions / counted.sum()
    columns = (unjudged.rows, unjudged.positions, unjudged.doc_ids, adds, np.cumsum(adds))
    rows = tuple(
        UnjudgedDocument(place, topics[row], position + 1, as_text(doc_id), added, together)
        for place, (row, position, doc_id, added, together) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True), start=1
        )
    )
    return UnjudgedList(persistence, int(counted.sum()), rows)


def documents_of(run: Run, table: JudgmentTable) -> GradedDocuments | None:
    """None where its file has not been read. One query."""
    stored = StoredRanking.objects.filter(run=run).first()
    return None if stored is None else graded_documents(load_ranking(stored), table)


def table_of(viewer: Viewer) -> JudgmentTable:
    """The qrels in force; where there are none, one without a judgment. One query."""
    campaign = viewer.campaign
    if campaign.active_qrels is not None:
        return load_table(campaign.active_qrels, campaign)
    return build_table(
        topics=list(campaign.topics.order_by("position").values_list("code", flat=True)),
        qrels_topics=(),
        topic_index=np.empty(0, np.int32),
        doc_ids=np.empty(0, "S8"),
        grades=np.empty(0, np.int8),
        highest_grade=campaign.highest_grade,
    )


def counted_topics(table: JudgmentTable, rules: Rules) -> NDArray[np.bool_]:
    """bool[topics]: those that the board counts."""
    held_out = np.array([code in rules.held_out for code in table.topics], dtype=bool)
    return topics_of_mean(table, rel=rules.rel, no_relevant=rules.no_relevant) & ~held_out


def chosen_topic(topics: list[Topic], asked: Mapping[str, str]) -> Topic | None:
    """The topic of a query, the first without; None where there are none."""
    code = asked.get("topic")
    if not code:
        return topics[0] if topics else None
    for topic in topics:
        if topic.code == code:
            return topic
    raise Http404(f"There is no topic {code}.")


def chosen_p(viewer: Viewer, asked: Mapping[str, str]) -> float:
    """One of the campaign's own."""
    offered = [float(p) for p in viewer.campaign.persistences] or [0.8]
    named = {f"{p:g}": p for p in offered}
    name = asked.get("p") or f"{offered[0]:g}"
    if name not in named:
        raise Http404(f"There is no p {name} here.")
    return named[name]


def as_text(doc_id: bytes) -> str:
    return doc_id.decode("utf-8", "replace")


def _documents(viewer: Viewer, run: Run) -> GradedDocuments | None:
    return documents_of(run, table_of(viewer))
