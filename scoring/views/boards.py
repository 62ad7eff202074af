"""The leaderboard."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Run
from scoring.asked_board import board_asked
from scoring.board_choices import JUDGED, POOLED, chosen_measure, persistence_of, versions_offered
from scoring.charts.intervals import interval_chart
from scoring.definitions import rules_of
from scoring.exports.badge import board_badge
from scoring.exports.board import board_csv
from scoring.exports.latex import board_latex
from scoring.leaderboard import chosen_sort, sorted_rows
from scoring.topic_rows import sees_topic_means
from scoring.views.analysed import analysed_page, attached_latex, hidden_page, not_computed_yet


@require_safe
def leaderboard_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    versions = versions_offered(viewer)
    board = board_asked(viewer, request.GET, offered=versions)
    offered = rules_of(viewer.campaign).measures
    sort = chosen_sort(board, request.GET)
    is_drawn = board.ranked and not board.filters
    return analysed_page(
        request,
        "scoring/leaderboard.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "board": board,
            "rows": sorted_rows(board, sort),
            "sort": sort,
            "measure": chosen_measure(viewer, request.GET.get("measure")),
            "persistence": persistence_of(board.measure),
            "offered": offered,
            "versions": versions,
            "run_types": Run.Type.values,
            "judged": POOLED,
            "is_other_p": board.measure not in offered,
            "can_compare": len(board.ranked) > 1 and sees_topic_means(viewer),
            "standing": (board.measure, JUDGED),
            "chart": interval_chart(board) if is_drawn else None,
        },
        board.ties.analysis if board.ties else None,
    )


@require_safe
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    board = board_asked(viewer, request.GET)
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
