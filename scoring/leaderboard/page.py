"""What the leaderboard's page shows of the board, drawn.

That is most of the page's work, so a process keeps the last boards in memory, under a key that is
read from the database at every request (`scoring.results.cache`). Whether a viewer may see the
board at all is decided before, and the page around it is made anew for everybody.
"""

from dataclasses import replace
from typing import NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.template.loader import render_to_string

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.charts import interval_chart
from scoring.leaderboard.query import board_query
from scoring.leaderboard.rows import chosen_sort, sorted_rows
from scoring.leaderboard.significance_bars import significance_bars
from scoring.models import Analysis
from scoring.output.responses import page_or_404
from scoring.results.cache import cached_board
from scoring.results.options import (
    JUDGED,
    POOLED,
    chosen_measure,
    persistence_of,
    sees_topic_means,
    versions_offered,
)


class RenderedBoard(NamedTuple):
    """The part of the page, and the analysis that it waits for."""

    text: str
    analysis: Analysis | None = None


ROWS = 250  # on a page; more than most campaigns have had
CHARACTERS = 4_000_000  # some thirty boards of 143 runs
DRAWN: LRUCache[RenderedBoard] = LRUCache(room=CHARACTERS)


def rendered_board(request: HttpRequest, viewer: Viewer) -> RenderedBoard:
    """The viewer must be one who may see the board. Raises UnknownChoice."""

    def draw() -> tuple[RenderedBoard, int]:
        drawn = _render(request, viewer)
        return drawn, len(drawn.text)

    return cached_board(DRAWN, viewer, request.GET, draw)


def _render(request: HttpRequest, viewer: Viewer) -> RenderedBoard:
    """The template gets the request for the sake of its address, and tells nothing of the person
    that is not in the key."""
    versions = versions_offered(viewer)
    board = board_query(viewer, request.GET, offered=versions)
    offered = rules_of(viewer.campaign).measures
    sort = chosen_sort(board, request.GET, rel=viewer.campaign.rel)
    page = page_or_404(request, Paginator(sorted_rows(board, sort), ROWS))
    charted = replace(board, rows=board.ranked[:ROWS])
    is_drawn = charted.rows and page.number == 1 and not board.filters
    parts = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "board": board,
        "page": page,
        "rows": page.object_list,
        "sort": sort,
        "bars": significance_bars(viewer, board) if sort == "rank" else None,
        "measure": chosen_measure(viewer, request.GET.get("measure")),
        "persistence": persistence_of(board.measure),
        "offered": offered,
        "versions": versions,
        "run_types": Run.Type.values,
        "judged": POOLED,
        "is_other_p": board.measure not in offered,
        "can_compare": len(board.ranked) > 1 and sees_topic_means(viewer),
        "shown_measures": (board.measure, JUDGED),
        "charted": charted,
        "chart": interval_chart(charted) if is_drawn else None,
    }
    text = render_to_string("scoring/leaderboard/_board.html", parts, request)
    return RenderedBoard(text, board.unanswered)
