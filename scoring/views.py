"""Pages of what runs were worth: the leaderboard, and one run."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from campaigns import access, intake
from campaigns.models import Run
from scoring import charts, exports
from scoring.definitions import rules_of
from scoring.leaderboard import chosen_measure, leaderboard, sorted_rows
from scoring.progress import STEPS, progress_of
from scoring.run_scores import run_scores


@require_GET
def leaderboard_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_board:
        context = {"viewer": viewer, "campaign": viewer.campaign}
        return render(request, "scoring/leaderboard_hidden.html", context)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    board = leaderboard(viewer, measure)
    return render(
        request,
        "scoring/leaderboard.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "board": board,
            "rows": sorted_rows(board, request.GET.get("sort", "rank")),
            "sort": request.GET.get("sort", "rank"),
            "measure": measure,
            "offered": rules_of(viewer.campaign).measures,
            "chart": charts.interval_chart(board) if board.rows else None,
        },
    )


@require_GET
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    response = HttpResponse(
        exports.board_csv(leaderboard(viewer, measure)), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{slug}-leaderboard.csv"'
    return response


@require_GET
def run_detail(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    return render(request, "scoring/run_detail.html", _run_page(viewer, run))


@require_GET
def run_status(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The live part of a run's page, which asks for itself until nothing more happens."""
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    return render(request, "scoring/_run_status.html", _run_page(viewer, run))


def _run_page(viewer: access.Viewer, run: Run) -> dict[str, object]:
    can_follow = viewer.can_follow(run)
    now = timezone.now()
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "run": run,
        "can_follow": can_follow,
        "can_withdraw": intake.can_withdraw(viewer, run, now),
        "steps": STEPS,
        "progress": progress_of(run) if can_follow else None,
        "scores": run_scores(viewer, run),
        "can_see_scores": viewer.can_see_scores_of(run),
    }
