"""Bars at the left of a board that join runs without a significant difference.

They come from the default test (`usual_test`), which is requested when the board is opened. There
are no bars until a worker has computed it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.access import Viewer
from scoring.analyses.requests import result_of
from scoring.leaderboard.rows import Leaderboard
from scoring.models import Analysis
from scoring.significance.analysis import SIGNIFICANCE
from scoring.significance.options import TestChoices, tested_measures, usual_test
from scoring.significance.rows import RankedRuns, significance

MAX_COLUMNS = 12  # if groups need more, only enough groups to contain every run have a bar
HUES = "abc"

Group = tuple[int, int]  # first and last position, from 0


@dataclass(frozen=True)
class SignificanceBars:
    """`columns` has, by run, the classes of each column: a hue, and "start" or "end" at the ends of
    a bar. `reach` has the first and last rank that a run does not differ significantly from."""

    choices: TestChoices
    width: int  # columns
    is_complete: bool
    columns: Mapping[str, tuple[str, ...]]
    reach: Mapping[str, tuple[int, int]]
    tested: int  # runs, the first of the board
    left_out: int  # those below them


def can_have_bars(viewer: Viewer, board: Leaderboard) -> bool:
    """Whether the board has all its runs, by a measure that is tested."""
    is_whole = board.qrels is not None and not board.filters and len(board.ranked) > 1
    is_tested = board.measure in tested_measures(viewer) and board.measure.family != "Judged"
    return is_whole and is_tested


def significance_bars(board: Leaderboard, analysis: Analysis | None) -> SignificanceBars | None:
    """Bars of the ranked runs that are tested; None if the test is not computed."""
    if analysis is None or analysis.state != Analysis.State.DONE:
        return None
    ranked, choices = board.ranked, usual_test(board.measure)
    result = result_of(SIGNIFICANCE, analysis)
    tested = set(result.run_ids.tolist())
    tested_runs = RankedRuns(
        runs=ranked,
        ranks=tuple(row.rank or 0 for row in ranked),
        has_residuals=board.has_residuals,
        is_lower_better=board.lower_is_better,
    ).first(sum(row.run_id in tested for row in ranked))
    groups = significance(choices, tested_runs, result).groups
    columns = in_columns(groups)
    is_complete = len(columns) <= MAX_COLUMNS
    if not is_complete:
        columns = in_columns(covering_groups(groups))
    hues = {group: HUES[number % len(HUES)] for number, group in enumerate(groups)}
    # The groups are in the order of the board: the first one of a run says how far up it reaches,
    # and the last one how far down.
    reach: dict[str, tuple[int, int]] = {}
    for first, last in groups:
        for run in tested_runs.runs[first : last + 1]:
            begin, _ = reach.get(run.run_id, (tested_runs.ranks[first], 0))
            reach[run.run_id] = (begin, tested_runs.ranks[last])
    return SignificanceBars(
        choices=choices,
        width=len(columns),
        is_complete=is_complete,
        columns={run.run_id: _classes(columns, hues, at) for at, run in enumerate(ranked)},
        reach=reach,
        tested=len(tested_runs.runs),
        left_out=tested_runs.left_out,
    )


def in_columns(groups: Sequence[Group]) -> list[list[Group]]:
    """The fewest columns in which no group overlaps another."""
    columns: list[list[Group]] = []
    for group in groups:
        # The groups are in the order of their beginnings, so the first free column will do.
        free = (column for column in columns if column[-1][1] < group[0])
        column = next(free, None)
        if column is None:
            columns.append([group])
        else:
            column.append(group)
    return columns


def covering_groups(groups: Sequence[Group]) -> list[Group]:
    """The fewest groups, ordered by position, that contain every run that is in a group."""
    chosen: list[Group] = []
    covered = -1  # the last position in a chosen group
    while left := [group for group in groups if group[1] > covered]:
        start = max(covered + 1, left[0][0])
        # Of those that begin early enough, the one that reaches farthest: no other choice needs
        # fewer.
        chosen.append(max((g for g in left if g[0] <= start), key=lambda group: group[1]))
        covered = chosen[-1][1]
    return chosen


def _classes(
    columns: Sequence[Sequence[Group]], hues: Mapping[Group, str], position: int
) -> tuple[str, ...]:
    passing = (
        next((group for group in column if group[0] <= position <= group[1]), None)
        for column in columns
    )
    return tuple(
        hues[group] + {group[0]: " start", group[1]: " end"}.get(position, "") if group else ""
        for group in passing
    )
