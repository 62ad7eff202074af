"""A chart of the leaderboard: the base and the upper bound of every run."""

from typing import Any

import plotly.graph_objects as go

from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.leaderboard.rows import Leaderboard
from scoring.output.plotting import as_data, label


def interval_chart(board: Leaderboard) -> dict[str, Any]:
    """Each ranked run's base as a point, with its residual as a bar above it."""
    rows = board.ranked
    digits = max(board.digits, 2)
    figure = go.Figure(
        go.Scatter(
            x=[position for position, _ in enumerate(rows, start=1)],
            y=[row.base for row in rows],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [row.residual or 0.0 for row in rows],
                "arrayminus": [0.0] * len(rows),
                "width": 0,
            },
            customdata=[
                [
                    label(row.tag),
                    label(row.team),
                    "–" if row.base is None else decimal_text(row.base, digits),
                    "–" if row.residual is None else addition_text(row.residual, digits),
                    "–" if row.upper is None else decimal_text(row.upper, digits),
                ]
                for row in rows
            ],
            hovertemplate=(
                "%{customdata[0]} · %{customdata[1]}<br>base %{customdata[2]}"
                "<br>residual %{customdata[3]}<br>upper %{customdata[4]}<extra></extra>"
            ),
            mode="markers",
            name="base",
        )
    )
    figure.update_layout(
        template="none",
        showlegend=False,
        hovermode="closest",
        xaxis={"title": {"text": "rank"}, "zeroline": False},
        yaxis={"title": {"text": f"mean {board.measure}"}, "range": [0, 1], "zeroline": False},
    )
    return as_data(figure)
