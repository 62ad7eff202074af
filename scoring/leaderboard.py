"""The rows of a leaderboard: the same for page, CSV, JSON and chart."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import F
from django.http import Http404

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.core.means import shown_digits
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import BadMeasure, UnknownMeasure, parse_measure
from scoring.core.standing import shared_ranks
from scoring.definitions import Rules, rules_of, version_of
from scoring.models import Evaluation, Score, TieRule

JUDGED = parse_measure("Judged@10")


@dataclass(frozen=True)
class Row:
    """One run on the board. `base` is its mean score, unjudged documents counted as worthless;
    `residual` what they could still add; None where the measure has none that is exact."""

    rank: int | None
    run_id: str
    tag: str
    team: str
    team_id: int  # two teams may have one name
    run_type: str
    is_own: bool
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
    """Rows in the order of the board, and what they were computed from."""

    measure: Measure
    qrels: Qrels | None
    rows: tuple[Row, ...]
    topic_count: int
    waiting_count: int  # runs that stand on the board but have no score yet
    failed_count: int
    lower_is_better: bool

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
        if not self.rows or self.rows[0].base is None:
            return ()
        best = self.rows[0].base
        return tuple(r for r in self.rows[1:] if r.rank != 1 and (r.upper or 0.0) > best)


def chosen_measure(viewer: Viewer, name: str | None) -> Measure:
    """The measure of this name among those the campaign offers; without a name its first.

    Raises Http404 for any other.
    """
    offered = rules_of(viewer.campaign).measures
    if not name:
        return offered[0]
    try:
        measure = parse_measure(name)
    except (UnknownMeasure, BadMeasure) as error:
        raise Http404(str(error)) from error
    if measure not in offered:
        raise Http404(f"{measure} is not among this campaign's measures.")
    return measure


def leaderboard(viewer: Viewer, measure: Measure, *, qrels: Qrels | None = None) -> Leaderboard:
    """The board of one measure under one qrels version (default: the active one). Three queries.

    The viewer must be one who may see the board.
    """
    campaign = viewer.campaign
    rules = rules_of(campaign)
    qrels = qrels or campaign.active_qrels
    lower_is_better = family_of(measure).facts.direction == "lower"
    scores = _scores(viewer, rules, qrels, measure) if qrels else {}
    rows = [_row(viewer, facts) for facts in scores.values()]
    standing = campaign.runs.ranked().count()
    failed = _failed_count(qrels, rules, measure)
    return Leaderboard(
        measure=measure,
        qrels=qrels,
        rows=_ranked(rows, lower_is_better),
        topic_count=max((row.topic_count for row in rows), default=0),
        waiting_count=max(standing - len(rows) - failed, 0),
        failed_count=failed,
        lower_is_better=lower_is_better,
    )


def _scores(
    viewer: Viewer, rules: Rules, qrels: Qrels, measure: Measure
) -> dict[int, dict[str, Any]]:
    """The facts of each run on the board, by run: one query for the measure and Judged@10.

    Only scores of the definitions in force: a board never mixes versions. While an evaluation is
    done again, say for one measure more, what it has already stays on the board.
    """
    wanted = {str(m): version_of(m) for m in (measure, JUDGED)}
    found = (
        Score.objects.filter(
            evaluation__qrels=qrels,
            evaluation__definitions=rules.digest,
            evaluation__tie_rule=TieRule.DOCNO,
            evaluation__run__in=viewer.campaign.runs.ranked(),
            measure__in=wanted,
        )
        .annotate(run=F("evaluation__run"))
        .values(
            "run",
            "measure",
            "definition",
            "mean_base",
            "mean_residual",
            "topic_count",
            run_id=F("evaluation__run__public_id"),
            tag=F("evaluation__run__tag"),
            run_type=F("evaluation__run__run_type"),
            team_id=F("evaluation__run__team"),
            team=F("evaluation__run__team__name"),
        )
    )
    facts: dict[int, dict[str, Any]] = {}
    judged = {}
    for score in found:
        if score["definition"] != wanted[score["measure"]]:
            continue
        if score["measure"] == str(JUDGED):
            judged[score["run"]] = score["mean_base"]
        if score["measure"] == str(measure):
            facts[score["run"]] = score
    return {run: fact | {"judged": judged.get(run)} for run, fact in facts.items()}


def _row(viewer: Viewer, facts: dict[str, Any]) -> Row:
    return Row(
        rank=None,
        run_id=facts["run_id"],
        tag=facts["tag"],
        team=facts["team"],
        team_id=facts["team_id"],
        run_type=facts["run_type"],
        is_own=viewer.team is not None and viewer.team.pk == facts["team_id"],
        base=facts["mean_base"],
        residual=facts["mean_residual"],
        judged_at_10=facts["judged"],
        topic_count=facts["topic_count"],
    )


def _ranked(rows: list[Row], lower_is_better: bool) -> tuple[Row, ...]:
    """Best first, equal scores sharing a rank; runs without a score last, without a rank."""
    values = np.array([np.nan if row.base is None else row.base for row in rows], dtype=float)
    ranks = shared_ranks(values, "lower" if lower_is_better else "higher")
    placed = [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]
    return tuple(sorted(placed, key=lambda row: (row.rank or len(rows) + 1, row.tag.lower())))


def _failed_count(qrels: Qrels | None, rules: Rules, measure: Measure) -> int:
    """Runs without a score of the measure because computing it failed."""
    if qrels is None:
        return 0
    failed = Evaluation.objects.filter(
        qrels=qrels,
        definitions=rules.digest,
        tie_rule=TieRule.DOCNO,
        state=Evaluation.State.FAILED,
        run__in=qrels.campaign.runs.ranked(),
    )
    return failed.exclude(scores__measure=str(measure)).count()


SORT_KEYS: dict[str, Callable[[Row], Any]] = {
    "rank": lambda row: (row.rank is None, row.rank or 0),
    "run": lambda row: row.tag.lower(),
    "team": lambda row: row.team.lower(),
    "unknown": lambda row: (row.residual is None, -(row.residual or 0.0)),
    "judged": lambda row: (row.judged_at_10 is None, -(row.judged_at_10 or 0.0)),
}


def sorted_rows(board: Leaderboard, key: str) -> tuple[Row, ...]:
    """The rows in another order, ranks unchanged; the board's own order for an unknown key."""
    return tuple(sorted(board.rows, key=SORT_KEYS.get(key, SORT_KEYS["rank"])))
