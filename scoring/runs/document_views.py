"""Documents of a run: its rankings with grades, unjudged documents, unique relevant documents."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.models import Run
from campaigns.options import takes
from scoring.analyses.requests import request_analysis, result_of
from scoring.analyses.responses import analysed_page
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.output.public import campaign_viewer
from scoring.output.responses import page_or_404
from scoring.output.result_view import FOR_CAMPAIGN, Answer, ResultView
from scoring.output.stored_tables import stored_if_long
from scoring.pools.options import OFFERED, chosen_depth
from scoring.pools.rows import pooled_board_runs
from scoring.runs.analysis import UNIQUE_FINDS, ToDepth
from scoring.runs.documents import (
    PAGE,
    chosen_p,
    chosen_topic,
    ranked_documents,
    unjudged_documents,
)
from scoring.runs.tables import (
    ranking_columns,
    ranking_table,
    unique_columns,
    unique_run_columns,
    unique_runs_table,
    unique_table,
    unjudged_columns,
    unjudged_table,
)
from scoring.runs.unique import UniqueFinds, unique_finds

RUNS = 250  # on a page


@takes("topic", "page")
@require_safe
def documents_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    topics = list(viewer.campaign.topics.order_by("position"))
    topic = chosen_topic(topics, request.GET)
    rows = ranked_documents(viewer, run, topic) if topic else ()
    context = _context(viewer, run) | {
        "topics": topics,
        "topic": topic,
        "rows": rows,
        "page": page_or_404(request, Paginator(rows, PAGE)),
        "relevant": sum(row.is_relevant for row in rows),
        "unjudged": sum(row.grade is None for row in rows),
        "tied": sum(row.is_tied for row in rows),
    }
    return render(request, "scoring/runs/run_documents.html", context)


@takes("p", "page")
@require_safe
def unjudged_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    unjudged = unjudged_documents(viewer, run, chosen_p(viewer, request.GET))
    page = page_or_404(request, Paginator(unjudged or (), PAGE))
    context = _context(viewer, run) | {
        "unjudged": unjudged,
        "page": page,
        "last": page[-1] if len(page) else None,
        "offered": [f"{float(p):g}" for p in viewer.campaign.persistences],
        "p": f"{unjudged.persistence:g}" if unjudged else "",
    }
    return render(request, "scoring/runs/run_unjudged.html", context)


@takes("depth", "page", "runs")
@require_safe
def unique_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer = campaign_viewer(request, slug)
    run, unique, analysis = _unique(viewer, request.GET, public_id)
    context = _context(viewer, run) | {
        "unique": unique,
        "page": page_or_404(request, Paginator(unique.documents if unique else (), PAGE)),
        "runs": Paginator(unique.runs if unique else (), RUNS).get_page(request.GET.get("runs")),
        "pool": unique.pool if unique else chosen_depth(request.GET),
    }
    return analysed_page(request, "scoring/runs/run_unique.html", context, analysis)


def _unique(
    viewer: access.Viewer, params: QueryDict, public_id: str
) -> tuple[Run, UniqueFinds | None, Analysis | None]:
    """The run, the result, and the analysis if there are runs on the board."""
    run, qrels = access.graded_run_or_404(viewer, public_id), viewer.campaign.active_qrels
    if not viewer.can_see_unique_documents_of(run):
        raise Http404
    depth = chosen_depth(params)
    runs = pooled_board_runs(viewer, qrels, rules_of(viewer.campaign).measures[0]) if qrels else ()
    if qrels is None or not runs:
        return run, None, None
    analysis = request_analysis(viewer, qrels, UNIQUE_FINDS, ToDepth(depth.requested))
    if analysis.state != Analysis.State.DONE:
        return run, None, analysis
    found = unique_finds(viewer, run, depth, runs, result_of(UNIQUE_FINDS, analysis))
    return run, found, analysis


def _run(request: HttpRequest, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = campaign_viewer(request, slug)
    return viewer, access.graded_run_or_404(viewer, public_id)


def _context(viewer: access.Viewer, run: Run) -> dict[str, Any]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": viewer.campaign.active_qrels,
        "run": run,
    }


def _ranking(viewer: access.Viewer, params: QueryDict, public_id: str) -> Answer:
    """One row for each document of a topic, by rank, with its grade."""
    run, qrels = access.graded_run_or_404(viewer, public_id), viewer.campaign.active_qrels
    topic = chosen_topic(list(viewer.campaign.topics.order_by("position")), params)
    rows = ranked_documents(viewer, run, topic) if topic else ()
    # The position, because the code of a topic may contain slashes.
    file_name = f"run-{public_id}-topic-{topic.position + 1 if topic else 0}"
    return Answer(ranking_table(run, qrels, topic, rows), [qrels], file_name=file_name)


def _unjudged(viewer: access.Viewer, params: QueryDict, public_id: str) -> Answer:
    """One row for each unjudged document of a run, the one that could add most to RBP first."""
    run, qrels = access.graded_run_or_404(viewer, public_id), viewer.campaign.active_qrels
    table = unjudged_table(run, qrels, unjudged_documents(viewer, run, chosen_p(viewer, params)))
    return Answer(table, [qrels], file_name=f"run-{public_id}-unjudged")


def _unique_documents(viewer: access.Viewer, params: QueryDict, public_id: str) -> Answer:
    """One row for each relevant document that no run of another team retrieved."""
    run, unique, analysis = _unique(viewer, params, public_id)
    qrels, file_name = viewer.campaign.active_qrels, f"run-{public_id}-unique"
    return Answer(unique_table(run, qrels, unique), [qrels], analysis, file_name)


def _unique_runs(viewer: access.Viewer, params: QueryDict, public_id: str) -> Answer:
    """One row for each ranked run that contributed to the pool: how many relevant documents only
    this run, or only its team, retrieved."""
    _, unique, analysis = _unique(viewer, params, public_id)
    qrels = viewer.campaign.active_qrels
    return Answer(unique_runs_table(qrels, unique), [qrels], analysis, "unique-runs")


TOPIC = OpenApiParameter("topic", str, description="a topic; default: the first")
DEPTH = OpenApiParameter("depth", str, enum=list(OFFERED))
OF_RUN = {"run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni", "qrels": 2}
RANKING = ResultView(
    name="run-documents",
    title="Documents of a run on a topic, with their grades",
    answer=_ranking,
    row="RankedDocument",
    row_description="A document of a run.",
    columns=ranking_columns(),
    parameters=[TOPIC],
    row_example=OF_RUN
    | {"topic": "308", "rank": 1, "doc_id": "FT911-3", "grade": 1, "relevant": 1, "tied": 0},
    **FOR_CAMPAIGN,
)
UNJUDGED = ResultView(
    name="run-unjudged",
    title="Unjudged documents of a run, by what they could add",
    answer=_unjudged,
    row="UnjudgedDocument",
    row_description="A document that nobody judged, and how much it could add to RBP.",
    columns=unjudged_columns(),
    parameters=[OpenApiParameter("p", str, description="a p of the campaign")],
    row_example=OF_RUN
    | {"p": 0.8, "topic": "308", "rank": 1, "doc_id": "FT911-3", "adds": 0.004, "together": 0.004},
    **FOR_CAMPAIGN | {"decorator": stored_if_long},
)
UNIQUE = ResultView(
    name="run-unique",
    title="Relevant documents that only a run or its team retrieved",
    answer=_unique_documents,
    row="UniqueDocument",
    row_description="A relevant document that no run of another team retrieved.",
    columns=unique_columns(),
    parameters=[DEPTH],
    row_example=OF_RUN
    | {"depth": "100", "topic": "308", "rank": 7, "doc_id": "FT911-3", "grade": 1, "only_run": 1},
    is_computed=True,
    **FOR_CAMPAIGN,
)
UNIQUE_RUNS = ResultView(
    name="run-unique-runs",
    title="Unique relevant documents of every run",
    answer=_unique_runs,
    row="UniqueRun",
    row_description="How many relevant documents only a run, or only its team, retrieved.",
    columns=unique_run_columns(),
    parameters=[DEPTH],
    row_example=OF_RUN | {"depth": "100", "relevant_found": 1210, "only_run": 12, "only_team": 31},
    is_computed=True,
    **FOR_CAMPAIGN,
)
