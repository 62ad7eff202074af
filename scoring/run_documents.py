"""What a run retrieved, and what the judges said of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.choices import UnknownChoice, one_of
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


@dataclass(frozen=True, eq=False)
class UnjudgedList(Sequence[UnjudgedDocument]):
    """Rows are made when they are asked for: a run has many, and a page shows few."""

    persistence: float
    counted: int  # topics that a mean is taken over
    topics: tuple[Topic, ...]
    documents: GradedDocuments

    @cached_property
    def adds(self) -> NDArray[np.float64]:
        weights = self.persistence**self.documents.positions
        adds: NDArray[np.float64] = (1 - self.persistence) * weights / self.counted
        return adds

    @cached_property
    def together(self) -> NDArray[np.float64]:
        return np.cumsum(self.adds)

    def __len__(self) -> int:
        return len(self.documents.rows)

    @overload
    def __getitem__(self, asked: int) -> UnjudgedDocument: ...

    @overload
    def __getitem__(self, asked: slice) -> list[UnjudgedDocument]: ...

    def __getitem__(self, asked: int | slice) -> UnjudgedDocument | list[UnjudgedDocument]:
        if isinstance(asked, slice):
            return [self._row(place) for place in range(len(self))[asked]]
        return self._row(range(len(self))[asked])

    def _row(self, place: int) -> UnjudgedDocument:
        own = self.documents
        return UnjudgedDocument(
            place=place + 1,
            topic=self.topics[own.rows[place]],
            rank=int(own.positions[place]) + 1,
            doc_id=as_text(bytes(own.doc_ids[place])),
            adds=float(self.adds[place]),
            together=float(self.together[place]),
        )


def ranked_documents(viewer: Viewer, run: Run, topic: Topic) -> tuple[RankedDocument, ...]:
    """The ranking of one topic under the qrels in force; where there are none, nothing is judged.
    At most two queries."""
    documents = documents_of(run, table_of(viewer))
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
    qrels, or before its file was read. Three queries."""
    if viewer.campaign.active_qrels is None:
        return None
    table = table_of(viewer)
    counted = counted_topics(table, rules_of(viewer.campaign))
    documents = documents_of(run, table)
    if documents is None:
        return None
    topics = tuple(viewer.campaign.topics.order_by("position"))
    return UnjudgedList(persistence, int(counted.sum()), topics, documents.unjudged(counted))


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
    raise UnknownChoice("topic", code, [topic.code for topic in topics])


def chosen_p(viewer: Viewer, asked: Mapping[str, str]) -> float:
    """One of the campaign's own. Raises UnknownChoice."""
    named = {f"{float(p):g}": float(p) for p in viewer.campaign.persistences} or {"0.8": 0.8}
    return named[one_of("p", asked.get("p"), list(named), usual=next(iter(named)))]


def as_text(doc_id: bytes) -> str:
    return doc_id.decode("utf-8", "replace")
