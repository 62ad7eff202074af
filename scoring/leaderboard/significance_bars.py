"""Strokes at the left of a board that bind runs which cannot be told apart.

From the usual test (`usual_test`), which is asked for when the board is opened; until a worker has
answered nothing is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.access import Viewer
from scoring.analyses.requests import request_analysis, result_of
from scoring.leaderboard.rows import Leaderboard
from scoring.models import Analysis
from scoring.significance.analysis import MOST_RUNS
from scoring.significance.options import TestChoices, tested_measures, usual_test
from scoring.significance.rows import RankedRuns, significance

WIDEST = 12  # columns; of a board that needs more only enough groups to hold every run are drawn
HUES = "abc"

Group = tuple[int, int]  # first and last place, from 0


@dataclass(frozen=True)
class SignificanceBars:
    """`columns` holds, by run, what is drawn in each column: a hue, and "start" or "end" where the
    stroke has one; `reach` the first and last rank that a run cannot be told from."""

    choices: TestChoices
    width: int  # columns
    is_complete: bool
    columns: Mapping[str, tuple[str, ...]]
    reach: Mapping[str, tuple[int, int]]
    tested: int  # runs, the first of the board
    left_out: int  # those below them


def significance_bars(viewer: Viewer, board: Leaderboard) -> SignificanceBars | None:
    """Of the ranked runs that are tested; None for some of them only, and where nothing is known
    (yet). Two queries where the answer is there already. The viewer must be one who may see the
    board."""
    ranked = board.ranked
    if board.qrels is None or board.filters or len(ranked) < 2:
        return None
    if board.measure not in tested_measures(viewer) or board.measure.family == "Judged":
        return None
    choices = usual_test(board.measure)
    analysis = request_analysis(viewer, board.qrels, "significance", choices.question, is_free=True)
    if analysis.state != Analysis.State.DONE:
        return None
    tested_runs = RankedRuns(
        runs=ranked,
        ranks=tuple(row.rank or 0 for row in ranked),
        has_residuals=board.has_residuals,
        is_lower_better=board.lower_is_better,
    ).first(MOST_RUNS)
    groups = significance(choices, tested_runs, result_of(analysis)).groups
    columns = in_columns(groups)
    is_complete = len(columns) <= WIDEST
    if not is_complete:
        columns = in_columns(covering_groups(groups))
    hues = {group: HUES[number % len(HUES)] for number, group in enumerate(groups)}
    return SignificanceBars(
        choices=choices,
        width=len(columns),
        is_complete=is_complete,
        columns={run.run_id: _drawn(columns, hues, at) for at, run in enumerate(ranked)},
        reach=_reach(groups, tested_runs),
        tested=len(tested_runs.runs),
        left_out=tested_runs.left_out,
    )


def in_columns(groups: Sequence[Group]) -> list[list[Group]]:
    """Groups side by side, so that none lies on another; as few columns as that takes."""
    columns: list[list[Group]] = []
    for group in groups:
        free = (column for column in columns if column[-1][1] < group[0])
        column = next(free, None)
        if column is None:
            columns.append([group])
        else:
            column.append(group)
    return columns


def covering_groups(groups: Sequence[Group]) -> list[Group]:
    """As few of the groups, ordered by their places, as hold every run that is in one."""
    chosen: list[Group] = []
    held = -1  # the last place that a chosen group holds
    while left := [group for group in groups if group[1] > held]:
        start = max(held + 1, left[0][0])
        chosen.append(max((g for g in left if g[0] <= start), key=lambda group: group[1]))
        held = chosen[-1][1]
    return chosen


def _drawn(
    columns: Sequence[Sequence[Group]], hues: Mapping[Group, str], place: int
) -> tuple[str, ...]:
    passing = (
        next((group for group in column if group[0] <= place <= group[1]), None)
        for column in columns
    )
    return tuple(hues[group] + _end(group, place) if group else "" for group in passing)


def _end(group: Group, place: int) -> str:
    return {group[0]: " start", group[1]: " end"}.get(place, "")


def _reach(groups: Sequence[Group], tested_runs: RankedRuns) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for first, last in groups:
        for place in range(first, last + 1):
            run_id = tested_runs.runs[place].run_id
            begin, _ = found.get(run_id, (tested_runs.ranks[first], 0))
            found[run_id] = (begin, tested_runs.ranks[last])
    return found
