"""The board that an address asks for: the same for page, CSV, LaTeX and API.

measure=AP            what ranks; otherwise the campaign's first
p=0.60                another p than the measure's own, where it is an RBP of one p
qrels=2               a version of the qrels, otherwise the one in force
columns=RR&columns=Q  measures shown beside
team, type, judged    only some of the rows, with the ranks that they have among all
ties=on               what could change if tied documents stood in another order
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.analyses.means import NotComputedYet, request_means
from scoring.analyses.requests import request_analysis, result_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import DECIMALS, common_places
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.rows import BoardRow, Leaderboard, TiedScore, Ties, leaderboard, placed
from scoring.models import Analysis
from scoring.results.cache import cached_board
from scoring.results.options import (
    chosen_columns,
    chosen_filters,
    chosen_measure,
    chosen_persistence,
    chosen_version,
)
from scoring.results.vectors import visible_means

TIES: Final = {"on": "what ties decide", "off": "not shown"}

BOARDS: LRUCache[Leaderboard] = LRUCache(room=30_000)  # cells


def cached_leaderboard(viewer: Viewer, asked: QueryDict) -> Leaderboard:
    """As `board_query`, from memory while nothing of it has changed: for tables, which scripts ask
    for again and again."""

    def make() -> tuple[Leaderboard, int]:
        board = board_query(viewer, asked)
        return board, 10 + len(board.rows) * (1 + len(board.columns))

    return cached_board(BOARDS, viewer, asked, make)


def board_query(
    viewer: Viewer, asked: QueryDict, *, offered: Sequence[Qrels] | None = None
) -> Leaderboard:
    """Other names are not heard; raises UnknownChoice for a value that is not offered.

    `offered` are the qrels versions to choose from, where the caller has them already. The viewer
    must be one who may see the board.
    """
    measure = chosen_measure(viewer, asked.get("measure"))
    qrels = chosen_version(viewer, asked.get("qrels"), offered)
    at_p = chosen_persistence(measure, asked.get("p"))
    board = leaderboard(
        viewer, measure, qrels=qrels, columns=chosen_columns(viewer, asked, measure)
    )
    shows_ties = (
        choice_or_404("ties", asked.get("ties"), TIES, called="way of looking at ties") == "on"
    )
    if at_p is not None:
        board = _scored_at_persistence(viewer, board, at_p)
    if board.rescoring is None:
        board = _with_moves(viewer, board)
    if board.rescoring is not None:
        return board
    return _filtered(with_ties(viewer, board) if shows_ties else board, asked)


def _scored_at_persistence(viewer: Viewer, board: Leaderboard, measure: Measure) -> Leaderboard:
    """The same runs by another measure of the same direction, from the stored grades; without rows
    while a worker computes them."""
    if board.qrels is None:
        return board
    found = request_means(viewer, board.qrels, [measure])
    if isinstance(found, NotComputedYet):
        return replace(board, measure=measure, rows=(), rescoring=found.analysis)
    means = found[measure]
    rows = [
        replace(row, rank=None, base=base, residual=residual)
        for row in board.rows
        for base, residual in [means.get(row.run_id, (None, None))]
    ]
    return replace(board, measure=measure, rows=placed(rows, lower_is_better=board.lower_is_better))


def _with_moves(viewer: Viewer, board: Leaderboard) -> Leaderboard:
    """Under another version than the one in force: how many places each run gains against the
    board of that one, by the same measure, among the runs that both rank. A query or two."""
    in_force = viewer.campaign.active_qrels
    if board.is_in_force or in_force is None:
        return board
    before = _bases_under(viewer, in_force, board.measure)
    if isinstance(before, NotComputedYet):
        return replace(board, rows=(), rescoring=before.analysis)
    places = common_places(
        before,
        {row.run_id: row.base for row in board.ranked},
        "lower" if board.lower_is_better else "higher",
    )
    rows = tuple(
        replace(row, moved=places[row.run_id].gained) if row.run_id in places else row
        for row in board.rows
    )
    return replace(board, against=in_force, rows=rows)


def _bases_under(
    viewer: Viewer, qrels: Qrels, measure: Measure
) -> dict[str, float | None] | NotComputedYet:
    """Of the ranked runs, by public id; from the grades where no evaluation has the measure: the
    analysis while a worker computes them."""
    if measure not in rules_of(viewer.campaign).measures:
        ranked = set(viewer.campaign.runs.ranked().values_list("public_id", flat=True))
        found = request_means(viewer, qrels, [measure])
        if isinstance(found, NotComputedYet):
            return found
        means = found[measure]
        return {run_id: base for run_id, (base, _) in means.items() if run_id in ranked}
    runs, bases, _ = visible_means(viewer, qrels, [measure])
    return {run.run_id: base for run, base in zip(runs, bases[0].tolist(), strict=True)}


def _filtered(board: Leaderboard, asked: Mapping[str, str]) -> Leaderboard:
    filters = chosen_filters(asked, teams=dict(board.teams), is_judged=board.knows_judged)

    def is_chosen(row: BoardRow) -> bool:
        judged = "yes" if row.is_in_pool else "no"
        facts = {"team": row.team_id, "type": row.run_type, "judged": judged}
        return all(facts[name] == value for name, value in filters.items())

    return replace(board, filters=filters, rows=tuple(filter(is_chosen, board.rows)))


OTHER_P = "What ties decide is computed at the campaign’s own values of p only."


def with_ties(viewer: Viewer, board: Leaderboard) -> Leaderboard:
    """Each ranked run with its score over all orders of its tied documents, once a worker has
    computed them. Three queries. The viewer must be one who may see the board."""
    if board.qrels is None or not board.ranked:
        return board
    if board.measure not in rules_of(viewer.campaign).measures:
        return replace(board, ties=Ties(fault=OTHER_P))
    question = {"measure": str(board.measure)}
    analysis = request_analysis(viewer, board.qrels, "tied_scores", question)
    board = replace(board, ties=Ties(analysis))
    if analysis.state != Analysis.State.DONE:
        return board
    scores = _scores(analysis)
    rows = [
        replace(row, tied=scores.get(row.run_id)) if row.rank is not None else row
        for row in board.rows
    ]
    return replace(board, rows=_marked(rows, is_lower_better=board.lower_is_better))


def _scores(analysis: Analysis) -> Mapping[str, TiedScore]:
    found = result_of(analysis)
    columns = (found[name].tolist() for name in ("expected", "low", "high"))
    return {
        run_id: TiedScore(*map(none_if_nan, values))
        for run_id, *values in zip(found["run_ids"].tolist(), *columns, strict=True)
    }


def _marked(rows: list[BoardRow], *, is_lower_better: bool) -> tuple[BoardRow, ...]:
    """With a mark at every run that ties alone could put behind the next one."""
    swapped = {
        above.run_id
        for above, below in pairwise(row for row in rows if row.rank is not None)
        if _can_swap(above.tied, below.tied, is_lower_better=is_lower_better)
    }
    return tuple(
        replace(row, tied=row.tied._replace(can_swap=True))
        if row.tied and row.run_id in swapped
        else row
        for row in rows
    )


def _can_swap(above: TiedScore | None, below: TiedScore | None, *, is_lower_better: bool) -> bool:
    if above is None or below is None:
        return False
    worse, better = (below, above) if is_lower_better else (above, below)
    if worse.low is None or better.high is None:
        return False
    return round(worse.low, DECIMALS) < round(better.high, DECIMALS)
