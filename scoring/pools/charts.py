"""Scores with a shallower pool against those with all judgments: Figs. 2 and 4 of the RBP paper,
and the residual by pool depth."""

from typing import Any

import plotly.graph_objects as go

from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, as_text, evenly, label, sample_note
from scoring.pools.rows import LeftOut, PooledRun, PoolStudy


def pool_scatter(study: PoolStudy | LeftOut, other: str) -> dict[str, Any]:
    """A point for each run with a bar for its residual, and the line of equal scores. Of many runs
    it has a sample, and those of the viewer's team."""
    drawn = [row for row in study.rows if row.base is not None and row.other_base is not None]
    places = set(evenly(len(drawn)))
    # A team always finds its own runs.
    rows = [row for place, row in enumerate(drawn) if place in places or row.run.is_own]
    ends = [row.base for row in rows] + [row.other_base for row in rows]
    figure = go.Figure(
        go.Scatter(
            x=[min(ends, default=0), max(ends, default=1)],
            y=[min(ends, default=0), max(ends, default=1)],
            mode="lines",
            line={"width": 1.5},
            hoverinfo="skip",
            name="same score",
            meta={"role": "edge"},
        )
    )
    # Drawn last, the own runs are above the others.
    for name, role, is_own in (("runs", "known", False), ("own runs", "own", True)):
        shown = [row for row in rows if row.run.is_own == is_own]
        if shown:
            figure.add_trace(_points(shown, name, role, other))
    measure = label(measure_label(study.choice.measure))
    figure.update_layout(
        hovermode="closest",
        showlegend=any(row.run.is_own for row in rows),
        xaxis={"title": {"text": f"mean {measure}, all judgments"}, "zeroline": False},
        yaxis={"title": {"text": f"mean {measure}, {other}"}, "zeroline": False},
    )
    return as_data(figure, sample_note(len(rows), len(drawn), "runs"))


def _points(rows: list[PooledRun], name: str, role: str, other: str) -> go.Scatter:
    residuals = [row.other_residual or 0.0 for row in rows]
    bars = {"type": "data", "symmetric": False, "array": residuals, "thickness": 1.5, "width": 0}
    return go.Scatter(
        x=[row.base for row in rows],
        y=[row.other_base for row in rows],
        error_y=bars | {"arrayminus": [0.0] * len(rows)} if any(residuals) else None,
        customdata=[
            [label(row.run.name), label(row.run.team), row.rank, row.other_rank,
             decimal_text(row.base, 4),
             decimal_text(row.other_base, 4)
             + ("" if row.other_residual is None else f" {addition_text(row.other_residual, 4)}")]
            for row in rows
        ],
        hovertemplate=(
            "%{customdata[0]} · %{customdata[1]}"
            "<br>all judgments: %{customdata[4]}, rank %{customdata[2]}"
            f"<br>{other}: %{{customdata[5]}}, rank %{{customdata[3]}}<extra></extra>"
        ),
        mode="markers",
        marker={"size": 6},
        name=name,
        meta={"role": role},
    )  # fmt: skip


def depth_band(study: PoolStudy) -> dict[str, Any]:
    """The mean base over all runs at each depth, with the mean residual above it."""
    shown = [each for each in study.depths if each.mean_base is not None]
    names = [each.depth for each in shown]
    figure = go.Figure(_line(names, [each.mean_base for each in shown], "base", "known"))
    if study.has_residuals:
        tops = [(each.mean_base or 0.0) + (each.mean_residual or 0.0) for each in shown]
        # Its area is filled down to the trace before, the base.
        upper = _line(names, tops, "base and residual", "could")
        figure.add_trace(upper.update(fill="tonexty"))
    figure.update_layout(
        hovermode="x unified",
        showlegend=False,
        xaxis={"title": {"text": "pool depth"}, "type": "category", "zeroline": False},
        yaxis={
            "title": {"text": f"mean {label(measure_label(study.choice.measure))}"},
            "zeroline": False,
            "rangemode": "tozero",
        },
    )
    return as_data(figure)


def _line(x: list[str], y: list[float | None], name: str, role: str) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name=name,
        customdata=as_text(y),
        hovertemplate="%{customdata}",
        meta={"role": role},
    )
