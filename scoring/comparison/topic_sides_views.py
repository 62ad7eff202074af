"""Two runs' rankings of one topic, side by side."""

from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Run, Topic
from campaigns.options import takes
from scoring.comparison.rows import chosen_runs, ranked_runs
from scoring.comparison.tables import side_columns, sides_table
from scoring.comparison.topic_sides import Sides, topic_sides
from scoring.comparison.views import RUNS
from scoring.output.api import MEASURE
from scoring.output.public import campaign_viewer
from scoring.output.responses import page_or_404
from scoring.output.result_view import FOR_CAMPAIGN, Answer, ResultView
from scoring.results.options import can_compare_runs, chosen_measure
from scoring.results.runs import BoardRun
from scoring.runs.documents import PAGE


@dataclass(frozen=True, eq=False)
class _SidesQuery:
    topic: Topic
    offered: tuple[BoardRun, ...]
    runs: tuple[Run, Run] | None  # None: there are fewer than two
    sides: Sides | None


@takes("a", "b", "run", "measure", "page")
@require_safe
def sides_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer = campaign_viewer(request, slug)
    query = _query(viewer, request.GET, code)
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


def _query(viewer: access.Viewer, params: QueryDict, code: str) -> _SidesQuery:
    """Offers only runs whose scores by topic, judgments and file the viewer may see."""
    shows_documents = viewer.can_see_qrels or viewer.campaign.shows_own_documents
    if not (can_compare_runs(viewer) and shows_documents):
        raise Http404
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    qrels = viewer.campaign.active_qrels
    measure = chosen_measure(viewer, params.get("measure"))
    ranked = ranked_runs(viewer, qrels, measure) if qrels else ()
    graded = access.graded_runs(viewer, [run.run_id for run in ranked])
    offered = tuple(run for run in ranked if run.run_id in graded)
    chosen = chosen_runs(offered, params)
    if chosen is None:
        return _SidesQuery(topic, offered, None, None)
    first, second = (graded[run.run_id] for run in chosen)
    sides = topic_sides(viewer, topic, first, second)
    return _SidesQuery(topic, offered, (first, second), sides)


def _sides(viewer: access.Viewer, params: QueryDict, code: str) -> Answer:
    """One row for each rank: the documents of both runs on a topic, with their grades and their
    ranks in the other run. Of runs whose judgments and file you may see."""
    query, qrels = _query(viewer, params, code), viewer.campaign.active_qrels
    table = sides_table(query.topic, query.runs, query.sides, qrels)
    # The code of a topic can contain a slash, which no file name may have.
    return Answer(table, [qrels], file_name=f"compare-topic-{query.topic.position + 1}")


SIDES = ResultView(
    name="compare-topic",
    title="Two runs on one topic, rank by rank",
    answer=_sides,
    row="SidesOfRank",
    row_description="A rank of two runs on a topic.",
    columns=side_columns(),
    parameters=[*RUNS, MEASURE],
    row_example={
        "topic": "308", "rank": 1, "a": "uni-bm25", "a_doc_id": "FT911-3", "a_grade": 1,
        "a_rank_in_b": 4, "b": "lab-dense", "b_doc_id": "FT911-7", "b_grade": None,
        "b_rank_in_a": None, "qrels": 2,
    },
    **FOR_CAMPAIGN,
)  # fmt: skip
