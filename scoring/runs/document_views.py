"""Documents of a run: its rankings with grades, unjudged documents, unique relevant documents."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Run
from scoring.analyses.requests import request_analysis, result_of
from scoring.analyses.responses import analysed_page
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.output.public import campaign_viewer
from scoring.output.responses import TableResponse, page_or_404, table_response
from scoring.output.stored_tables import stored_if_long
from scoring.pools.options import chosen_depth
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
    ranking_table,
    unique_runs_table,
    unique_table,
    unjudged_table,
)
from scoring.runs.unique import UniqueFinds, unique_finds

RUNS = 250  # on a page


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


@require_safe
def documents_csv(request: HttpRequest, slug: str, public_id: str) -> TableResponse:
    viewer, run = _run(request, slug, public_id)
    topic = chosen_topic(list(viewer.campaign.topics.order_by("position")), request.GET)
    rows = ranked_documents(viewer, run, topic) if topic else ()
    qrels, number = viewer.campaign.active_qrels, topic.position + 1 if topic else 0
    table, name = ranking_table(run, qrels, topic, rows), f"{slug}-run-{public_id}-topic-{number}"
    return table_response(request, table, name, qrels=[qrels])


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


@require_safe
@stored_if_long(campaign_viewer)
def unjudged_csv(request: HttpRequest, viewer: access.Viewer, public_id: str) -> TableResponse:
    run = access.graded_run_or_404(viewer, public_id)
    unjudged = unjudged_documents(viewer, run, chosen_p(viewer, request.GET))
    qrels, name = viewer.campaign.active_qrels, f"{viewer.campaign.slug}-run-{public_id}-unjudged"
    return table_response(request, unjudged_table(run, qrels, unjudged), name, qrels=[qrels])


@require_safe
def unique_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id, is_about_others=True)
    unique, analysis = _unique(request, viewer, run)
    context = _context(viewer, run) | {
        "unique": unique,
        "page": page_or_404(request, Paginator(unique.documents if unique else (), PAGE)),
        "runs": Paginator(unique.runs if unique else (), RUNS).get_page(request.GET.get("runs")),
        "pool": unique.pool if unique else chosen_depth(request.GET),
    }
    return analysed_page(request, "scoring/runs/run_unique.html", context, analysis)


@require_safe
def unique_csv(request: HttpRequest, slug: str, public_id: str) -> TableResponse:
    viewer, run = _run(request, slug, public_id, is_about_others=True)
    unique, analysis = _unique(request, viewer, run)
    qrels, name = viewer.campaign.active_qrels, f"{slug}-run-{public_id}-unique"
    table = unique_table(run, qrels, unique)
    return table_response(request, table, name, awaits=analysis, qrels=[qrels])


@require_safe
def unique_runs_csv(request: HttpRequest, slug: str, public_id: str) -> TableResponse:
    """Counts of all runs."""
    viewer, run = _run(request, slug, public_id, is_about_others=True)
    unique, analysis = _unique(request, viewer, run)
    qrels, name = viewer.campaign.active_qrels, f"{slug}-unique-runs"
    table = unique_runs_table(qrels, unique)
    return table_response(request, table, name, awaits=analysis, qrels=[qrels])


def _unique(
    request: HttpRequest, viewer: access.Viewer, run: Run
) -> tuple[UniqueFinds | None, Analysis | None]:
    """The result, and the analysis if there are runs on the board."""
    depth, qrels = chosen_depth(request.GET), viewer.campaign.active_qrels
    runs = pooled_board_runs(viewer, qrels, rules_of(viewer.campaign).measures[0]) if qrels else ()
    if qrels is None or not runs:
        return None, None
    analysis = request_analysis(viewer, qrels, UNIQUE_FINDS, ToDepth(depth.requested))
    if analysis.state != Analysis.State.DONE:
        return None, analysis
    return unique_finds(viewer, run, depth, runs, result_of(UNIQUE_FINDS, analysis)), analysis


def _run(
    request: HttpRequest, slug: str, public_id: str, *, is_about_others: bool = False
) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    run = access.graded_run_or_404(viewer, public_id)
    if is_about_others and not viewer.can_see_unique_documents_of(run):
        raise Http404
    return viewer, run


def _context(viewer: access.Viewer, run: Run) -> dict[str, Any]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": viewer.campaign.active_qrels,
        "run": run,
    }
