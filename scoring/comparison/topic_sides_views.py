"""Two runs' rankings of one topic, side by side."""

from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Run, Topic
from campaigns.options import takes
from scoring.comparison.rows import chosen_runs, ranked_runs
from scoring.comparison.tables import sides_table
from scoring.comparison.topic_sides import Sides, topic_sides
from scoring.output.responses import TableResponse, page_or_404, table_response
from scoring.results.options import can_compare_runs, chosen_measure
from scoring.results.runs import BoardRun
from scoring.runs.documents import PAGE


@dataclass(frozen=True, eq=False)
class _SidesQuery:
    viewer: access.Viewer
    topic: Topic
    offered: tuple[BoardRun, ...]
    runs: tuple[Run, Run] | None  # None: there are fewer than two
    sides: Sides | None


@takes("a", "b", "run", "measure", "page")
@require_safe
def sides_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    query = _query(request, slug, code)
    viewer = query.viewer
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": viewer.campaign.active_qrels,
        "topic": query.topic,
        "offered": query.offered,
        "first": query.runs[0] if query.runs else None,
        "second": query.runs[1] if query.runs else None,
        "sides": query.sides,
        "page": page_or_404(request, Paginator(query.sides.rows if query.sides else (), PAGE)),
    }
    return render(request, "scoring/comparison/topic_sides.html", context)


@require_safe
def sides_csv(request: HttpRequest, slug: str, code: str) -> TableResponse:
    query = _query(request, slug, code)
    qrels, number = query.viewer.campaign.active_qrels, query.topic.position + 1
    table = sides_table(query.topic, query.runs, query.sides, qrels)
    return table_response(request, table, f"{slug}-compare-topic-{number}", qrels=[qrels])


def _query(request: HttpRequest, slug: str, code: str) -> _SidesQuery:
    """Offers only runs whose scores by topic, judgments and file the viewer may see."""
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    shows_documents = viewer.can_see_qrels or viewer.campaign.shows_own_documents
    if not (can_compare_runs(viewer) and shows_documents):
        raise Http404
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    qrels = viewer.campaign.active_qrels
    measure = chosen_measure(viewer, request.GET.get("measure"))
    ranked = ranked_runs(viewer, qrels, measure) if qrels else ()
    graded = access.graded_runs(viewer, [run.run_id for run in ranked])
    offered = tuple(run for run in ranked if run.run_id in graded)
    chosen = chosen_runs(offered, request.GET)
    if chosen is None:
        return _SidesQuery(viewer, topic, offered, None, None)
    first, second = (graded[run.run_id] for run in chosen)
    sides = topic_sides(viewer, topic, first, second)
    return _SidesQuery(viewer, topic, offered, (first, second), sides)
