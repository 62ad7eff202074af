"""How certain the rank of each run of a board is: marks beside the ranks, and columns of tables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from campaigns.access import Viewer
from scoring.analyses.requests import request_analysis, result_of
from scoring.leaderboard.rows import Leaderboard
from scoring.models import Analysis
from scoring.ranks.analysis import RANK_INTERVALS
from scoring.ranks.options import ranks_question
from scoring.ranks.rows import RankInterval, intervals_by_run
from scoring.significance.options import tested_measures


@dataclass(frozen=True)
class RankMarks:
    """By public id of the run; `runs` is the number of those that are ranked among each other."""

    intervals: Mapping[str, RankInterval]
    runs: int

    @property
    def has_ranges(self) -> bool:
        return any(each.rank_best is not None for each in self.intervals.values())

    @property
    def has_sets(self) -> bool:
        return any(each.rank_set_best is not None for each in self.intervals.values())

    @property
    def has_possible(self) -> bool:
        return any(each.possible_best is not None for each in self.intervals.values())


def can_have_marks(viewer: Viewer, board: Leaderboard) -> bool:
    """Whether ranks are those among all runs, by a measure that has scores by topic."""
    is_among_all = board.qrels is not None and not board.is_best_per_team and bool(board.ranked)
    is_tested = board.measure in tested_measures(viewer) and board.measure.family != "Judged"
    return is_among_all and is_tested


def rank_marks(analysis: Analysis | None) -> RankMarks | None:
    """None if a worker has not computed them, and of a single run."""
    if analysis is None or analysis.state != Analysis.State.DONE:
        return None
    intervals = intervals_by_run(result_of(RANK_INTERVALS, analysis))
    return RankMarks(intervals, len(intervals)) if len(intervals) > 1 else None


def with_intervals(viewer: Viewer, board: Leaderboard) -> Leaderboard:
    """Adds to each ranked run how certain its rank is, if a worker has computed it. The viewer must
    be one who may see the board."""
    if not can_have_marks(viewer, board):
        return board
    question = ranks_question(board.measure)
    analysis = request_analysis(viewer, board.qrels, RANK_INTERVALS, question, is_free=True)
    board = replace(board, intervals=analysis)
    if not board.has_intervals:
        return board
    intervals = intervals_by_run(result_of(RANK_INTERVALS, analysis))
    rows = tuple(replace(row, interval=intervals.get(row.run_id)) for row in board.rows)
    return replace(board, rows=rows)
