"""Leaderboard rows in other dresses: CSV and JSON."""

import io
from typing import Any

from defusedcsv import csv

from scoring.leaderboard import Leaderboard

COLUMNS = (
    "rank", "run", "team", "run_type", "measure", "base", "residual", "upper",
    "judged_at_10", "topics", "qrels", "run_id", "standing", "reason",
)  # fmt: skip


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
        for row in board.rows
    ]


def board_csv(*boards: Leaderboard) -> str:
    """Boards of several measures one below the other. Numbers as numbers, shortest text that reads
    back to the same double; text cells made safe for spreadsheets; empty where a value is not
    defined."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for board in boards:
        for record in board_records(board):
            writer.writerow([record[column] for column in COLUMNS])
    return out.getvalue()
