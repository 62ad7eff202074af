"""Two versions of the qrels side by side: judgments changed, ranks moved, and how far the two
boards agree."""

import io
from dataclasses import dataclass

import numpy as np
from defusedcsv import csv

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.qrels_files import judgments_of
from scoring.core.agreement import kendall_tau, tau_ap
from scoring.core.measures.measure import Measure
from scoring.core.standing import common_places
from scoring.judgment_changes import JudgmentChanges, changes_between
from scoring.leaderboard import Leaderboard, leaderboard


@dataclass(frozen=True)
class Move:
    """A run that has a rank on both boards; its ranks are counted among these runs alone, so that
    one that is on one board only moves nobody."""

    run_id: str
    shown_tag: str
    shown_team: str
    rank_before: int
    rank_after: int
    base_before: float
    base_after: float

    @property
    def places(self) -> int:
        """Places gained; lost where negative."""
        return self.rank_before - self.rank_after

    @property
    def lost(self) -> int:
        return -self.places


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
        return sum(move.places != 0 for move in self.moves)

    @property
    def farthest(self) -> Move | None:
        """The run that moved most places, if any moved."""
        moved = [move for move in self.moves if move.places]
        return max(moved, key=lambda move: abs(move.places), default=None)

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


def changes_csv(found: VersionDiff) -> str:
    """Every changed judgment; an empty grade where the document is not judged."""
    rows = [[c.topic, c.doc_id, c.before, c.after] for c in found.changes]
    columns = ["topic", "document", f"v{found.old.version}", f"v{found.new.version}"]
    return _csv(columns, rows)


def moves_csv(found: VersionDiff) -> str:
    """Every run that has a rank on both boards, ranked among these."""
    old, new = f"v{found.old.version}", f"v{found.new.version}"
    columns = [
        "run", "team", "measure", f"rank_{old}", f"rank_{new}", "places_gained",
        f"base_{old}", f"base_{new}",
    ]  # fmt: skip
    rows = [
        [
            move.shown_tag,
            move.shown_team,
            str(found.measure),
            move.rank_before,
            move.rank_after,
            move.places,
            move.base_before,
            move.base_after,
        ]
        for move in found.moves
    ]
    return _csv(columns, rows)


def _moves(old: Leaderboard, new: Leaderboard) -> tuple[Move, ...]:
    before = {row.run_id: row for row in old.ranked}
    places = common_places(
        {row.run_id: row.base for row in old.ranked},
        {row.run_id: row.base for row in new.ranked},
        "lower" if new.lower_is_better else "higher",
    )
    return tuple(
        Move(
            run_id=row.run_id,
            shown_tag=row.tag,
            shown_team=row.team,
            rank_before=places[row.run_id].before,
            rank_after=places[row.run_id].after,
            base_before=before[row.run_id].base,
            base_after=row.base,
        )
        for row in new.ranked
        if row.run_id in places
    )


def _agreement(moves: tuple[Move, ...], *, lower_is_better: bool) -> dict[str, float | None]:
    scores = np.array([[m.base_before for m in moves], [m.base_after for m in moves]], dtype=float)
    scores = -scores if lower_is_better else scores
    if len(moves) < 2:
        return {"tau_b": None, "tau_ap": None}
    tau_b, top_heavy = kendall_tau(scores)[0, 1], tau_ap(scores)[0, 1]
    return {
        "tau_b": None if np.isnan(tau_b) else float(tau_b),
        "tau_ap": None if np.isnan(top_heavy) else float(top_heavy),
    }


def _csv(columns: list[str], rows: list[list[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
