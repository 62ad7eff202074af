"""Tables of one or several boards at full precision; in LaTeX only the ranked runs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from campaigns.models import Qrels
from scoring.baselines.tables import difference_caption, difference_columns, difference_record
from scoring.core.measures.graded import has_residual
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import shown_digits
from scoring.leaderboard.rows import BoardRow, Leaderboard
from scoring.output.latex import Cell, Marked, added, interval, number
from scoring.output.numbers import MAX_DIGITS, Digits
from scoring.output.table import Column, Table, printed
from scoring.ranks.rows import RankInterval

TIES = {"expected": "ties: mean", "low": "lowest", "high": "highest"}  # headings in LaTeX
SOURCES = (  # if a program judged
    Column("base_of_people", "row.people"),
    Column("judged_by", "board.qrels.counts_by_source"),
)


class _Entry(NamedTuple):
    board: Leaderboard
    row: BoardRow


def board_table(board: Leaderboard) -> Table:
    """LaTeX shows the ranked runs; a dash is a value that is not defined or has no exact bound."""
    ranked = [_Entry(board, row) for row in board.ranked]
    columns = (*_columns(ranked), *_requested_columns(board, ranked))
    version = f", qrels v{board.qrels.version}" if board.qrels else ""
    caption = f"mean {board.measure} over {board.topic_count} topics{version}."
    if board.is_best_per_team:
        caption += f" Only the best run of each team by {board.best_by} is ranked."
    if board.qrels and board.qrels.has_program:
        caption += f" {board.qrels.statement}"
    if board.against_baseline and board.has_differences:
        caption += f" {difference_caption(board.against_baseline.differences.correction)}"
    if board.rank_set_caution:
        caption += f" {board.rank_set_caution}"
    rows = (_Entry(board, row) for row in board.rows)
    return Table(columns, rows, in_latex=Table(columns, ranked, caption))


def boards_table(boards: Iterable[Leaderboard], qrels: Qrels) -> Table:
    """The boards of several measures in one table, one board in memory at a time."""
    rows = (_Entry(board, row) for board in boards for row in board.rows)
    sources = SOURCES if qrels.has_program else ()
    return Table((*_columns(), *sources), rows)


def _columns(ranked: Sequence[_Entry] = ()) -> tuple[Column, ...]:
    """The columns of every board. LaTeX has the digits of the page, and shows the ranked rows."""
    return (
        Column("rank", "row.rank", ""),
        Column("run", "row.name", "run", align="l"),
        Column("team", "row.team", "team", align="l"),
        Column("run_type", "row.run_type"),
        Column("measure", "board.measure"),
        Column("base", "row.base"),
        _aligned("base", lambda each: number(each.row.base, each.row.printed_digits.shown), ranked),
        Column("residual", "row.residual"),
        _aligned(
            "residual",
            lambda each: added(each.row.residual, Digits.of(each.row.digits).shown),
            ranked,
        ),
        Column("upper", "row.upper"),
        printed(
            "interval",
            lambda each: interval(each.row.base, each.row.upper, each.row.printed_digits.shown),
        ),
        Column("judged_at_10", "row.judged_at_10", "judged@10", partial(number, digits=2)),
        Column("topics", "row.topic_count"),
        Column("qrels", lambda each: each.board.qrels and each.board.qrels.version),
        Column("run_id", "row.run_id"),
        Column("status", "row.status"),
        Column("reason", "row.reason"),
        Column("is_baseline", "row.is_baseline"),
    )


def _aligned(heading: str, text: Callable[[_Entry], str], ranked: Sequence[_Entry]) -> Column:
    """Numbers of different lengths in LaTeX."""
    most = max((_decimals(text(each)) for each in ranked), default=0)

    def cell(each: _Entry) -> Cell:
        found = text(each)
        # A dash has no point at which it could be aligned.
        return Marked(found, missing_digits=most - _decimals(found)) if "." in found else found

    return printed(heading, cell)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _cell_base(at: int, each: _Entry) -> str:
    cell = each.row.columns[at]
    return number(cell.base, Digits.of(shown_digits(cell.residual)).shown)


def _cell_residual(at: int, each: _Entry) -> str:
    residual = each.row.columns[at].residual
    return added(residual, Digits.of(shown_digits(residual)).shown)


def _requested_columns(board: Leaderboard, ranked: Sequence[_Entry]) -> Iterator[Column]:
    """The columns that the request or the version adds."""
    if board.has_program:
        yield from SOURCES
    for at, measure in enumerate(board.columns):
        yield Column(str(measure), partial(_cell, at, "base"))
        yield _aligned(str(measure), partial(_cell_base, at), ranked)
        if bounded(measure):
            yield Column(f"{measure} residual", partial(_cell, at, "residual"))
            yield _aligned("residual", partial(_cell_residual, at), ranked)
    if board.against:
        yield Column(
            "ranks_gained",
            "row.moved",
            "ranks gained",
            lambda moved: "–" if moved is None else f"{moved:+d}",
        )
    if board.has_tied_scores:
        for name, heading in TIES.items():
            shown = partial(number, digits=MAX_DIGITS)
            # A lambda would read `name` when the rows are written, and find the last one.
            yield Column(f"tie_{name}", partial(_tied, name), heading, shown)
    if board.has_intervals:
        for name in RankInterval._fields:
            yield Column(name, partial(_interval, name))
        yield Column("rank_set_caution", "board.rank_set_caution")
        yield printed(
            "ranks, 95 %", lambda each: each.row.interval and (each.row.interval.ranks or "–")
        )
        yield printed(
            "first", lambda each: each.row.interval and number(each.row.interval.first_share, 3)
        )
        yield printed(
            "rank set, 95 %", lambda each: each.row.interval and (each.row.interval.rank_set or "–")
        )
        yield printed(
            "possible ranks",
            lambda each: each.row.interval and (each.row.interval.possible_ranks or "–"),
        )
    if board.against_baseline and board.has_differences:
        against = board.against_baseline
        yield from difference_columns(against.run, against.differences.correction, "row.difference")


def board_records(board: Leaderboard) -> list[dict[str, Any]]:
    """For JSON: one record per row; requested columns and ties are nested."""
    rows = [_Entry(board, row) for row in board.rows]
    records = Table(_columns(), rows).records()
    return [
        record | _requested(board, row) for record, row in zip(records, board.rows, strict=True)
    ]


def _requested(board: Leaderboard, row: BoardRow) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if board.qrels and board.qrels.has_program:
        record["base_of_people"] = row.people
        record["judged_by"] = board.qrels.counts_by_source
    if board.columns:
        record["columns"] = [
            {"measure": str(measure), "base": cell.base, "residual": cell.residual}
            for measure, cell in zip(board.columns, row.columns, strict=True)
        ]
    if board.against:
        record["ranks_gained"] = row.moved
    if board.has_tied_scores:
        record["ties"] = row.tied._asdict() if row.tied else None
    if board.has_intervals:
        record["interval"] = (
            row.interval._asdict() | {"rank_set_caution": board.rank_set_caution}
            if row.interval
            else None
        )
    if board.against_baseline:
        against = board.against_baseline
        record["difference"] = difference_record(
            against.run.run_id, against.differences.correction, row.difference
        )
    return record


def bounded(measure: Measure) -> bool:
    """Whether a column of the measure comes with a column of its residual."""
    return has_residual(measure)


def _cell(at: int, name: str, each: _Entry) -> float | None:
    value: float | None = getattr(each.row.columns[at], name)
    return value


def _tied(name: str, each: _Entry) -> float | None:
    value: float | None = getattr(each.row.tied, name, None)
    return value


def _interval(name: str, each: _Entry) -> float | None:
    value: float | None = getattr(each.row.interval, name, None)
    return value
