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
from typing import Final

from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.choices import one_of
from campaigns.models import Qrels
from scoring.board_choices import (
    chosen_columns,
    chosen_filters,
    chosen_measure,
    chosen_persistence,
    chosen_version,
)
from scoring.core.measures.measure import Measure
from scoring.grade_cube import means_from_grades
from scoring.leaderboard import Leaderboard, Row, leaderboard, placed
from scoring.tied_board import with_ties

TIES: Final = {"on": "what ties decide", "off": "not shown"}


def board_asked(
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
    if at_p is not None:
        board = _scored_anew(viewer, board, at_p)
    if one_of("ties", asked.get("ties"), TIES, called="way of looking at ties") == "on":
        board = with_ties(viewer, board)
    return _filtered(board, asked)


def _scored_anew(viewer: Viewer, board: Leaderboard, measure: Measure) -> Leaderboard:
    """The same runs by another measure of the same direction, from the stored grades."""
    if board.qrels is None:
        return board
    means = means_from_grades(viewer.campaign, board.qrels, measure)
    rows = [
        replace(row, rank=None, base=base, residual=residual)
        for row in board.rows
        for base, residual in [means.get(row.run_id, (None, None))]
    ]
    return replace(board, measure=measure, rows=placed(rows, lower_is_better=board.lower_is_better))


def _filtered(board: Leaderboard, asked: Mapping[str, str]) -> Leaderboard:
    filters = chosen_filters(asked, teams=dict(board.teams), is_judged=board.knows_judged)

    def is_chosen(row: Row) -> bool:
        is_full = "full" if row.judged_at_10 == 1 else "part"
        facts = {"team": row.team_id, "type": row.run_type, "judged": is_full}
        return all(facts[name] == value for name, value in filters.items())

    return replace(board, filters=filters, rows=tuple(filter(is_chosen, board.rows)))
