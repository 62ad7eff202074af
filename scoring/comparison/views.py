"""Comparison of two runs."""

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import analysed_page, hidden_page
from scoring.comparison.page import bands_query, comparison_query, rendered_comparison
from scoring.comparison.rows import selected_runs, with_interval
from scoring.comparison.tables import comparison_table, persistence_table
from scoring.output.responses import TableResponse, table_response
from scoring.results.options import can_compare_runs


@require_safe
def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not can_compare_runs(viewer):
        return hidden_page(request, viewer)
    selected = selected_runs(request.GET)
    if len(selected) == 2:
        return redirect(f"{request.path}?{_as_pair(request.GET, selected).urlencode()}")
    rendered = rendered_comparison(request, viewer)
    context = {"viewer": viewer, "campaign": viewer.campaign, "rendered": rendered}
    return analysed_page(request, "scoring/comparison/compare.html", context, rendered.analysis)


@require_safe
def compare_rows(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = _viewer(request, slug)
    query = comparison_query(viewer, request.GET)
    comparison = query.comparison
    if comparison is not None and suffix == "tex":
        comparison = with_interval(viewer, comparison)
    awaits = comparison.analysis if comparison else None
    table, title, name = comparison_table(comparison), viewer.campaign.name, f"{slug}-compare"
    qrels = [query.qrels]
    return table_response(request, table, name, suffix, title=title, awaits=awaits, qrels=qrels)


@require_safe
def compare_persistences(request: HttpRequest, slug: str) -> TableResponse:
    """RBP of both runs as a function of p."""
    viewer = _viewer(request, slug)
    query = comparison_query(viewer, request.GET)
    rows, analysis = bands_query(viewer, query.comparison)
    table, name = persistence_table(query.comparison, rows), f"{slug}-compare-by-p"
    return table_response(request, table, name, awaits=analysis, qrels=[query.qrels])


def _viewer(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not can_compare_runs(viewer):
        raise Http404
    return viewer


def _as_pair(params: QueryDict, selected: list[str]) -> QueryDict:
    """The parameters `a` and `b` instead of two `run`."""
    params = params.copy()
    del params["run"]
    params["a"], params["b"] = selected
    return params
