"""The documents that a run retrieved, with their judgments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Run, Topic
from campaigns.options import UnknownChoice, choice_or_404
from scoring.core.data.alignment import graded_documents
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.statistics.means import topics_of_mean
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.storage import grades_of, load_doc_ids, load_table, load_topic
from scoring.models import StoredRanking

PAGE: Final = 100  # documents
ROWS_AT_A_TIME: Final = 200_000  # of a CSV; the file of the ranking is read once for each block


@dataclass(frozen=True)
class RankedDocument:
    """`grade` is None if it is unjudged."""

    rank: int
    doc_id: str
    grade: int | None
    is_relevant: bool
    is_tied: bool


@dataclass(frozen=True)
class UnjudgedDocument:
    """`adds`: what it could add to the run's mean RBP; `together`: with all rows above."""

    place: int
    topic: Topic
    rank: int
    doc_id: str
    adds: float
    together: float


@dataclass(frozen=True, eq=False)
class UnjudgedList(Sequence[UnjudgedDocument]):
    """Unjudged documents by rank, then topic: at every p, a lower rank has a smaller weight. Rows
    are created on access, because a run has many and a page shows few."""

    persistence: float
    counted: int  # topics in the mean
    topics: tuple[Topic, ...]  # these topics
    is_unjudged: NDArray[np.bool_]  # bool[topics, depth]
    ranking: StoredRanking

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """int64[depth]: how many there are to each rank."""
        ends: NDArray[np.int64] = np.cumsum(self.is_unjudged.sum(axis=0))
        return ends

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """float64[depth]: what a document of each rank could add to the mean."""
        ranks = np.arange(self.is_unjudged.shape[1])
        weights: NDArray[np.float64] = (
            (1 - self.persistence) * self.persistence**ranks / self.counted
        )
        return weights

    def together(self, count: int) -> float:
        """What the first `count` could add."""
        ranks = int(np.searchsorted(self.ends, count, side="right"))  # that are complete
        complete = np.diff(self.ends[:ranks], prepend=0) @ self.weights[:ranks]
        rest = count - (int(self.ends[ranks - 1]) if ranks else 0)
        return float(complete + (rest * self.weights[ranks] if rest else 0.0))

    @property
    def total(self) -> float:
        return self.together(len(self))

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    @overload
    def __getitem__(self, index: int) -> UnjudgedDocument: ...

    @overload
    def __getitem__(self, index: slice) -> list[UnjudgedDocument]: ...

    def __getitem__(self, index: int | slice) -> UnjudgedDocument | list[UnjudgedDocument]:
        if isinstance(index, slice):
            return list(self.rows(range(len(self))[index]))
        # `or None`: after index -1 comes 0, which would end the slice before it begins.
        return next(self.rows(range(len(self))[index : index + 1 or None]))

    def rows(self, places: range) -> Iterator[UnjudgedDocument]:
        """Consecutive rows; the file is read once for ROWS_AT_A_TIME of them."""
        for start in range(0, len(places), ROWS_AT_A_TIME):
            yield from self._rows(places[start : start + ROWS_AT_A_TIME])

    def _rows(self, places: range) -> Iterator[UnjudgedDocument]:
        cells = self._cells(places)
        named = [(self.topics[row].code, rank) for row, rank in cells]
        doc_ids = load_doc_ids(self.ranking, named)
        together = self.together(places.start)
        for place, (row, rank), doc_id in zip(places, cells, doc_ids, strict=True):
            adds = float(self.weights[rank])
            together += adds
            yield UnjudgedDocument(
                place + 1, self.topics[row], rank + 1, as_text(doc_id), adds, together
            )

    def _cells(self, places: range) -> list[tuple[int, int]]:
        """Topic and position of each."""
        if not places:
            return []
        first, last = np.searchsorted(self.ends, (places.start, places[-1]), side="right").tolist()
        # Transposed, so that the result is by rank and then by topic. Only the ranks of these rows,
        # because all of them may be millions.
        ranks, rows = np.nonzero(self.is_unjudged[:, first : last + 1].T)
        before = int(self.ends[first - 1]) if first else 0
        part = slice(places.start - before, places.stop - before)
        return list(zip(rows[part].tolist(), (ranks[part] + first).tolist(), strict=True))


def ranked_documents(viewer: Viewer, run: Run, topic: Topic) -> tuple[RankedDocument, ...]:
    """The ranking of one topic under the active qrels; without qrels, all is unjudged. At most
    two queries."""
    return documents_of_topic(viewer, run, table_of(viewer), topic)


def documents_of_topic(
    viewer: Viewer, run: Run, table: JudgmentTable, topic: Topic
) -> tuple[RankedDocument, ...]:
    """By rank; empty if the file has not been read yet. One query."""
    stored = StoredRanking.objects.filter(run=run).first()
    if stored is None:
        return ()
    own = graded_documents(load_topic(stored, topic.code), table)
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
    """On all topics that the board counts; None without qrels, or before the file is read. Three
    queries."""
    if viewer.campaign.active_qrels is None:
        return None
    table = table_of(viewer)
    counted = counted_topics(table, rules_of(viewer.campaign))
    stored = StoredRanking.objects.select_related("run__ranking").filter(run=run).first()
    if stored is None:
        return None
    grades = grades_of(stored.run, viewer.campaign.active_qrels, table)
    topics = viewer.campaign.topics.order_by("position")
    return UnjudgedList(
        persistence=persistence,
        counted=int(counted.sum()),
        topics=tuple(topic for topic, counts in zip(topics, counted, strict=True) if counts),
        is_unjudged=grades[counted] == UNJUDGED,
        ranking=stored,
    )


def table_of(viewer: Viewer) -> JudgmentTable:
    """The active qrels; without qrels, a table without judgments. One query."""
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


def counted_topics(table: JudgmentTable, rules: ScoringRules) -> NDArray[np.bool_]:
    """bool[topics]: those that the board counts."""
    counted = topics_of_mean(table, rel=rules.rel, no_relevant=rules.no_relevant)
    return counted & ~rules.is_held_out(table.topics)


def chosen_topic(topics: list[Topic], params: Mapping[str, str]) -> Topic | None:
    """The topic of the parameters, by default the first; None if there are no topics."""
    code = params.get("topic")
    if not code:
        return topics[0] if topics else None
    for topic in topics:
        if topic.code == code:
            return topic
    raise UnknownChoice("topic", code, [topic.code for topic in topics])


def chosen_p(viewer: Viewer, params: Mapping[str, str]) -> float:
    """One of the campaign's own. Raises UnknownChoice."""
    named = {f"{float(p):g}": float(p) for p in viewer.campaign.persistences} or {"0.8": 0.8}
    return named[choice_or_404("p", params.get("p"), list(named), usual=next(iter(named)))]


def as_text(doc_id: bytes) -> str:
    return doc_id.decode("utf-8", "replace")
