"""The runs that a viewer may see, as a file. The page and the API are in `campaigns/runs/`."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, Final

from django.http import HttpRequest
from django.views.decorators.http import require_safe

from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.runs.description import shown_answer
from campaigns.runs.list_views import team_or_login, viewer_of_runs_or_404
from campaigns.runs.rows import listed_runs, run_records
from scoring.output.responses import TableResponse, table_response
from scoring.output.table import Column, Table

_DETAILS: Final = (
    *("submitted_at", "disqualified_because", "sha256", "size", "problem_count", "priority"),
    "description",
)


@require_safe
@team_or_login
def listed_runs_file(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = viewer_of_runs_or_404(request, slug)
    table = listed_runs_table(viewer, listed_runs(viewer, request.GET))
    return table_response(request, table, f"{slug}-runs", suffix, title=viewer.campaign.name)


def listed_runs_table(viewer: Viewer, runs: list[Run]) -> Table:
    """One row for each run, with one column for each field that the organisers added. LaTeX has
    what fits into the table of a paper."""
    columns = (
        _column("id"),
        *(_column(key, heading=key) for key in ("run", "team", "type", "state")),
        Column("is_late", lambda record: "yes" if record["is_late"] else "no"),
        *map(_column, _DETAILS),
        *map(_answer_column, viewer.campaign.run_fields),
    )
    if viewer.can_see_baselines:
        columns += (Column("is_baseline", lambda record: "yes" if record["is_baseline"] else "no"),)
    return Table(columns, run_records(viewer, runs), "runs, newest first.")


def _column(key: str, heading: str | None = None) -> Column:
    return Column(key, itemgetter(key), heading, align="l")


def _answer_column(field: Mapping[str, Any]) -> Column:
    def answer_of(record: Mapping[str, Any]) -> str | float | None:
        answer = record["answers"].get(field["name"])
        return None if answer is None else shown_answer(answer)

    return Column(f"answer_{field['name']}", answer_of, field["label"], align="l")
