"""The part of the leaderboard page that shows the board, rendered and cached.

Rendering takes most of the time of the page, so a process caches the last boards under a key that
it reads from the database at every request (`scoring.results.cache`). The view checks before
whether the viewer may see the board, and the rest of the page is rendered for every request.
"""

from copy import copy
from dataclasses import replace
from typing import NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.template.loader import render_to_string

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.analyses.requests import AnalysisRequest, request_analyses
from scoring.baselines.rows import CORRECTIONS, UnknownBaseline, without_baseline
from scoring.citations.snapshots import board_citation
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.charts import interval_chart, interval_sketch
from scoring.leaderboard.query import board_query, board_request, selection
from scoring.leaderboard.rank_marks import rank_marks, why_no_marks
from scoring.leaderboard.rows import Leaderboard, chosen_sort, sorted_rows
from scoring.leaderboard.significance_bars import can_have_bars, significance_bars
from scoring.models import Analysis
from scoring.output.responses import page_or_404
from scoring.ranks.analysis import RANK_INTERVALS
from scoring.ranks.options import ranks_question
from scoring.results.cache import cached_board
from scoring.results.options import (
    JUDGED,
    POOLED,
    can_compare_runs,
    persistence_of,
    sees_topic_means,
    versions_offered,
)
from scoring.significance.analysis import SIGNIFICANCE
from scoring.significance.options import usual_test


class RenderedBoard(NamedTuple):
    """HTML, and the analysis that it waits for."""

    text: str
    analysis: Analysis | None = None


ROWS = 250  # on a page; more than most campaigns have had
CHARACTERS = 4_000_000  # some thirty boards of 143 runs
RENDERED_BOARDS: LRUCache[RenderedBoard] = LRUCache(room=CHARACTERS)


def rendered_board(request: HttpRequest, viewer: Viewer) -> RenderedBoard:
    """The viewer must be one who may see the board. Raises UnknownChoice."""

    def render() -> tuple[RenderedBoard, int]:
        rendered = _render(request, viewer)
        return rendered, len(rendered.text)

    site = request.build_absolute_uri("/")  # for the links of the citation
    return cached_board(RENDERED_BOARDS, viewer, request.GET, render, besides=(site,))


def _comparable(viewer: Viewer, board: Leaderboard) -> frozenset[str]:
    """The runs that the viewer may compare with another one; none if there is only one."""
    if not can_compare_runs(viewer):
        return frozenset()
    sees_all = sees_topic_means(viewer)
    found = frozenset(row.run_id for row in board.ranked if sees_all or row.is_own)
    return found if len(found) > 1 else frozenset()


def _analyses(viewer: Viewer, board: Leaderboard, sort: str) -> dict[str, Analysis]:
    """What the page shows beside the ranks, by kind, done or not. Three queries if all exist."""
    requests: list[AnalysisRequest] = []
    if sort == "rank" and can_have_bars(viewer, board):
        requests.append((board.qrels, SIGNIFICANCE, usual_test(board.measure).question))
    if not why_no_marks(viewer, board):
        requests.append((board.qrels, RANK_INTERVALS, ranks_question(board.measure)))
    if not requests:
        return {}
    analyses = request_analyses(viewer, requests, is_free=True)
    return {each.kind: each for each in analyses}


def _render(request: HttpRequest, viewer: Viewer) -> RenderedBoard:
    """The template uses the request for its URL. It shows nothing about the person that is not
    in the key of the cache."""
    versions = versions_offered(viewer)
    asked = board_request(viewer, request.GET, offered=versions)
    why_no_differences = ""
    try:
        board = board_query(asked)
    except UnknownBaseline as unknown:
        why_no_differences = unknown.why_none
        # The template takes the links of the page from the parameters of the request.
        request = copy(request)
        request.GET = without_baseline(request.GET)
        board = board_query(replace(asked, params=request.GET))
    offered = rules_of(viewer.campaign).measures
    sort = chosen_sort(board, request.GET, rel=viewer.campaign.rel)
    page = page_or_404(request, Paginator(sorted_rows(board, sort), ROWS))
    charted = replace(board, rows=board.ranked[:ROWS])
    analyses = _analyses(viewer, board, sort)
    has_chart = charted.rows and page.number == 1 and not board.filters
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "board": board,
        "page": page,
        "rows": page.object_list,
        "sort": sort,
        "bars": significance_bars(board, analyses.get("significance")),
        "marks": rank_marks(analyses.get("rank_intervals")),
        "measure": asked.measure,
        "persistence": persistence_of(board.measure),
        "offered": offered,
        "versions": versions,
        "run_types": Run.Type.values,
        "judged": POOLED,
        "is_other_p": board.measure not in offered,
        "comparable": _comparable(viewer, board),
        "compares_all": sees_topic_means(viewer),
        "shown_measures": (board.measure, JUDGED),
        "charted": charted,
        "correction": asked.correction,
        "corrections": CORRECTIONS,
        "why_no_differences": why_no_differences,
        "selection": selection(request.GET),
        "citation": board_citation(
            viewer,
            request.build_absolute_uri,
            has_snapshots=any(version.has_snapshots for version in versions),
        ),
        "chart": interval_chart(charted) if has_chart else None,
        "sketch": interval_sketch(charted) if has_chart else None,
    }
    text = render_to_string("scoring/leaderboard/_board.html", context, request)
    return RenderedBoard(text, board.pending_analysis)
