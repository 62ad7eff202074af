"""Agreement of measures, or of versions of the qrels, on the order of the runs."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.access import preview_query
from campaigns.options import takes
from scoring.agreement.charts import agreement_chart
from scoring.agreement.options import AXES, PERSISTENCES, STATISTICS, chosen_map, chosen_pair
from scoring.agreement.ordering_charts import orderings_chart
from scoring.agreement.orderings import pair_of_orderings
from scoring.agreement.rows import AgreementMapCell, agreement, agreement_table
from scoring.agreement.tables import (
    STATISTIC_COLUMNS,
    ordering_columns,
    orderings_table,
    references_table,
    statistics_table,
    swap_columns,
    swaps_table,
)
from scoring.evaluation.rules import rules_of
from scoring.output.api import QRELS
from scoring.output.public import public_page
from scoring.output.responses import page_or_404
from scoring.output.result_view import Answer, ResultView
from scoring.results.options import versions_offered

RUNS = 200  # on one page
MANY = 14  # measures whose numbers need the full width of the page


@takes("m", "ref", "statistic", "p", "qrels", "a", "b", "against", "axes")
@require_safe
@public_page
def agreement_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    """The map of the measures; with the parameter `a`, two orderings."""
    context = {"viewer": viewer, "campaign": viewer.campaign}
    if request.GET.get("a") and viewer.campaign.active_qrels is not None:
        versions = versions_offered(viewer)
        choice = chosen_pair(viewer, request.GET, versions)
        pair = pair_of_orderings(viewer, choice)
        slug, query = viewer.campaign.slug, preview_query(viewer)
        links = {
            row.run.run_id: reverse("scoring:run-detail", args=[slug, row.run.run_id]) + query
            for row in pair.rows
        }
        context |= {
            "pair": pair,
            "page": page_or_404(request, Paginator(pair.rows, RUNS)),
            "choice": choice,
            # If one or the other ties every pair of runs, there are no two orders to compare.
            "chart": orderings_chart(pair, links) if pair.tied < pair.pairs else None,
            "offered": rules_of(viewer.campaign).measures,
            "versions": versions,
            "axes": AXES,
        }
        return render(request, "scoring/agreement/agreement_pair.html", context)
    return render(request, "scoring/agreement/agreement.html", context | _map(request, viewer))


def _statistics(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each pair of measures, with every statistic of the page."""
    choice = chosen_map(viewer, params, versions_offered(viewer))
    return Answer(statistics_table(agreement_table(viewer, choice)), [choice.qrels])


def _references(viewer: access.Viewer, params: QueryDict) -> Answer:
    choice = chosen_map(viewer, params, versions_offered(viewer))
    return Answer(references_table(agreement(viewer, choice)), [choice.qrels])


def _orderings(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each run that has a score in both orderings, in the order of a."""
    choice = chosen_pair(viewer, params, versions_offered(viewer))
    return Answer(orderings_table(pair_of_orderings(viewer, choice)), choice.versions)


def _swaps(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each pair of runs in opposite order, those nearest the top first."""
    choice = chosen_pair(viewer, params, versions_offered(viewer))
    return Answer(swaps_table(pair_of_orderings(viewer, choice)), choice.versions)


PAIR = [
    OpenApiParameter("a", str, description="a measure; default: the campaign’s first"),
    OpenApiParameter("b", str, description="another one; default: the same"),
    QRELS,
    OpenApiParameter("against", int, description="the version of b; default: that of a"),
]
STATISTICS_OF_PAIRS = ResultView(
    name="agreement",
    title="Agreement of measures on the order of the runs",
    answer=_statistics,
    in_latex=_references,
    row="Agreement",
    row_description="Two measures over the runs of the board; null if a statistic is not defined.",
    columns=STATISTIC_COLUMNS,
    parameters=[
        OpenApiParameter("m", str, many=True, description="measures; default: the campaign’s"),
        OpenApiParameter("p", str, description="p of rbo; default: 0.9"),
        QRELS,
    ],
    row_example={
        "measure_a": "AP", "measure_b": "nDCG@10", "tau": 0.82, "tau_b": 0.82, "tau_ap": 0.76,
        "rbo": 0.91,
    },
)  # fmt: skip
ORDERINGS = ResultView(
    name="agreement-runs",
    file_name="two-orderings",
    title="Runs in two orderings",
    answer=_orderings,
    row="OrderedRun",
    row_description="A run in two orderings, each by a measure and a version of the qrels.",
    columns=ordering_columns(),
    parameters=PAIR,
    row_example={
        "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni", "ordering_a": "AP",
        "ordering_b": "nDCG@10", "rank_a": 2, "rank_b": 1, "ranks_gained": 1, "score_a": 0.31,
        "score_b": 0.52,
    },
)  # fmt: skip
SWAPS = ResultView(
    name="agreement-swaps",
    file_name="swapped-pairs",
    title="Pairs of runs that two orderings swap",
    answer=_swaps,
    row="SwappedPair",
    row_description="Two runs in opposite order: the first is better by a, the second by b.",
    columns=swap_columns(),
    parameters=PAIR,
    row_example={
        "depth": 1, "ordering_a": "AP", "ordering_b": "nDCG@10", "first_by_a": "uni-bm25",
        "team_of_first_by_a": "Uni", "rank_a_of_first_by_a": 1, "rank_b_of_first_by_a": 2,
        "first_by_b": "lab-dense", "team_of_first_by_b": "Lab", "rank_a_of_first_by_b": 2,
        "rank_b_of_first_by_b": 1,
    },
)  # fmt: skip


def _map(request: HttpRequest, viewer: access.Viewer) -> dict[str, Any]:
    versions = versions_offered(viewer)
    choice = chosen_map(viewer, request.GET, versions)
    agreement_map = agreement(viewer, choice)

    def url_of(cell: AgreementMapCell) -> str:
        query = request.GET.copy()
        query["a"], query["b"] = str(cell.row), str(cell.column)
        return f"{request.path}?{query.urlencode()}"

    return {
        "agreement_map": agreement_map,
        "choice": choice,
        "chart": agreement_chart(agreement_map, url_of) if agreement_map.least else None,
        "figure_size": "square agreement-map"
        + (" large" if len(agreement_map.rows) > MANY else ""),
        "chosen": {name: request.GET.getlist(name) for name in ("m", "ref")},
        "offered": rules_of(viewer.campaign).measures,
        "versions": versions,
        "other_version": next((v.version for v in versions if v != choice.qrels), None),
        "statistics": STATISTICS,
        "persistences": sorted({*PERSISTENCES, str(choice.persistence)}, key=float),
    }
