"""Two versions of the qrels side by side, and how far scoring is."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.choices import one_of
from campaigns.qrels_versions import version_or_404
from scoring.board_choices import chosen_measure
from scoring.definitions import rules_of
from scoring.qrels_diff import VersionDiff, changes_csv, diff, moves_csv

SHOWN_CHANGES = 1000
TABLES = {"judgments": changes_csv, "runs": moves_csv}


@require_safe
def qrels_diff(request: HttpRequest, slug: str, old: int, new: int) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    found = _found(viewer, old, new, request.GET.get("measure"))
    return render(
        request,
        "scoring/qrels_diff.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "diff": found,
            "changes": list(found.changes.first(SHOWN_CHANGES)),
            "change_count": len(found.changes),
            "measure": found.measure,
            "offered": rules_of(viewer.campaign).measures,
        },
    )


@require_safe
def qrels_diff_csv(request: HttpRequest, slug: str, old: int, new: int) -> HttpResponse:
    """?table=judgments, or runs."""
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    table = one_of("table", request.GET.get("table"), list(TABLES), usual="judgments")
    found = _found(viewer, old, new, request.GET.get("measure"))
    response = HttpResponse(TABLES[table](found), content_type="text/csv; charset=utf-8")
    name = f"{slug}-qrels-v{old}-v{new}-{table}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@login_required
@require_safe
def rescoring(request: HttpRequest, slug: str) -> HttpResponse:
    """The progress bar, which asks for itself until all runs are scored."""
    viewer = access.organiser_or_404(request.user, slug)
    return render(request, "scoring/_rescoring.html", {"campaign": viewer.campaign})


def _found(viewer: access.Viewer, old: int, new: int, measure: str | None) -> VersionDiff:
    """Of a board and qrels that this viewer may see both."""
    before, after = version_or_404(viewer, old), version_or_404(viewer, new)
    return diff(viewer, before, after, chosen_measure(viewer, measure))
