"""Differences between two versions of the qrels, and the progress of scoring."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.options import choice_or_404, takes
from campaigns.qrels.versions import version_or_404
from scoring.evaluation import rescoring as scoring_anew
from scoring.evaluation.rules import rules_of
from scoring.output.responses import TableResponse, table_response
from scoring.qrels.diff import VersionDiff, diff
from scoring.qrels.tables import changes_table, moves_table
from scoring.results.options import chosen_measure

SHOWN_CHANGES = 1000
TABLES = {"judgments": changes_table, "runs": moves_table}


@takes("measure")
@require_safe
def qrels_diff(request: HttpRequest, slug: str, old: int, new: int) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, params=request.GET)
    differences = _diff(viewer, old, new, request.GET.get("measure"))
    return render(
        request,
        "scoring/qrels/qrels_diff.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "diff": differences,
            "changes": list(differences.changes.first(SHOWN_CHANGES)),
            "change_count": len(differences.changes),
            "measure": differences.measure,
            "offered": rules_of(viewer.campaign).measures,
        },
    )


@require_safe
def qrels_diff_csv(request: HttpRequest, slug: str, old: int, new: int) -> TableResponse:
    """?table=judgments, or runs."""
    viewer = access.board_or_404(request.user, slug, params=request.GET)
    table = choice_or_404("table", request.GET.get("table"), list(TABLES), usual="judgments")
    differences = _diff(viewer, old, new, request.GET.get("measure"))
    name = f"{slug}-qrels-v{old}-v{new}-{table}"
    versions = [differences.old, differences.new]
    return table_response(request, TABLES[table](differences), name, qrels=versions)


@login_required
@require_safe
def rescoring(request: HttpRequest, slug: str) -> HttpResponse:
    """The progress bar, which polls this view until all runs are scored."""
    viewer = access.organiser_or_404(request.user, slug)
    context = {"campaign": viewer.campaign, "rescoring": scoring_anew.rescoring(viewer.campaign)}
    return render(request, "scoring/qrels/_rescoring.html", context)


def _diff(viewer: access.Viewer, old: int, new: int, measure: str | None) -> VersionDiff:
    """The viewer may see the board; raises Http404 for versions that they may not see."""
    before, after = version_or_404(viewer, old), version_or_404(viewer, new)
    return diff(viewer, before, after, chosen_measure(viewer, measure))
