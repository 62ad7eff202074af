"""What the page of two runs shows of them, drawn; kept in memory like boards (`drawn_boards`).

Of thousands of topics drawing takes a tenth of a second, so many readers of one comparison would
hold up everybody else.
"""

from dataclasses import dataclass
from typing import NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string

from campaigns import access
from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.analyses.responses import TOPICS
from scoring.comparison.charts import difference_chart, persistence_chart
from scoring.comparison.persistence import AtPersistence, bands
from scoring.comparison.rows import (
    Comparison,
    chosen_runs,
    compared,
    ranked_runs,
    ticked_runs,
    with_interval,
)
from scoring.core.measures.measure import Measure
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.output.responses import page_or_404
from scoring.results.cache import cached_board
from scoring.results.options import chosen_measure, chosen_version, versions_offered
from scoring.results.runs import BoardRun


@dataclass(frozen=True)
class ComparisonQuery:
    """What a query asks for; `found` is without its interval."""

    measure: Measure
    qrels: Qrels | None
    versions: list[Qrels]
    runs: tuple[BoardRun, ...]
    found: Comparison | None


class RenderedComparison(NamedTuple):
    """The part of the page, and the analysis that it waits for."""

    text: str
    has_figure: bool
    analysis: Analysis | None


CHARACTERS = 4_000_000  # some twenty comparisons by 250 topics
DRAWN: LRUCache[RenderedComparison] = LRUCache(room=CHARACTERS)


def rendered_comparison(request: HttpRequest, viewer: Viewer) -> RenderedComparison:
    """The viewer must be one who may see scores by topic. Raises UnknownChoice."""

    def draw() -> tuple[RenderedComparison, int]:
        drawn, is_complete = _render(request, viewer)
        return drawn, len(drawn.text) if is_complete else CHARACTERS + 1

    return cached_board(DRAWN, viewer, request.GET, draw, shows_topics=True)


def comparison_query(viewer: Viewer, params: QueryDict) -> ComparisonQuery:
    """Raises UnknownChoice."""
    measure = chosen_measure(viewer, params.get("measure"))
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, params.get("qrels"), versions)
    qrels = qrels or viewer.campaign.active_qrels
    runs = ranked_runs(viewer, qrels, measure) if qrels else ()
    chosen = chosen_runs(runs, params)
    found = compared(viewer, qrels, measure, *chosen) if qrels and chosen else None
    return ComparisonQuery(measure, qrels, versions, runs, found)


def bands_query(
    viewer: Viewer, found: Comparison | None
) -> tuple[tuple[AtPersistence, ...], Analysis | None]:
    """Of two different runs; and the analysis, while a worker computes them."""
    if found is None or found.first.run_id == found.second.run_id:
        return (), None
    return bands(viewer, found)


def _render(request: HttpRequest, viewer: Viewer) -> tuple[RenderedComparison, bool]:
    """And whether it is complete: what a worker computes, and grades that are not stored, are not
    in the key, so a page without them is drawn every time."""
    query = comparison_query(viewer, request.GET)
    found = with_interval(viewer, query.found) if query.found else None
    by_p, awaited_bands = bands_query(viewer, found)
    figure = difference_chart(found) if found and found.topics else None
    parts = {
        "ticked": len(ticked_runs(request.GET)),
        "viewer": viewer,
        "campaign": viewer.campaign,
        "offered": rules_of(viewer.campaign).measures,
        "measure": query.measure,
        "qrels": query.qrels,
        "versions": query.versions,
        "runs": query.runs,
        "found": found,
        "page": page_or_404(request, Paginator(found.topics if found else (), TOPICS)),
        "bands": by_p,
        "awaited_bands": awaited_bands,
        "leads": [sum(row.leader == place for row in by_p) for place in (1, 2)],
        "band_figure": persistence_chart(found, by_p) if found and by_p else None,
        "sees_sides": found is not None and _sees_sides(viewer, found),
        "figure": figure,
    }
    text = render_to_string("scoring/comparison/_compare.html", parts, request)
    awaited = (found.analysis if found else None) or awaited_bands
    drawn = RenderedComparison(text, figure is not None, awaited)
    return drawn, bool(by_p) and awaited is None


def _sees_sides(viewer: Viewer, found: Comparison) -> bool:
    """Whether the rankings of both may be laid side by side, under the qrels in force."""
    ids = {found.first.run_id, found.second.run_id}
    is_in_force = found.qrels == viewer.campaign.active_qrels
    return is_in_force and access.graded_runs(viewer, ids).keys() == ids
