"""Differences between two versions of the qrels: changed judgments, moved ranks, and the agreement
of the two boards."""

from dataclasses import dataclass

import numpy as np

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.qrels.files import judgments_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.agreement import kendall_tau, tau_ap
from scoring.core.statistics.ranks import common_places
from scoring.core.statistics.undefined import none_if_nan
from scoring.leaderboard.rows import Leaderboard, leaderboard
from scoring.qrels.changes import JudgmentChanges, changes_between


@dataclass(frozen=True)
class Move:
    """A run that has a rank on both boards. Ranks are counted among these runs only, so that a run
    that is on one board only does not move the others."""

    run_id: str
    shown_tag: str
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
    return VersionDiff(
        old=old,
        new=new,
        measure=measure,
        changes=changes,
        moves=moves,
        waiting_count=viewer.campaign.runs.ranked().count() - len(moves),
        **_agreement(moves, lower_is_better=boards[0].lower_is_better),
    )


def _moves(old: Leaderboard, new: Leaderboard) -> tuple[Move, ...]:
    before = {row.run_id: row for row in old.ranked}
    ranks = common_places(
        {row.run_id: row.base for row in old.ranked},
        {row.run_id: row.base for row in new.ranked},
        "lower" if new.lower_is_better else "higher",
    )
    return tuple(
        Move(
            run_id=row.run_id,
            shown_tag=row.tag,
            shown_team=row.team,
            rank_before=ranks[row.run_id].before,
            rank_after=ranks[row.run_id].after,
            base_before=before[row.run_id].base,
            base_after=row.base,
        )
        for row in new.ranked
        if row.run_id in ranks
    )


def _agreement(moves: tuple[Move, ...], *, lower_is_better: bool) -> dict[str, float | None]:
    scores = np.array([[m.base_before for m in moves], [m.base_after for m in moves]], dtype=float)
    scores = -scores if lower_is_better else scores
    if len(moves) < 2:
        return {"tau_b": None, "tau_ap": None}
    return {
        "tau_b": none_if_nan(kendall_tau(scores)[0, 1]),
        "tau_ap": none_if_nan(tau_ap(scores)[0, 1]),
    }
