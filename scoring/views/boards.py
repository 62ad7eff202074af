"""The leaderboard."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from campaigns import access
from campaigns.models import Run
from scoring.board_choices import chosen_measure, persistence_of
from scoring.charts.intervals import interval_chart
from scoring.definitions import rules_of
from scoring.exports.badge import board_badge
from scoring.exports.board import board_csv
from scoring.exports.latex import board_latex
from scoring.leaderboard import board_asked, sorted_rows, versions_offered
from scoring.views.analysed import attached_latex, hidden_page


@require_GET
def leaderboard_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    versions = versions_offered(viewer)
    board = board_asked(viewer, request.GET, offered=versions)
    is_drawn = board.ranked and not board.filters
    return render(
        request,
        "scoring/leaderboard.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "board": board,
            "rows": sorted_rows(board, request.GET.get("sort", "rank")),
            "sort": request.GET.get("sort", "rank"),
            "measure": chosen_measure(viewer, request.GET.get("measure")),
            "persistence": persistence_of(board.measure),
            "offered": rules_of(viewer.campaign).measures,
            "versions": versions,
            "run_types": Run.Type.values,
            "chart": interval_chart(board) if is_drawn else None,
        },
    )


@require_GET
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    board = board_asked(viewer, request.GET)
    response = HttpResponse(board_csv(board), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-leaderboard.csv"'
    return response


@require_GET
def leaderboard_latex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    board = board_asked(viewer, request.GET)
    here = request.build_absolute_uri(reverse("scoring:leaderboard", args=[slug]))
    text = board_latex(board, title=viewer.campaign.name, source=here)
    return attached_latex(text, f"{slug}-leaderboard")


@require_GET
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Who leads, as a picture that other pages may show: of boards that everybody may see, and the
    same for everybody."""
    viewer = access.board_or_404(AnonymousUser(), slug)
    board = board_asked(viewer, {})
    response = HttpResponse(
        board_badge(board, title=viewer.campaign.name), content_type="image/svg+xml"
    )
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
