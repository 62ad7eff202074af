"""The leaderboard that the parameters of a request select: the same for page, CSV, LaTeX and API.

measure=AP            the measure that ranks; default: the campaign's first
p=0.60                another p, if the measure is an RBP with one p
qrels=2               a version of the qrels; default: the active one
columns=RR&columns=Q  further measures
team, type, judged    filters; the rows keep their ranks among all runs
runs=best             the best run of each team by the leading measure, among those that match type
                      and judged
ties=on               the effect of other orders of tied documents
ranks=on              how certain the rank of each run is, in tables and the API
baseline=<run id>     the difference of each run from this baseline
correction=max-t      of the p-values of these differences
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import UnknownChoice, choice_or_404
from scoring.analyses.means import NotComputedYet, request_means
from scoring.analyses.requests import request_analysis, result_of
from scoring.analyses.studies import OfMeasure
from scoring.baselines.rows import (
    can_be_compared,
    chosen_baseline,
    chosen_correction,
    differences_from,
)
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import DECIMALS, common_places
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.analysis import TIED_SCORES
from scoring.leaderboard.rank_marks import why_no_marks, with_intervals
from scoring.leaderboard.rows import (
    AgainstBaseline,
    BoardRow,
    Leaderboard,
    TiedScore,
    Ties,
    leaderboard,
    ranked_rows,
)
from scoring.models import Analysis
from scoring.output.measure_names import measure_label
from scoring.results.cache import cached_board
from scoring.results.options import (
    chosen_columns,
    chosen_filters,
    chosen_measure,
    chosen_persistence,
    chosen_version,
)
from scoring.results.vectors import visible_means

TIES: Final = {"on": "shown", "off": "not shown"}
RANKS: Final = {"on": "shown", "off": "not shown"}
RUNS: Final = {"all": "all", "best": "best per team"}

# Of a page's URL, what the API takes too.
_SELECTS: Final = {
    *("measure", "p", "qrels", "columns", "team", "type"),
    *("judged", "runs", "ties", "ranks", "baseline", "correction"),
}

BOARDS: LRUCache[Leaderboard] = LRUCache(room=30_000)  # cells


def cached_leaderboard(viewer: Viewer, params: QueryDict) -> Leaderboard:
    """`board_query`, cached for tables, because scripts request them again and again. Raises
    UnknownChoice for a request of ranges of ranks where there are none."""

    def query() -> tuple[Leaderboard, int]:
        board = board_query(board_request(viewer, params))
        # Not 0 for a board without rows, of which there could be any number.
        return board, 10 + len(board.rows) * (1 + len(board.columns))

    board = cached_board(BOARDS, viewer, params, query)
    # A page shows the sentence beside the board; a table has no place for it.
    if board.intervals_fault:
        why = f"{board.intervals_fault} Leave out ranks=on."
        raise UnknownChoice("ranks", "on", why=why)
    return board


class BoardExcerpt(NamedTuple):
    """The first rows of a board that have a rank."""

    board: Leaderboard
    rows: tuple[BoardRow, ...]
    is_share: bool  # the scores lie between 0 and 1, so that a mark can show them


def board_excerpt(viewer: Viewer, count: int) -> BoardExcerpt:
    """Of the board as its page opens. The viewer must be one who may see it."""
    board = cached_leaderboard(viewer, QueryDict())
    is_share = family_of(board.measure).facts.range[1] <= 1
    return BoardExcerpt(board, board.ranked[:count], is_share)


def selection(params: QueryDict) -> QueryDict:
    """Those of the parameters that select a board and have a value, for a link to the API, which
    refuses others."""
    selected = QueryDict(mutable=True)
    for name, values in params.lists():
        if name in _SELECTS:
            selected.setlist(name, [value for value in values if value])
    return selected


@dataclass(frozen=True, eq=False)
class BoardRequest:
    """What the parameters of a request ask of a board, each resolved once."""

    viewer: Viewer
    measure: Measure
    at_p: Measure | None  # the measure with another p
    qrels: Qrels | None  # None: the active version
    columns: tuple[Measure, ...]
    runs: str  # of RUNS
    shows_ties: bool
    shows_ranks: bool
    correction: str  # of the differences from a baseline
    params: QueryDict  # the baseline and the filters choose among the rows of the board


def board_request(
    viewer: Viewer, params: QueryDict, *, offered: Sequence[Qrels] | None = None
) -> BoardRequest:
    """Ignores other parameters. Raises UnknownChoice for a value that is not offered.

    `offered` are the qrels versions to choose from, if the caller has them already. The viewer
    must be one who may see the board.
    """
    measure = chosen_measure(viewer, params.get("measure"))
    ties = choice_or_404("ties", params.get("ties"), TIES, called="value for ties")
    ranks = choice_or_404("ranks", params.get("ranks"), RANKS, called="value for ranks")
    return BoardRequest(
        viewer=viewer,
        measure=measure,
        at_p=chosen_persistence(measure, params.get("p")),
        qrels=chosen_version(viewer, params.get("qrels"), offered),
        columns=chosen_columns(viewer, params, measure),
        runs=choice_or_404("runs", params.get("runs"), RUNS, called="choice of runs"),
        shows_ties=ties == "on",
        shows_ranks=ranks == "on",
        correction=chosen_correction(params.get("correction")),
        params=params,
    )


def board_query(asked: BoardRequest) -> Leaderboard:
    """Raises UnknownBaseline, or UnknownChoice for a filter that the board does not have."""
    viewer = asked.viewer
    board = leaderboard(viewer, asked.measure, qrels=asked.qrels, columns=asked.columns)
    baseline = chosen_baseline(board.baselines, asked.params.get("baseline"))
    if asked.at_p is not None:
        board = _scored_at_persistence(viewer, board, asked.at_p)
    if board.rescoring is not None:
        why = why_no_marks(viewer, board) if asked.shows_ranks else ""
        return replace(board, intervals_fault=why)
    filters = chosen_filters(asked.params, teams=dict(board.teams), is_judged=board.knows_judged)
    if asked.runs == "best":
        # Before what is counted among ranks, because it ranks the runs again.
        board = _best_per_team(viewer, board, filters)
    board = _with_ranks_gained(viewer, board)
    if board.rescoring is not None:
        return board
    if baseline is not None:
        board = _against_baseline(viewer, board, baseline, asked.correction)
    if asked.shows_ties:
        board = with_ties(viewer, board)
    if asked.shows_ranks:
        board = with_intervals(viewer, board)
    # At last, so that the rows keep their ranks among all runs.
    return replace(board, filters=filters, rows=_matching(board.rows, filters))


def _against_baseline(
    viewer: Viewer, board: Leaderboard, baseline: BoardRow, correction: str
) -> Leaderboard:
    """Adds to each ranked run its difference from the baseline, if a worker has computed it. Two
    queries."""
    if board.measure not in rules_of(viewer.campaign).measures:
        fault = "Differences from a baseline are computed at the campaign’s own values of p only."
        return replace(board, against_baseline=AgainstBaseline(baseline, fault=fault))
    if board.qrels is None or not can_be_compared(board.measure):
        fault = f"Runs are not compared by {measure_label(board.measure)}."
        return replace(board, against_baseline=AgainstBaseline(baseline, fault=fault))
    by_measure = differences_from(viewer, board.qrels, baseline.run_id, [board.measure], correction)
    found = by_measure[board.measure]
    rows = tuple(replace(row, difference=found.by_run.get(row.run_id)) for row in board.rows)
    return replace(board, rows=rows, against_baseline=AgainstBaseline(baseline, found))


def _scored_at_persistence(viewer: Viewer, board: Leaderboard, measure: Measure) -> Leaderboard:
    """The same runs by another measure of the same direction, from the stored grades. Without rows
    until a worker has computed them."""
    if board.qrels is None:
        return board
    answer = request_means(viewer, board.qrels, [measure])
    if isinstance(answer, NotComputedYet):
        return replace(board, measure=measure, rows=(), rescoring=answer.analysis)
    means = answer[measure]
    rows = [
        replace(row, rank=None, base=base, residual=residual)
        for row in board.rows
        # A loop over one pair, which gives names to its parts.
        for base, residual in [means.get(row.run_id, (None, None))]
    ]
    return replace(
        board, measure=measure, rows=ranked_rows(rows, lower_is_better=board.lower_is_better)
    )


def _with_ranks_gained(viewer: Viewer, board: Leaderboard) -> Leaderboard:
    """Under a version that is not active: how many ranks each run gains compared with the active
    version, by the same measure, among the runs that both rank. One or two queries."""
    active = viewer.campaign.active_qrels
    if board.uses_active_qrels or active is None:
        return board
    before: dict[str, float | None]
    if board.measure in rules_of(viewer.campaign).measures:
        runs, bases, _ = visible_means(viewer, active, [board.measure])
        before = {run.run_id: base for run, base in zip(runs, bases[0].tolist(), strict=True)}
    else:
        # No evaluation has the measure, so the means come from the grades of all live runs.
        ranked = set(viewer.campaign.runs.ranked().values_list("public_id", flat=True))
        answer = request_means(viewer, active, [board.measure])
        if isinstance(answer, NotComputedYet):
            return replace(board, rows=(), rescoring=answer.analysis)
        means = answer[board.measure]
        before = {run_id: base for run_id, (base, _) in means.items() if run_id in ranked}
    ranks = common_places(
        before,
        {row.run_id: row.base for row in board.ranked},
        -1 if board.lower_is_better else 1,
    )
    rows = tuple(
        replace(row, moved=ranks[row.run_id].gained) if row.run_id in ranks else row
        for row in board.rows
    )
    return replace(board, against=active, rows=rows)


def _best_per_team(viewer: Viewer, board: Leaderboard, filters: Mapping[str, str]) -> Leaderboard:
    """The best ranked run of each team, of those that match the filters of runs, ranked again. It
    is the best by the leading measure, so that a team has the same run by every measure. Two
    queries, none if the board is by that measure."""
    leading = rules_of(viewer.campaign).measures[0]
    by_leading = (
        board if board.measure == leading else leaderboard(viewer, leading, qrels=board.qrels)
    )
    of_runs = {name: value for name, value in filters.items() if name != "team"}
    best: dict[str, str] = {}
    for row in _matching(by_leading.ranked, of_runs):
        # The best run of a team is the first of its rows.
        best.setdefault(row.team_id, row.run_id)
    rows = [row for row in board.rows if row.run_id == best.get(row.team_id)]
    ranked = ranked_rows(rows, lower_is_better=board.lower_is_better)
    return replace(board, rows=ranked, best_by=leading)


def _matching(rows: Sequence[BoardRow], filters: Mapping[str, str]) -> tuple[BoardRow, ...]:
    def is_chosen(row: BoardRow) -> bool:
        judged = "yes" if row.is_in_pool else "no"
        facts = {"team": row.team_id, "type": row.run_type, "judged": judged}
        return all(facts[name] == value for name, value in filters.items())

    return tuple(filter(is_chosen, rows))


OTHER_P = "The effect of ties is computed at the campaign’s own values of p only."


def with_ties(viewer: Viewer, board: Leaderboard) -> Leaderboard:
    """Adds to each ranked run its score over all orders of its tied documents, if a worker has
    computed it. Three queries. The viewer must be one who may see the board."""
    if board.qrels is None or not board.ranked:
        return board
    if board.measure not in rules_of(viewer.campaign).measures:
        return replace(board, ties=Ties(fault=OTHER_P))
    question = OfMeasure(str(board.measure))
    analysis = request_analysis(viewer, board.qrels, TIED_SCORES, question)
    board = replace(board, ties=Ties(analysis))
    if analysis.state != Analysis.State.DONE:
        return board
    result = result_of(TIED_SCORES, analysis)
    columns = (each.tolist() for each in (result.expected, result.low, result.high))
    scores = {
        run_id: TiedScore(*map(none_if_nan, values))
        for run_id, *values in zip(result.run_ids.tolist(), *columns, strict=True)
    }
    rows = [
        replace(row, tied=scores.get(row.run_id)) if row.rank is not None else row
        for row in board.rows
    ]
    return replace(board, rows=_marked(rows, is_lower_better=board.lower_is_better))


def _marked(rows: list[BoardRow], *, is_lower_better: bool) -> tuple[BoardRow, ...]:
    """Marks every run that the next run could overtake with another order of tied documents."""
    swapped = set()
    for above, below in pairwise(row for row in rows if row.rank is not None):
        if above.tied is None or below.tied is None:
            continue
        worse, better = (below.tied, above.tied) if is_lower_better else (above.tied, below.tied)
        if worse.low is None or better.high is None:
            continue
        if round(worse.low, DECIMALS) < round(better.high, DECIMALS):
            swapped.add(above.run_id)
    return tuple(
        replace(row, tied=row.tied._replace(can_swap=True))
        if row.tied and row.run_id in swapped
        else row
        for row in rows
    )
