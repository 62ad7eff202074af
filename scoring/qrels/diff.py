"""Differences between two versions of the qrels: changed judgments, moved ranks, and the agreement
of the two boards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.qrels.files import judgments_of
from campaigns.trec.qrels import ParsedQrels
from scoring.core.measures.measure import Measure
from scoring.core.statistics.agreement import kendall_tau, tau_ap
from scoring.core.statistics.ranks import common_places
from scoring.core.statistics.undefined import none_if_nan
from scoring.leaderboard.rows import Leaderboard, leaderboard

UNJUDGED = -1  # any negative grade, and no line at all


@dataclass(frozen=True)
class Change:
    """`before` and `after` are grades, None where the document is not judged."""

    topic: str
    doc_id: str
    before: int | None
    after: int | None


@dataclass(frozen=True, eq=False)
class JudgmentChanges:
    """The changed judgments by topic and document, as columns."""

    topics: tuple[str, ...]
    topic_index: NDArray[np.int64]  # int64[changes]
    doc_ids: NDArray[np.bytes_]  # S{w}[changes]
    before: NDArray[np.int16]  # int16[changes], UNJUDGED where not judged
    after: NDArray[np.int16]
    unchanged: int  # judgments, of grade 0 or more, that are in both

    def __len__(self) -> int:
        return len(self.before)

    def __iter__(self) -> Iterator[Change]:
        return self.first(len(self))

    def first(self, count: int) -> Iterator[Change]:
        for topic, doc_id, before, after in zip(
            self.topic_index[:count].tolist(),
            self.doc_ids[:count].tolist(),
            self.before[:count].tolist(),
            self.after[:count].tolist(),
            strict=True,
        ):
            yield Change(self.topics[topic], doc_id.decode(), _grade(before), _grade(after))

    @property
    def added(self) -> int:
        return int((self.before == UNJUDGED).sum())

    @property
    def removed(self) -> int:
        return int((self.after == UNJUDGED).sum())

    @property
    def regraded(self) -> int:
        return len(self) - self.added - self.removed

    @property
    def topic_count(self) -> int:
        return len(np.unique(self.topic_index))

    @property
    def kinds(self) -> list[tuple[int | None, int | None, int]]:
        """Old grade, new grade, and the number of such changes, sorted; not judged first."""
        counts = Counter(zip(self.before.tolist(), self.after.tolist(), strict=True))
        return [(_grade(b), _grade(a), number) for (b, a), number in sorted(counts.items())]


@dataclass(frozen=True)
class Move:
    """A run that has a rank on both boards. Ranks are counted among these runs only, so that a run
    that is on one board only does not move the others."""

    run_id: str
    shown_name: str
    shown_team: str
    rank_before: int
    rank_after: int
    base_before: float
    base_after: float

    @property
    def ranks_gained(self) -> int:
        """Negative if ranks are lost."""
        return self.rank_before - self.rank_after

    @property
    def lost(self) -> int:
        return -self.ranks_gained


@dataclass(frozen=True)
class VersionDiff:
    old: Qrels
    new: Qrels
    measure: Measure
    changes: JudgmentChanges
    moves: tuple[Move, ...]  # in the order of the new board
    tau_b: float | None  # None: not defined
    tau_ap: float | None  # the old board is the reference
    waiting_count: int  # ranked runs without a score under one of the versions

    @property
    def moved_count(self) -> int:
        return sum(move.ranks_gained != 0 for move in self.moves)

    @property
    def farthest(self) -> Move | None:
        """The run that moved most, if any moved."""
        moved = [move for move in self.moves if move.ranks_gained]
        return max(moved, key=lambda move: abs(move.ranks_gained), default=None)

    @property
    def first_before(self) -> tuple[Move, ...]:
        return tuple(move for move in self.moves if move.rank_before == 1)

    @property
    def keeps_its_first(self) -> bool:
        return self.first_before == tuple(move for move in self.moves if move.rank_after == 1)


def diff(viewer: Viewer, old: Qrels, new: Qrels, measure: Measure) -> VersionDiff:
    """The viewer must be one who may see the board and both versions."""
    topics = viewer.campaign.topics.order_by("position").values_list("code", flat=True)
    changes = changes_between(judgments_of(old), judgments_of(new), topics=list(topics))
    boards = [leaderboard(viewer, measure, qrels=qrels) for qrels in (old, new)]
    moves = _moves(*boards)
    scores = np.array([[m.base_before for m in moves], [m.base_after for m in moves]], dtype=float)
    scores = -scores if boards[0].lower_is_better else scores
    has_order = len(moves) > 1
    return VersionDiff(
        old=old,
        new=new,
        measure=measure,
        changes=changes,
        moves=moves,
        waiting_count=viewer.campaign.runs.ranked().count() - len(moves),
        tau_b=none_if_nan(kendall_tau(scores)[0, 1]) if has_order else None,
        tau_ap=none_if_nan(tau_ap(scores)[0, 1]) if has_order else None,
    )


def _moves(old: Leaderboard, new: Leaderboard) -> tuple[Move, ...]:
    before = {row.run_id: row for row in old.ranked}
    ranks = common_places(
        {row.run_id: row.base for row in old.ranked},
        {row.run_id: row.base for row in new.ranked},
        -1 if new.lower_is_better else 1,
    )
    return tuple(
        Move(
            run_id=row.run_id,
            shown_name=row.name,
            shown_team=row.team,
            rank_before=ranks[row.run_id].before,
            rank_after=ranks[row.run_id].after,
            base_before=before[row.run_id].base,
            base_after=row.base,
        )
        for row in new.ranked
        if row.run_id in ranks
    )


def changes_between(
    old: ParsedQrels, new: ParsedQrels, *, topics: Sequence[str]
) -> JudgmentChanges:
    """Sorts both versions together by topic, document and version, so that the judgments of one
    document are adjacent. Negative grades count as not judged. `topics` are in row order."""
    position = {code: number for number, code in enumerate(topics)}
    # From the topics as each file numbers them to their positions in the campaign.
    known = [np.array([position[code] for code in qrels.topics], np.int64) for qrels in (old, new)]
    index = np.concatenate([known[0][old.topic_index], known[1][new.topic_index]])
    doc_ids = np.concatenate([old.doc_ids, new.doc_ids])
    grades = np.maximum(np.concatenate([old.grades, new.grades]), UNJUDGED)
    is_new = np.repeat([False, True], [len(old.grades), len(new.grades)])
    # The last key counts most: by topic, then by document, the old version before the new one.
    order = np.lexsort((is_new, doc_ids, index))
    index, doc_ids, grades, is_new = (a[order] for a in (index, doc_ids, grades, is_new))

    # Whether a row is of the same document as the row before.
    follows = np.zeros(len(order), dtype=bool)
    follows[1:] = (index[1:] == index[:-1]) & (doc_ids[1:] == doc_ids[:-1])
    precedes = np.append(follows[1:], False)
    before = np.where(is_new, UNJUDGED, grades)
    after = np.where(is_new, grades, UNJUDGED)
    # The next row is the judgment of the same document in the new version.
    after[precedes] = grades[np.flatnonzero(precedes) + 1]
    is_first = ~follows  # one row for each judgment: the old one if there are two
    differs = is_first & (before != after)
    same = is_first & (before == after) & (before != UNJUDGED)
    return JudgmentChanges(
        topics=tuple(topics),
        topic_index=index[differs],
        doc_ids=doc_ids[differs],
        before=before[differs],
        after=after[differs],
        unchanged=int(same.sum()),
    )


def _grade(grade: int) -> int | None:
    return None if grade == UNJUDGED else grade
