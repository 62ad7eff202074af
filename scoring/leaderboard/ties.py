"""The board with what ties decide on it, where somebody asks for that."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from campaigns.access import Viewer
from scoring.analyses.requests import request_analysis, result_of
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.rows import BoardRow, Leaderboard, TiedScore, Ties
from scoring.models import Analysis

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
