"""How certain the rank of each run of a board is: marks beside the ranks, and columns of tables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from campaigns.access import Viewer
from scoring.analyses.requests import request_analysis, result_of
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.rows import Leaderboard
from scoring.models import Analysis
from scoring.output.measure_names import measure_label
from scoring.ranks.analysis import RANK_INTERVALS
from scoring.ranks.options import ranks_question
from scoring.ranks.rows import RankInterval, intervals_by_run
from scoring.significance.options import tested_measures


@dataclass(frozen=True)
class RankMarks:
    """By public id of the run; `runs` is the number of those that are ranked among each other."""

    intervals: Mapping[str, RankInterval]
    runs: int
    caution: str  # about rank sets that are wide

    @property
    def has_ranges(self) -> bool:
        return any(each.rank_best is not None for each in self.intervals.values())

    @property
    def has_sets(self) -> bool:
        return any(each.rank_set_best is not None for each in self.intervals.values())

    @property
    def has_possible(self) -> bool:
        return any(each.possible_best is not None for each in self.intervals.values())


def why_no_marks(viewer: Viewer, board: Leaderboard) -> str:
    """A sentence, unless ranks are those among all runs, by a measure that has scores by topic."""
    if board.is_best_per_team:
        return "Ranges of ranks are those among all runs, not among the best run of each team."
    if board.measure not in rules_of(viewer.campaign).measures:
        return "Ranges of ranks are computed at the campaign’s own values of p only."
    if board.measure not in tested_measures(viewer) or board.measure.family == "Judged":
        return f"There are no ranges of ranks by {measure_label(board.measure)}."
    if board.qrels is None or not (board.ranked or board.rescoring):
        return "There are no ranges of ranks, because no run has a rank."
    return ""


def rank_marks(analysis: Analysis | None) -> RankMarks | None:
    """None if a worker has not computed them, and of a single run."""
    if analysis is None or analysis.state != Analysis.State.DONE:
        return None
    result = result_of(RANK_INTERVALS, analysis)
    intervals = intervals_by_run(result)
    # A single run has rank 1 whatever happens.
    return RankMarks(intervals, len(intervals), result.caution) if len(intervals) > 1 else None


def with_intervals(viewer: Viewer, board: Leaderboard) -> Leaderboard:
    """Adds to each ranked run how certain its rank is, if a worker has computed it; or why there is
    nothing to compute. The viewer must be one who may see the board."""
    if why := why_no_marks(viewer, board):
        return replace(board, intervals_fault=why)
    question = ranks_question(board.measure)
    analysis = request_analysis(viewer, board.qrels, RANK_INTERVALS, question, is_free=True)
    board = replace(board, intervals=analysis)
    if not board.has_intervals:
        return board
    result = result_of(RANK_INTERVALS, analysis)
    intervals = intervals_by_run(result)
    rows = tuple(replace(row, interval=intervals.get(row.run_id)) for row in board.rows)
    return replace(board, rows=rows, rank_set_caution=result.caution)
