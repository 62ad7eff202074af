"""The runs that a viewer may see, as rows of the page, the CSV and the API."""

import io
from collections.abc import Callable, Mapping
from typing import Any

from defusedcsv import csv

from campaigns import access
from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.options import choice_or_404
from campaigns.runs.description import shown_answer

COLUMNS = (
    "id", "run", "team", "type", "state", "is_late", "submitted_at", "disqualified_because",
    "sha256", "size", "problem_count", "priority", "description",
)  # fmt: skip


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
    return [_record(viewer, run) | _baseline_mark(viewer, run) for run in runs]


def _baseline_mark(viewer: Viewer, run: Run) -> dict[str, bool]:
    return {"is_baseline": run.is_baseline} if viewer.can_see_baselines else {}


def runs_csv(viewer: Viewer, runs: list[Run]) -> str:
    """One line for each run, with one column for each field that the organisers added. Texts are
    escaped for spreadsheets."""
    fields = [field["name"] for field in viewer.campaign.run_fields]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    marks = ["is_baseline"] if viewer.can_see_baselines else []
    writer.writerow([*COLUMNS, *(f"answer_{name}" for name in fields), *marks])
    for record in run_records(viewer, runs):
        answers = record["answers"]
        row = [record[column] for column in COLUMNS]
        row[COLUMNS.index("is_late")] = "yes" if record["is_late"] else "no"
        for name in fields:
            answer = answers.get(name)
            row.append("" if answer is None else shown_answer(answer))
        row += ["yes" if record[mark] else "no" for mark in marks]
        writer.writerow(row)
    return out.getvalue()


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
