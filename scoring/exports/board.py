"""Leaderboard rows in other dresses: CSV and JSON."""

import io
from typing import Any

from defusedcsv import csv

from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.leaderboard import Leaderboard, Row

COLUMNS = (
    "rank", "run", "team", "run_type", "measure", "base", "residual", "upper",
    "judged_at_10", "topics", "qrels", "run_id", "standing", "reason",
)  # fmt: skip
TIES = ("tie_expected", "tie_low", "tie_high")


def board_records(board: Leaderboard) -> list[dict[str, Any]]:
    """One record per row, in the order of the board, at full precision."""
    version = board.qrels.version if board.qrels else None
    return [
        {
            "rank": row.rank,
            "run": row.tag,
            "team": row.team,
            "run_type": row.run_type,
            "measure": str(board.measure),
            "base": row.base,
            "residual": row.residual,
            "upper": row.upper,
            "judged_at_10": row.judged_at_10,
            "topics": row.topic_count,
            "qrels": version,
            "run_id": row.run_id,
            "standing": row.standing,
            "reason": row.reason,
        }
        | _chosen(board, row)
        for row in board.rows
    ]


def _chosen(board: Leaderboard, row: Row) -> dict[str, Any]:
    """What was asked for beside what every board tells."""
    found: dict[str, Any] = {}
    if board.columns:
        found["columns"] = [
            {"measure": str(measure), "base": cell.base, "residual": cell.residual}
            for measure, cell in zip(board.columns, row.columns, strict=True)
        ]
    if board.against:
        found["places_gained"] = row.moved
    if board.has_tied_scores:
        found["ties"] = row.tied._asdict() if row.tied else None
    return found


def board_csv(*boards: Leaderboard) -> str:
    """Boards of several measures, with the same columns, one below the other. Numbers as numbers,
    shortest text that reads back to the same double; text cells made safe for spreadsheets; empty
    where a value is not defined."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *(_chosen_names(boards[0]) if boards else ())])
    for board in boards:
        for record, row in zip(board_records(board), board.rows, strict=True):
            writer.writerow([*(record[column] for column in COLUMNS), *_chosen_cells(board, row)])
    return out.getvalue()


def bounded(measure: Measure) -> bool:
    """Whether a column of the measure has one of its residuals beside it."""
    return family_of(measure).facts.has_residual


def _chosen_names(board: Leaderboard) -> list[str]:
    """Of the columns that stand behind those of every board."""
    names = []
    for measure in board.columns:
        names += [str(measure), f"{measure} residual"] if bounded(measure) else [str(measure)]
    names += ["places_gained"] if board.against else []
    return names + (list(TIES) if board.has_tied_scores else [])


def _chosen_cells(board: Leaderboard, row: Row) -> list[float | None]:
    cells: list[float | None] = []
    for measure, cell in zip(board.columns, row.columns, strict=True):
        cells += [cell.base, cell.residual] if bounded(measure) else [cell.base]
    cells += [row.moved] if board.against else []
    if board.has_tied_scores:
        cells += row.tied[: len(TIES)] if row.tied else [None] * len(TIES)
    return cells
