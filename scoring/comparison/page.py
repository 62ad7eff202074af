"""The part of the page that compares two runs, rendered and cached like boards
(`scoring.leaderboard.page`).

With thousands of topics, rendering takes a tenth of a second, so many readers of one comparison
would delay everybody else.
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
    selected_runs,
    with_interval,
)
from scoring.core.measures.measure import Measure
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.output.responses import page_or_404
from scoring.results.cache import cached_board
from scoring.results.options import (
    chosen_measure,
    chosen_version,
    sees_topic_means,
    versions_offered,
)
from scoring.results.runs import BoardRun


@dataclass(frozen=True)
class ComparisonQuery:
    """The parameters of a request; `comparison` is without its interval."""

    measure: Measure
    qrels: Qrels | None
    versions: list[Qrels]
    runs: tuple[BoardRun, ...]
    comparison: Comparison | None


class RenderedComparison(NamedTuple):
    """HTML, and the analysis that it waits for."""

    text: str
    has_figure: bool
    analysis: Analysis | None


CHARACTERS = 4_000_000  # some twenty comparisons by 250 topics
RENDERED_COMPARISONS: LRUCache[RenderedComparison] = LRUCache(room=CHARACTERS)


def rendered_comparison(request: HttpRequest, viewer: Viewer) -> RenderedComparison:
    """The viewer must be one who may see scores by topic. Raises UnknownChoice."""

    def render() -> tuple[RenderedComparison, int]:
        rendered, is_complete = _render(request, viewer)
        # The cache does not keep an entry that is larger than itself.
        return rendered, len(rendered.text) if is_complete else CHARACTERS + 1

    return cached_board(RENDERED_COMPARISONS, viewer, request.GET, render, shows_topics=True)


def comparison_query(viewer: Viewer, params: QueryDict) -> ComparisonQuery:
    """Raises UnknownChoice."""
    measure = chosen_measure(viewer, params.get("measure"))
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, params.get("qrels"), versions)
    qrels = qrels or viewer.campaign.active_qrels
    runs = ranked_runs(viewer, qrels, measure) if qrels else ()
    chosen = chosen_runs(runs, params)
    comparison = compared(viewer, qrels, measure, *chosen) if qrels and chosen else None
    return ComparisonQuery(measure, qrels, versions, runs, comparison)


def bands_query(
    viewer: Viewer, comparison: Comparison | None
) -> tuple[tuple[AtPersistence, ...], Analysis | None]:
    """RBP of two different runs as a function of p, or the analysis until it is computed. Like
    other curves, it reveals more about the judgments than scores by topic, so it needs the
    leaderboard."""
    if not viewer.can_see_board or comparison is None:
        return (), None
    if comparison.first.run_id == comparison.second.run_id:
        return (), None
    return bands(viewer, comparison)


def _render(request: HttpRequest, viewer: Viewer) -> tuple[RenderedComparison, bool]:
    """And whether it is complete. The key does not depend on results of a worker or on stored
    grades, so a page without them is rendered every time."""
    query = comparison_query(viewer, request.GET)
    comparison = with_interval(viewer, query.comparison) if query.comparison else None
    compared_ids = {comparison.first.run_id, comparison.second.run_id} if comparison else set()
    by_p, pending_bands = bands_query(viewer, comparison)
    figure = difference_chart(comparison) if comparison and comparison.topics else None
    context = {
        "selected_count": len(selected_runs(request.GET)),
        "viewer": viewer,
        "compares_all": sees_topic_means(viewer),
        "campaign": viewer.campaign,
        "offered": rules_of(viewer.campaign).measures,
        "measure": query.measure,
        "qrels": query.qrels,
        "versions": query.versions,
        "runs": query.runs,
        "comparison": comparison,
        "page": page_or_404(request, Paginator(comparison.topics if comparison else (), TOPICS)),
        "bands": by_p,
        "pending_bands": pending_bands,
        "leads": [sum(row.leader == place for row in by_p) for place in (1, 2)],
        "band_figure": persistence_chart(comparison, by_p) if comparison and by_p else None,
        # The qrels are the active ones, and the viewer may see the rankings of both runs.
        "sees_documents": comparison is not None
        and comparison.qrels == viewer.campaign.active_qrels
        and access.graded_runs(viewer, compared_ids).keys() == compared_ids,
        "figure": figure,
    }
    text = render_to_string("scoring/comparison/_compare.html", context, request)
    pending = (comparison.analysis if comparison else None) or pending_bands
    rendered = RenderedComparison(text, figure is not None, pending)
    return rendered, bool(by_p) and pending is None
