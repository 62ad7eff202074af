"""The runs that a viewer may see, as rows of the page, the files and the API."""

from collections.abc import Callable, Mapping
from typing import Any

from campaigns import access
from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.options import choice_or_404


def listed_runs(viewer: Viewer, params: Mapping[str, str]) -> list[Run]:
    """Newest first, filtered by `team`, `type` and `state` of `params`. Raises UnknownChoice for a
    value that no visible run has."""
    runs = list(access.runs_visible_to(viewer).order_by("-submitted_at", "-pk"))
    for name, value_of in FILTERS.items():
        choices = {
            value_of(run): run.shown_team if name == "team" else value_of(run) for run in runs
        }
        if chosen := choice_or_404(name, params.get(name), choices, called=LABELS[name]):
            runs = [run for run in runs if value_of(run) == chosen]
    return runs


def state_of(run: Run) -> str:
    """Withdrawn, replaced or disqualified, else the state of its file."""
    if run.withdrawn_at is not None:
        return "withdrawn"
    if run.replaced_at is not None:
        return "replaced"
    if run.disqualified_at is not None or run.team.disqualified_at is not None:
        return "disqualified"
    return run.state


FILTERS: dict[str, Callable[[Run], str]] = {
    "team": lambda run: run.team.public_id,
    "type": lambda run: run.run_type,
    "state": state_of,
}
LABELS = {"team": "team", "type": "run type", "state": "run state"}


def run_records(viewer: Viewer, runs: list[Run]) -> list[dict[str, Any]]:
    """One record for each run. Values that this viewer may not see are empty."""
    sees_baselines = viewer.can_see_baselines
    return [
        _record(viewer, run) | ({"is_baseline": run.is_baseline} if sees_baselines else {})
        for run in runs
    ]


def _record(viewer: Viewer, run: Run) -> dict[str, Any]:
    is_followed = viewer.can_follow(run)
    can_name = viewer.can_name(run.team)
    # The digest or a word in the description could identify the team of an anonymous run.
    is_known = is_followed or (viewer.can_see_board and can_name)
    reason = run.disqualified_reason or run.team.disqualified_reason
    return {
        "id": run.public_id,
        "name": run.shown_name,  # as in the details of a run
        "run": run.shown_name,  # as in tables
        "team": run.shown_team,
        "type": run.run_type,
        "state": state_of(run),
        "is_late": run.is_late,
        "submitted_at": run.submitted_at.isoformat(),
        "disqualified_because": reason if can_name else "",
        "sha256": run.digest if is_known else "",
        "size": run.size if is_followed else None,
        "problem_count": run.problem_count if is_followed else None,
        "priority": run.judging_priority if is_followed else None,
        "description": run.description if is_known else "",
        "answers": run.answers if is_followed else {},
    }
