"""The leaderboard."""

from typing import Final, cast

from csp.decorators import csp_replace
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.access import Viewer
from campaigns.options import takes
from scoring.analyses.responses import analysed_page
from scoring.leaderboard.badge import board_badge, run_badge_of
from scoring.leaderboard.page import rendered_board
from scoring.leaderboard.query import board_excerpt, cached_leaderboard
from scoring.leaderboard.tables import board_table
from scoring.output.public import AnyResponse, public_page, public_response
from scoring.output.responses import TableResponse, table_response

EMBEDDED_ROWS: Final = 25


@takes(
    "measure", "p", "columns", "sort", "qrels", "team", "type", "judged", "runs", "ties", "ranks",
    "baseline", "correction", "page",
)  # fmt: skip
@require_safe
@public_page
def leaderboard_page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    rendered = rendered_board(request, viewer)
    return analysed_page(
        request,
        "scoring/leaderboard/leaderboard.html",
        {"viewer": viewer, "campaign": viewer.campaign, "board_html": rendered.text},
        rendered.analysis,
    )


@require_safe
def leaderboard_table(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, params=request.GET)

    def table() -> TableResponse:
        slug = viewer.campaign.slug
        board = cached_leaderboard(viewer, request.GET)
        return table_response(
            request,
            board_table(board),
            f"{slug}-leaderboard",
            suffix,
            title=viewer.campaign.name,
            source=request.build_absolute_uri(reverse("scoring:leaderboard", args=[slug])),
            awaits=board.pending_analysis,
        )

    return public_response(request, viewer, table)


@require_safe
def badge(request: HttpRequest, slug: str) -> AnyResponse:
    """An image of the leading run for other web pages, only of public boards."""
    # As a visitor sees the board, because the other web page is shown to everybody.
    viewer = access.board_or_404(AnonymousUser(), slug)

    def draw() -> HttpResponse:
        board = cached_leaderboard(viewer, QueryDict())
        return _picture(board_badge(board, title=viewer.campaign.name))

    return public_response(request, viewer, draw)


@require_safe
def run_badge(request: HttpRequest, slug: str, public_id: str) -> AnyResponse:
    """An image of one run and its rank for other web pages, only of public boards."""
    viewer = access.board_or_404(AnonymousUser(), slug)

    def draw() -> HttpResponse:
        board = cached_leaderboard(viewer, QueryDict())
        row = next((row for row in board.rows if row.run_id == public_id), None)
        if row is None:
            raise Http404
        return _picture(run_badge_of(board, row, title=viewer.campaign.name))

    return public_response(request, viewer, draw)


def _picture(svg: str) -> HttpResponse:
    response = HttpResponse(svg, content_type="image/svg+xml")
    # Without it, a page that isolates itself (Cross-Origin-Embedder-Policy) shows no picture.
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@xframe_options_exempt  # the policy's frame-ancestors say who may show it
@require_safe
def embedded_leaderboard(request: HttpRequest, slug: str) -> AnyResponse:
    """The first runs of a public board, for frames on the sites that the organisers list."""
    viewer = access.board_or_404(AnonymousUser(), slug)
    origins = viewer.campaign.embedding_origins
    if not origins or not viewer.campaign.has_public_board:
        raise Http404

    def excerpt_page() -> HttpResponse:
        excerpt = board_excerpt(viewer, EMBEDDED_ROWS)
        context = {"campaign": viewer.campaign, "board": excerpt.board, "excerpt": excerpt}
        return render(request, "scoring/leaderboard/leaderboard_embedded.html", context)

    view = csp_replace({"frame-ancestors": origins})(
        lambda request: public_response(request, viewer, excerpt_page)
    )
    return cast(AnyResponse, view(request))
