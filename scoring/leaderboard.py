"""The rows of a leaderboard: the same for page, CSV, JSON and chart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Count, Exists, OuterRef

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.board_choices import (
    chosen_filters,
    chosen_measure,
    chosen_persistence,
    chosen_version,
    versions_offered,
)
from scoring.core.means import shown_digits
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.standing import shared_ranks
from scoring.definitions import Rules, rules_of
from scoring.grade_cube import means_from_grades
from scoring.live_scores import STANDINGS, LiveRun, facts_of_run, live_scores
from scoring.models import Evaluation, TieRule

__all__ = [
    "Leaderboard",
    "Row",
    "board_asked",
    "chosen_measure",
    "leaderboard",
    "sorted_rows",
    "versions_offered",
]

JUDGED = parse_measure("Judged@10")


@dataclass(frozen=True, kw_only=True)
class Row(LiveRun):
    """One run on the board. `base` is its mean score, unjudged documents counted as worthless;
    `residual` what they could still add; None where the measure has none that is exact."""

    rank: int | None
    base: float | None
    residual: float | None
    judged_at_10: float | None
    topic_count: int

    @property
    def upper(self) -> float | None:
        if self.base is None or self.residual is None:
            return None
        return self.base + self.residual


@dataclass(frozen=True)
class Leaderboard:
    """Rows in the order of the board, and what they were computed from. Late and disqualified runs
    stand below the others, without a rank."""

    measure: Measure
    qrels: Qrels | None
    is_in_force: bool  # the qrels version is the active one
    rows: tuple[Row, ...]
    teams: tuple[tuple[str, str], ...]  # public id and name of every team on it, also when filtered
    topic_count: int
    waiting_count: int  # runs that would be ranked but have no score yet
    failed_count: int
    lower_is_better: bool
    filters: Mapping[str, str]  # what only some of its rows were asked for by

    @cached_property
    def ranked(self) -> tuple[Row, ...]:
        """The rows that have a rank, best first."""
        return tuple(row for row in self.rows if row.rank is not None)

    @property
    def has_residuals(self) -> bool:
        return any(row.residual is not None for row in self.rows)

    @property
    def digits(self) -> int:
        """Decimals worth showing: no more than the widest residual leaves certain."""
        residuals = [row.residual for row in self.rows if row.residual is not None]
        return shown_digits(max(residuals)) if residuals else 4

    @property
    def could_lead(self) -> tuple[Row, ...]:
        """Runs below the first whose unjudged documents alone could lift them above its base."""
        if not self.ranked or self.ranked[0].base is None:
            return ()
        best = self.ranked[0].base
        return tuple(r for r in self.ranked if r.rank != 1 and (r.upper or 0.0) > best)


def board_asked(
    viewer: Viewer, asked: Mapping[str, str], *, offered: Sequence[Qrels] | None = None
) -> Leaderboard:
    """The board that a query asks for, for page, CSV and API alike: `measure`, `qrels`, `p`,
    `team`, `type`. Other names are not heard; raises Http404 for a value that is not offered.

    `offered` are the qrels versions to choose from, where the caller has them already.
    """
    measure = chosen_measure(viewer, asked.get("measure"))
    qrels = chosen_version(viewer, asked.get("qrels"), offered)
    board = leaderboard(viewer, measure, qrels=qrels)
    at_p = chosen_persistence(measure, asked.get("p"))
    if at_p is not None and board.qrels is not None:
        board = _scored_anew(board, at_p, means_from_grades(viewer.campaign, board.qrels, at_p))
    filters = chosen_filters(asked, teams={team for team, _ in board.teams})
    return replace(
        board,
        filters=filters,
        rows=tuple(
            row
            for row in board.rows
            if filters.get("team", row.team_id) == row.team_id
            and filters.get("type", row.run_type) == row.run_type
        ),
    )


def leaderboard(viewer: Viewer, measure: Measure, *, qrels: Qrels | None = None) -> Leaderboard:
    """The board of one measure under one qrels version (default: the active one). Two queries.

    The viewer must be one who may see the board.
    """
    campaign = viewer.campaign
    rules = rules_of(campaign)
    qrels = qrels or campaign.active_qrels
    lower_is_better = family_of(measure).facts.direction == "lower"
    rows = _placed(_rows(viewer, rules, qrels, measure) if qrels else [], lower_is_better)
    standing, failed = _counts(viewer, qrels, rules, measure)
    scored = sum(row.is_ranked for row in rows)
    return Leaderboard(
        measure=measure,
        qrels=qrels,
        is_in_force=qrels is None or qrels.pk == campaign.active_qrels_id,
        rows=rows,
        teams=tuple(sorted({(r.team_id, r.team) for r in rows}, key=lambda t: t[1].lower())),
        topic_count=max((row.topic_count for row in rows), default=0),
        waiting_count=max(standing - scored - failed, 0),
        failed_count=failed,
        lower_is_better=lower_is_better,
        filters={},
    )


def _scored_anew(
    board: Leaderboard, measure: Measure, means: Mapping[str, tuple[float | None, float | None]]
) -> Leaderboard:
    """The same runs by another measure of the same direction."""
    rows = [
        replace(row, rank=None, base=base, residual=residual)
        for row in board.rows
        for base, residual in [means.get(row.run_id, (None, None))]
    ]
    return replace(board, measure=measure, rows=_placed(rows, board.lower_is_better))


def _rows(viewer: Viewer, rules: Rules, qrels: Qrels, measure: Measure) -> list[Row]:
    """A row for each run that has a score of the measure; one query for it and Judged@10."""
    fields = ("mean_base", "mean_residual", "topic_count")
    scores = list(live_scores(viewer, rules, qrels, (measure, JUDGED), *fields))
    judged = {s["run"]: s["mean_base"] for s in scores if s["measure"] == str(JUDGED)}
    return [
        Row(
            **facts_of_run(viewer, score),
            rank=None,
            base=score["mean_base"],
            residual=score["mean_residual"],
            judged_at_10=judged.get(score["run"]),
            topic_count=score["topic_count"],
        )
        for score in scores
        if score["measure"] == str(measure)
    ]


def _placed(rows: list[Row], lower_is_better: bool) -> tuple[Row, ...]:
    """Best first, equal scores sharing a rank; runs without a score below them, and below these
    the late and the disqualified ones, all without a rank."""
    values = np.array(
        [row.base if row.is_ranked and row.base is not None else np.nan for row in rows],
        dtype=float,
    )
    ranks = shared_ranks(values, "lower" if lower_is_better else "higher")
    placed = [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]

    def place(row: Row) -> tuple[Any, ...]:
        best_first = 0.0 if row.rank or row.base is None else row.base
        return (
            STANDINGS.index(row.standing),
            row.rank or len(rows) + 1,
            row.base is None,
            best_first if lower_is_better else -best_first,
            row.tag.lower(),
        )

    return tuple(sorted(placed, key=place))


def _counts(viewer: Viewer, qrels: Qrels | None, rules: Rules, measure: Measure) -> tuple[int, int]:
    """How many runs are to be ranked, and how many of them have no score of the measure because
    computing it failed; one query."""
    failed = Evaluation.objects.filter(
        run=OuterRef("pk"),
        qrels=qrels,
        definitions=rules.digest,
        tie_rule=TieRule.DOCNO,
        state=Evaluation.State.FAILED,
    ).exclude(scores__measure=str(measure))
    found = (
        viewer.campaign.runs.ranked()
        .annotate(has_failed=Exists(failed))
        .values("has_failed")
        .annotate(count=Count("pk"))
        .order_by()
    )
    by_fate = {row["has_failed"]: row["count"] for row in found}
    return sum(by_fate.values()), by_fate.get(True, 0)


SORT_KEYS: dict[str, Callable[[Row], Any]] = {
    "rank": lambda row: 0,
    "run": lambda row: row.tag.lower(),
    "team": lambda row: row.team.lower(),
    "unknown": lambda row: (row.residual is None, -(row.residual or 0.0)),
    "judged": lambda row: (row.judged_at_10 is None, -(row.judged_at_10 or 0.0)),
}


def sorted_rows(board: Leaderboard, key: str) -> tuple[Row, ...]:
    """The rows in another order, ranks unchanged; the board's own order for an unknown key."""
    return tuple(sorted(board.rows, key=SORT_KEYS.get(key, SORT_KEYS["rank"])))
