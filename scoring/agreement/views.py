"""Agreement of measures, or of versions of the qrels, on the order of the runs."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.access import preview_query
from scoring.agreement.charts import agreement_chart
from scoring.agreement.options import AXES, PERSISTENCES, STATISTICS, chosen_map, chosen_pair
from scoring.agreement.ordering_charts import orderings_chart
from scoring.agreement.orderings import PairOfOrderings, pair_of_orderings
from scoring.agreement.rows import AgreementMapCell, agreement, agreement_table
from scoring.agreement.tables import (
    orderings_table,
    references_table,
    statistics_table,
    swaps_table,
)
from scoring.evaluation.rules import rules_of
from scoring.output.public import board_viewer, public_page, public_table
from scoring.output.responses import TableResponse, page_or_404, table_response
from scoring.results.options import versions_offered

RUNS = 200  # on one page
MANY = 14  # measures whose numbers need the full width of the page


@require_safe
@public_page
def agreement_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    """The map of the measures; with the parameter `a`, two orderings."""
    context = {"viewer": viewer, "campaign": viewer.campaign}
    if request.GET.get("a") and viewer.campaign.active_qrels is not None:
        return render(
            request, "scoring/agreement/agreement_pair.html", context | _pair(request, viewer)
        )
    return render(request, "scoring/agreement/agreement.html", context | _map(request, viewer))


@require_safe
@public_table(board_viewer)
def agreement_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    """All statistics of each pair; in LaTeX, agreement with the references."""
    choice = chosen_map(viewer, request.GET, versions_offered(viewer))
    table = (
        references_table(agreement(viewer, choice))
        if suffix == "tex"
        else statistics_table(agreement_table(viewer, choice))
    )
    title = viewer.campaign.name
    name = f"{viewer.campaign.slug}-agreement"
    return table_response(request, table, name, suffix, title=title, qrels=[choice.qrels])


@require_safe
@public_table(board_viewer)
def orderings_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    """Each run in both orderings."""
    choice = chosen_pair(viewer, request.GET, versions_offered(viewer))
    table, title = orderings_table(pair_of_orderings(viewer, choice)), viewer.campaign.name
    name = f"{viewer.campaign.slug}-two-orderings"
    return table_response(request, table, name, suffix, title=title, qrels=choice.versions)


@require_safe
@public_table(board_viewer)
def swapped_rows(request: HttpRequest, viewer: access.Viewer) -> TableResponse:
    choice = chosen_pair(viewer, request.GET, versions_offered(viewer))
    table = swaps_table(pair_of_orderings(viewer, choice))
    name = f"{viewer.campaign.slug}-swapped-pairs"
    return table_response(request, table, name, qrels=choice.versions)


def _map(request: HttpRequest, viewer: access.Viewer) -> dict[str, Any]:
    versions = versions_offered(viewer)
    choice = chosen_map(viewer, request.GET, versions)
    agreement_map = agreement(viewer, choice)

    def address_of(cell: AgreementMapCell) -> str:
        query = request.GET.copy()
        query["a"], query["b"] = str(cell.row), str(cell.column)
        return f"{request.path}?{query.urlencode()}"

    return {
        "agreement_map": agreement_map,
        "choice": choice,
        "chart": agreement_chart(agreement_map, address_of) if agreement_map.least else None,
        "figure_size": "square agreement-map"
        + (" large" if len(agreement_map.rows) > MANY else ""),
        "chosen": {name: request.GET.getlist(name) for name in ("m", "ref")},
        "offered": rules_of(viewer.campaign).measures,
        "versions": versions,
        "other_version": next((v.version for v in versions if v != choice.qrels), None),
        "statistics": STATISTICS,
        "persistences": sorted({*PERSISTENCES, str(choice.persistence)}, key=float),
    }


def _pair(request: HttpRequest, viewer: access.Viewer) -> dict[str, Any]:
    versions = versions_offered(viewer)
    choice = chosen_pair(viewer, request.GET, versions)
    pair = pair_of_orderings(viewer, choice)
    links = _run_links(viewer, pair)
    return {
        "pair": pair,
        "page": page_or_404(request, Paginator(pair.rows, RUNS)),
        "choice": choice,
        "chart": orderings_chart(pair, links) if pair.tied < pair.pairs else None,
        "offered": rules_of(viewer.campaign).measures,
        "versions": versions,
        "axes": AXES,
    }


def _run_links(viewer: access.Viewer, pair: PairOfOrderings) -> dict[str, str]:
    slug, query = viewer.campaign.slug, preview_query(viewer)
    ids = (row.run.run_id for row in pair.rows)
    return {run_id: reverse("scoring:run-detail", args=[slug, run_id]) + query for run_id in ids}
