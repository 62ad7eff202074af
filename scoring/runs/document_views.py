"""One run's documents: its rankings with grades, what nobody judged, what it alone found."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Run
from scoring.analyses import answer_of, ask
from scoring.definitions import rules_of
from scoring.document_tables import ranking_csv, unique_csv, unique_runs_csv, unjudged_rows
from scoring.live_scores import LiveRun
from scoring.models import Analysis
from scoring.pool_choices import PoolDepth, chosen_depth
from scoring.pool_rows import board_runs
from scoring.run_documents import (
    PAGE,
    chosen_p,
    chosen_topic,
    ranked_documents,
    unjudged_documents,
)
from scoring.unique_rows import UniqueFinds, unique_finds
from scoring.views.analysed import (
    analysed_page,
    attached_csv,
    not_computed_yet,
    page_or_404,
    streamed_csv,
)


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
    return render(request, "scoring/run_documents.html", context)


@require_safe
def documents_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    topic = chosen_topic(list(viewer.campaign.topics.order_by("position")), request.GET)
    rows = ranked_documents(viewer, run, topic) if topic else ()
    text = ranking_csv(run, viewer.campaign.active_qrels, topic, rows)
    number = topic.position + 1 if topic else 0
    return attached_csv(text, f"{slug}-run-{public_id}-topic-{number}")


@require_safe
def unjudged_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    found = unjudged_documents(viewer, run, chosen_p(viewer, request.GET))
    page = page_or_404(request, Paginator(found or (), PAGE))
    context = _context(viewer, run) | {
        "found": found,
        "page": page,
        "last": page[-1] if len(page) else None,
        "offered": [f"{float(p):g}" for p in viewer.campaign.persistences],
        "p": f"{found.persistence:g}" if found else "",
    }
    return render(request, "scoring/run_unjudged.html", context)


@require_safe
def unjudged_table(
    request: HttpRequest, slug: str, public_id: str
) -> HttpResponse | StreamingHttpResponse:
    viewer, run = _run(request, slug, public_id)
    found = unjudged_documents(viewer, run, chosen_p(viewer, request.GET))
    table = unjudged_rows(run, viewer.campaign.active_qrels, found)
    return streamed_csv(table, f"{slug}-run-{public_id}-unjudged")


@require_safe
def unique_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id, needs_board=True)
    depth = chosen_depth(request.GET)
    runs, analysis = _asked(viewer, depth)
    found = _found(viewer, run, depth, runs, analysis)
    context = _context(viewer, run) | {
        "found": found,
        "page": page_or_404(request, Paginator(found.documents if found else (), PAGE)),
        "pool": found.pool if found else depth,
    }
    return analysed_page(request, "scoring/run_unique.html", context, analysis)


@require_safe
def unique_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return _unique_csv(request, slug, public_id, of_all_runs=False)


@require_safe
def unique_runs_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return _unique_csv(request, slug, public_id, of_all_runs=True)


def _unique_csv(
    request: HttpRequest, slug: str, public_id: str, *, of_all_runs: bool
) -> HttpResponse:
    viewer, run = _run(request, slug, public_id, needs_board=True)
    depth = chosen_depth(request.GET)
    runs, analysis = _asked(viewer, depth)
    if analysis is not None and analysis.state != Analysis.State.DONE:
        return not_computed_yet(analysis)
    found, qrels = _found(viewer, run, depth, runs, analysis), viewer.campaign.active_qrels
    if of_all_runs:
        return attached_csv(unique_runs_csv(qrels, found), f"{slug}-unique-runs")
    return attached_csv(unique_csv(run, qrels, found), f"{slug}-run-{public_id}-unique")


def _asked(viewer: access.Viewer, depth: PoolDepth) -> tuple[tuple[LiveRun, ...], Analysis | None]:
    """The runs on the board, and the analysis where there are any."""
    qrels = viewer.campaign.active_qrels
    runs = board_runs(viewer, qrels, rules_of(viewer.campaign).measures[0]) if qrels else ()
    return runs, ask(
        viewer, qrels, "unique_finds", {"depth": depth.asked}
    ) if qrels and runs else None


def _found(
    viewer: access.Viewer,
    run: Run,
    depth: PoolDepth,
    runs: tuple[LiveRun, ...],
    analysis: Analysis | None,
) -> UniqueFinds | None:
    if analysis is None or analysis.state != Analysis.State.DONE:
        return None
    return unique_finds(viewer, run, depth, runs, answer_of(analysis))


def _run(
    request: HttpRequest, slug: str, public_id: str, *, needs_board: bool = False
) -> tuple[access.Viewer, Run]:
    look_up = access.board_or_404 if needs_board else access.viewer_or_404
    viewer = look_up(request.user, slug, asked=request.GET)
    return viewer, access.graded_run_or_404(viewer, public_id)


def _context(viewer: access.Viewer, run: Run) -> dict[str, Any]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": viewer.campaign.active_qrels,
        "run": run,
    }
