"""The leaderboard."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.asked_board import board_asked, kept_board
from scoring.exports.badge import board_badge
from scoring.exports.board import board_csv
from scoring.exports.latex import board_latex
from scoring.views.analysed import analysed_page, attached_latex, hidden_page, not_computed_yet
from scoring.views.drawn_boards import drawn_board


@require_safe
def leaderboard_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    drawn = drawn_board(request, viewer)
    return analysed_page(
        request,
        "scoring/leaderboard.html",
        {"viewer": viewer, "campaign": viewer.campaign, "drawn": drawn.text},
        drawn.analysis,
    )


@require_safe
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    board = kept_board(viewer, request.GET)
    if unanswered := board.unanswered:
        return not_computed_yet(unanswered)
    response = HttpResponse(board_csv(board), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-leaderboard.csv"'
    return response


@require_safe
def leaderboard_latex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    board = board_asked(viewer, request.GET)
    if unanswered := board.unanswered:
        return not_computed_yet(unanswered)
    here = request.build_absolute_uri(reverse("scoring:leaderboard", args=[slug]))
    text = board_latex(board, title=viewer.campaign.name, source=here)
    return attached_latex(text, f"{slug}-leaderboard")


@require_safe
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Who leads, as a picture that other pages may show: of boards that everybody may see, and the
    same for everybody."""
    viewer = access.board_or_404(AnonymousUser(), slug)
    board = board_asked(viewer, QueryDict())
    response = HttpResponse(
        board_badge(board, title=viewer.campaign.name), content_type="image/svg+xml"
    )
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
