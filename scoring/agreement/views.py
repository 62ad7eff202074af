"""Do two measures, or two versions of the qrels, put the runs in the same order?"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.agreement_choices import (
    AXES,
    PERSISTENCES,
    STATISTICS,
    chosen_map,
    chosen_pair,
)
from scoring.agreement_pairs import PairOfOrderings, pair_of_orderings
from scoring.agreement_rows import Cell, agreement, agreement_table
from scoring.agreement_tables import agreement_csv, runs_csv, swaps_csv
from scoring.board_choices import versions_offered
from scoring.charts.agreement import agreement_chart
from scoring.charts.orderings import orderings_chart
from scoring.definitions import rules_of
from scoring.exports.latex_studies import agreement_latex, orderings_latex
from scoring.templatetags.previews import preview_query
from scoring.views.analysed import attached_csv, attached_latex, latex_names

MANY = 14  # measures whose figures need the whole width of the page


@require_safe
def agreement_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The map of the measures; with `a` in the address two orderings side by side."""
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    context = {"viewer": viewer, "campaign": viewer.campaign}
    if not viewer.can_see_board:
        return render(request, "scoring/leaderboard_hidden.html", context)
    if request.GET.get("a") and viewer.campaign.active_qrels is not None:
        return render(request, "scoring/agreement_pair.html", context | _pair(request, viewer))
    return render(request, "scoring/agreement.html", context | _map(request, viewer))


@require_safe
def agreement_rows(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    choice = chosen_map(viewer, request.GET, versions_offered(viewer))
    return attached_csv(agreement_csv(agreement_table(viewer, choice)), f"{slug}-agreement")


@require_safe
def agreement_tex(request: HttpRequest, slug: str) -> HttpResponse:
    """The measures beside the references."""
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    choice = chosen_map(viewer, request.GET, versions_offered(viewer))
    names = latex_names(request, viewer)
    return attached_latex(agreement_latex(agreement(viewer, choice), **names), f"{slug}-agreement")


@require_safe
def orderings_rows(request: HttpRequest, slug: str) -> HttpResponse:
    """Each run in both orderings."""
    return attached_csv(runs_csv(_found_pair(request, slug)), f"{slug}-two-orderings")


@require_safe
def orderings_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    found = pair_of_orderings(viewer, chosen_pair(viewer, request.GET, versions_offered(viewer)))
    text = orderings_latex(found, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-two-orderings")


@require_safe
def swapped_rows(request: HttpRequest, slug: str) -> HttpResponse:
    return attached_csv(swaps_csv(_found_pair(request, slug)), f"{slug}-swapped-pairs")


def _map(request: HttpRequest, viewer: access.Viewer) -> dict[str, Any]:
    versions = versions_offered(viewer)
    choice = chosen_map(viewer, request.GET, versions)
    found = agreement(viewer, choice)

    def address_of(cell: Cell) -> str:
        query = request.GET.copy()
        query["a"], query["b"] = str(cell.row), str(cell.column)
        return f"{request.path}?{query.urlencode()}"

    return {
        "found": found,
        "choice": choice,
        "chart": agreement_chart(found, address_of) if found.least else None,
        "figure_size": "square agreement-map" + (" large" if len(found.rows) > MANY else ""),
        "chosen": {name: request.GET.getlist(name) for name in ("m", "ref")},
        "offered": rules_of(viewer.campaign).measures,
        "versions": versions,
        "other_version": next((v.version for v in versions if v != choice.qrels), None),
        "statistics": STATISTICS,
        "persistences": _persistences(choice.persistence),
    }


def _pair(request: HttpRequest, viewer: access.Viewer) -> dict[str, Any]:
    versions = versions_offered(viewer)
    choice = chosen_pair(viewer, request.GET, versions)
    found = pair_of_orderings(viewer, choice)
    links = _run_links(viewer, found)
    return {
        "found": found,
        "choice": choice,
        "chart": orderings_chart(found, links) if found.tied < found.pairs else None,
        "offered": rules_of(viewer.campaign).measures,
        "versions": versions,
        "axes": AXES,
    }


def _found_pair(request: HttpRequest, slug: str) -> PairOfOrderings:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    return pair_of_orderings(viewer, chosen_pair(viewer, request.GET, versions_offered(viewer)))


def _run_links(viewer: access.Viewer, found: PairOfOrderings) -> dict[str, str]:
    slug, query = viewer.campaign.slug, preview_query(viewer)
    ids = (row.run.run_id for row in found.rows)
    return {run_id: reverse("scoring:run-detail", args=[slug, run_id]) + query for run_id in ids}


def _persistences(chosen: float) -> list[str]:
    return sorted({*PERSISTENCES, str(chosen)}, key=float)
