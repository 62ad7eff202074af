"""Two runs side by side."""

import io
from dataclasses import dataclass

from defusedcsv import csv
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Qrels
from scoring.board_choices import chosen_measure, chosen_version, versions_offered
from scoring.charts.comparison import difference_chart, persistence_chart
from scoring.compared_persistences import AtPersistence, bands, bands_csv
from scoring.comparison import (
    Comparison,
    chosen_runs,
    compared,
    ranked_runs,
    ticked_runs,
    with_interval,
)
from scoring.core.measures.measure import Measure
from scoring.definitions import rules_of
from scoring.exports.latex_scores import compare_latex
from scoring.live_scores import LiveRun
from scoring.models import Analysis
from scoring.topic_rows import sees_topic_means
from scoring.views.analysed import (
    TOPICS,
    analysed_page,
    attached_csv,
    attached_latex,
    hidden_page,
    latex_names,
    not_computed_yet,
    page_or_404,
)

COLUMNS = ("topic", "title", "measure", "a", "b", "a_score", "b_score", "difference", "lowest",
           "highest", "qrels")  # fmt: skip


@dataclass(frozen=True)
class _Asked:
    measure: Measure
    qrels: Qrels | None
    versions: list[Qrels]
    runs: tuple[LiveRun, ...]
    found: Comparison | None


@require_safe
def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not sees_topic_means(viewer):
        return hidden_page(request, viewer)
    ticked = ticked_runs(request.GET)
    if len(ticked) == 2:
        return redirect(f"{request.path}?{_as_two(request.GET, ticked).urlencode()}")
    asked = _asked(request, viewer)
    found = with_interval(viewer, asked.found) if asked.found else None
    by_p, analysis = _bands(viewer, found)
    context = {
        "ticked": len(ticked),
        "viewer": viewer,
        "campaign": viewer.campaign,
        "offered": rules_of(viewer.campaign).measures,
        "measure": asked.measure,
        "qrels": asked.qrels,
        "versions": asked.versions,
        "runs": asked.runs,
        "found": found,
        "page": page_or_404(request, Paginator(found.topics if found else (), TOPICS)),
        "bands": by_p,
        "awaited_bands": analysis,
        "leads": [sum(row.leader == place for row in by_p) for place in (1, 2)],
        "band_figure": persistence_chart(found, by_p) if found and by_p else None,
        "sees_sides": found is not None and _sees_sides(viewer, found),
        "figure": difference_chart(found) if found and found.topics else None,
    }
    awaited = (found.analysis if found else None) or analysis
    return analysed_page(request, "scoring/compare.html", context, awaited)


@require_safe
def compare_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not sees_topic_means(viewer):
        raise Http404
    found = _asked(request, viewer).found
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    if found is not None:
        names = (str(found.measure), found.first.tag, found.second.tag)
        for row in found.topics:
            scores = (row.first, row.second, row.difference, row.lowest, row.highest)
            writer.writerow([row.code, row.title, *names, *scores, found.qrels.version])
    return attached_csv(out.getvalue(), f"{slug}-compare")


@require_safe
def compare_bands_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Both runs by RBP at every p."""
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not sees_topic_means(viewer):
        raise Http404
    found = _asked(request, viewer).found
    by_p, analysis = _bands(viewer, found)
    if analysis is not None:
        return not_computed_yet(analysis)
    return attached_csv(bands_csv(found, by_p), f"{slug}-compare-by-p")


def _as_two(query: QueryDict, ticked: list[str]) -> QueryDict:
    """The address of the page of two runs that were ticked."""
    named = query.copy()
    del named["run"]
    named["a"], named["b"] = ticked
    return named


def _sees_sides(viewer: access.Viewer, found: Comparison) -> bool:
    """Whether the rankings of both may be laid side by side, under the qrels in force."""
    ids = {found.first.run_id, found.second.run_id}
    is_in_force = found.qrels == viewer.campaign.active_qrels
    return is_in_force and access.graded_runs(viewer, ids).keys() == ids


@require_safe
def compare_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not sees_topic_means(viewer):
        raise Http404
    found = _asked(request, viewer).found
    if found is not None:
        found = with_interval(viewer, found)
        if found.analysis is not None:
            return not_computed_yet(found.analysis)
    text = compare_latex(found, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-compare")


def _asked(request: HttpRequest, viewer: access.Viewer) -> _Asked:
    measure = chosen_measure(viewer, request.GET.get("measure"))
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, request.GET.get("qrels"), versions)
    qrels = qrels or viewer.campaign.active_qrels
    runs = ranked_runs(viewer, qrels, measure) if qrels else ()
    chosen = chosen_runs(runs, request.GET)
    found = compared(viewer, qrels, measure, *chosen) if qrels and chosen else None
    return _Asked(measure, qrels, versions, runs, found)


def _bands(
    viewer: access.Viewer, found: Comparison | None
) -> tuple[tuple[AtPersistence, ...], Analysis | None]:
    """Of two different runs; and the analysis, while a worker computes them."""
    if found is None or found.first.run_id == found.second.run_id:
        return (), None
    return bands(viewer, found)
