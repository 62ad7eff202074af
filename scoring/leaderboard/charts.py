"""A chart of the leaderboard: the base and the upper bound of every run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from scoring.leaderboard.rows import BoardRow, Leaderboard
from scoring.output.measure_names import measure_label
from scoring.output.numbers import addition, score
from scoring.output.plotting import as_data, label


def interval_chart(board: Leaderboard) -> dict[str, Any]:
    """Each ranked run's base as a point, with its residual as a bar above it. If it is known what
    people alone judged, the point is that part of the base, and a bar up to the base is what a
    program adds. A trace has one kind of bars, and the last one the points."""
    rows = board.ranked
    residuals = [row.residual or 0.0 for row in rows]
    if board.has_people_part:
        bars = _trace(rows, [row.base for row in rows], residuals, hoverinfo="skip")
        added = [(row.base or 0.0) - (_of_people(row) or 0.0) for row in rows]
        points = _trace(rows, list(map(_of_people, rows)), added, meta={"bar": "own"})
        traces = [bars, points]
        of_people = "<br>by people alone %{customdata[5]}"
    else:
        points = _trace(rows, [row.base for row in rows], residuals)
        traces, of_people = [points], ""
    points.update(
        customdata=list(map(_shown, rows)),
        hovertemplate=(
            f"%{{customdata[0]}} · %{{customdata[1]}}<br>base %{{customdata[2]}}{of_people}"
            "<br>residual %{customdata[3]}<br>upper %{customdata[4]}<extra></extra>"
        ),
        name="base",
    )
    figure = go.Figure(traces)
    figure.update_layout(
        template="none",
        showlegend=False,
        hovermode="closest",
        xaxis={"title": {"text": "rank"}, "zeroline": False},
        yaxis={
            "title": {"text": f"mean {label(measure_label(board.measure))}"},
            "range": [0, 1],
            "zeroline": False,
        },
    )
    return as_data(figure)


def _trace(
    rows: Sequence[BoardRow], starts: list[float | None], heights: list[float], **facts: Any
) -> go.Scatter:
    """A bar of this height above the start of each row."""
    error_y = {
        "type": "data",
        "symmetric": False,
        "array": heights,
        "arrayminus": [0.0] * len(rows),
        "width": 0,
    }
    places = list(range(1, len(rows) + 1))
    return go.Scatter(x=places, y=starts, error_y=error_y, mode="markers", **facts)


def _shown(row: BoardRow) -> list[str]:
    """With the digits of the table."""
    digits = row.printed_digits
    return [
        label(row.name),
        label(row.team),
        score(row.base, digits),
        addition(row.residual, row.digits),
        score(row.upper, digits),
        score(_of_people(row), digits),
    ]


def _of_people(row: BoardRow) -> float | None:
    """The part of the base that people judged."""
    return row.base if row.people is None else row.people


@dataclass(frozen=True)
class Sketch:
    """The marks of the chart as paths of SVG, for the time until the script of the chart is loaded.
    A run is one unit wide, and the scores from 0 to 1 are 1,000 units high."""

    width: int
    bases: str
    residuals: str
    by_program: str  # what a program adds; empty if none did


def interval_sketch(board: Leaderboard) -> Sketch:
    bases, residuals, by_program = [], [], []
    for place, row in enumerate(board.ranked):
        if row.base is None:
            continue
        top = _height(row.base + (row.residual or 0.0))
        people = _height(_of_people(row) or 0.0)
        # From 30 % to 70 % of the width of the run.
        bases.append(f"M{place}.3 {people}h.4")
        if _height(row.base) < people:
            by_program.append(f"M{place}.5 {people}V{_height(row.base)}")
        if top < _height(row.base):
            residuals.append(f"M{place}.5 {_height(row.base)}V{top}")
    return Sketch(len(board.ranked), *map("".join, (bases, residuals, by_program)))


def _height(score: float) -> int:
    # The y of SVG grows downwards.
    return round(1000 * (1 - score))
