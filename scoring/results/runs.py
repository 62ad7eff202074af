"""The stored scores that a viewer may see, each with the facts of its run.

One query for the board and the pages of topics; it masks names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from campaigns.access import Viewer, shown_names
from campaigns.models import Qrels, Run
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import ScoringRules, version_of
from scoring.models import Score, TieRule

RUN = "evaluation__run__"
FACTS = {
    "run": F("evaluation__run"),
    "run_id": F(f"{RUN}public_id"),
    "team_id": F(f"{RUN}team__public_id"),
    "team_key": F(f"{RUN}team"),
    "run_type": F(f"{RUN}run_type"),
    "is_pooled": F(f"{RUN}is_pooled"),
    "is_baseline": F(f"{RUN}is_baseline"),
    "is_late": F(f"{RUN}is_late"),
    "run_disqualified_at": F(f"{RUN}disqualified_at"),
    "run_reason": F(f"{RUN}disqualified_reason"),
    "team_disqualified_at": F(f"{RUN}team__disqualified_at"),
    "team_reason": F(f"{RUN}team__disqualified_reason"),
    "is_anonymous": F(f"{RUN}team__is_anonymous"),
}
STATUSES = ("ranked", "late", "disqualified")


@dataclass(frozen=True, kw_only=True)
class BoardRun:
    """A run that is not withdrawn, with the names that this viewer may see."""

    run_id: str
    name: str
    team: str
    team_id: str  # two teams may have the same name
    run_type: str
    is_own: bool
    status: str  # one of STATUSES
    reason: str
    is_pooled: bool | None = None  # contributed to the pool; None: not stated
    is_baseline: bool = False

    @property
    def is_ranked(self) -> bool:
        return self.status == "ranked"


def scored_runs(viewer: Viewer) -> QuerySet[Run]:
    """The runs whose mean scores this viewer may see, late and disqualified runs included."""
    runs = viewer.campaign.runs.live()
    if viewer.can_see_board:
        return runs
    shows_own = viewer.team is not None and viewer.campaign.shows_own_scores
    return runs.filter(team=viewer.team) if shows_own else runs.none()


def board_scores(
    viewer: Viewer, rules: ScoringRules, qrels: Qrels, measures: Sequence[Measure], *fields: str
) -> Iterator[dict[str, Any]]:
    """These fields of each score, with the facts of its run; one query.

    Only scores of the current definitions, so that versions are never mixed. While an evaluation
    is repeated, for example for a new measure, its existing scores stay.
    """
    versions = {str(measure): version_of(measure) for measure in measures}
    scores = Score.objects.filter(
        evaluation__qrels=qrels,
        evaluation__definitions=rules.digest,
        evaluation__tie_rule=TieRule.DOCNO,
        evaluation__run__in=scored_runs(viewer),
        measure__in=versions,
    ).annotate(**shown_names(viewer, RUN))
    names = ("measure", "definition", "shown_name", "shown_team", *fields)
    # Without the cache of the queryset, which would hold all rows a second time.
    for score in scores.values(*names, **FACTS).iterator():
        if score["definition"] == versions[score["measure"]]:
            yield score


def board_run_fields(viewer: Viewer, score: dict[str, Any]) -> dict[str, Any]:
    """The fields of a BoardRun. The reason of an anonymous team is hidden, as it could name it."""
    is_own = viewer.team is not None and viewer.team.pk == score["team_key"]
    is_masked = score["is_anonymous"] and not is_own and not viewer.knows_all_names
    is_out = score["run_disqualified_at"] or score["team_disqualified_at"]
    return {
        "run_id": score["run_id"],
        "name": score["shown_name"],
        "team": score["shown_team"],
        "team_id": score["team_id"],
        "run_type": score["run_type"],
        "is_own": is_own,
        "is_pooled": score["is_pooled"],
        "is_baseline": score["is_baseline"] and viewer.can_see_baselines,
        "status": "disqualified" if is_out else "late" if score["is_late"] else "ranked",
        "reason": "" if is_masked else score["run_reason"] or score["team_reason"],
    }
