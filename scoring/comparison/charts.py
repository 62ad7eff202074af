"""Charts of two runs: the difference on every topic with its bounds, and RBP as a function of p."""

from typing import Any

import plotly.graph_objects as go

from scoring.comparison.persistence import AtPersistence
from scoring.comparison.rows import Comparison
from scoring.core.statistics.means import Interval
from scoring.core.statistics.rounding import decimal_text, difference_text
from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, as_text, chosen, evenly, label, sample_note


def difference_chart(comparison: Comparison) -> dict[str, Any]:
    """A point for each topic, from the largest gain of the first run to that of the second; a
    sample of many topics."""
    rows = chosen(comparison.topics, evenly(len(comparison.topics)))
    positions = list(range(1, len(rows) + 1))
    reach = None
    # A measure without a residual has no bounds.
    if all(row.highest is not None and row.lowest is not None for row in rows):
        reach = {
            "type": "data",
            "symmetric": False,
            "array": [(row.highest or 0.0) - row.difference for row in rows],
            "arrayminus": [row.difference - (row.lowest or 0.0) for row in rows],
            "width": 0,
        }
    stems = go.Bar(
        x=positions,
        y=[row.difference for row in rows],
        width=0.12,
        meta={"role": "known"},
        hoverinfo="skip",
    )
    points = go.Scatter(
        x=positions,
        y=[row.difference for row in rows],
        error_y=reach,
        mode="markers",
        marker={"size": 7},
        meta={"role": "known"},
        customdata=[
            [
                label(row.code),
                label(row.title),
                decimal_text(row.first, 3),
                decimal_text(row.second, 3),
                difference_text(row.difference, 3),
            ]
            for row in rows
        ],
        hovertemplate=(
            "topic %{customdata[0]} %{customdata[1]}<br>%{customdata[2]} against %{customdata[3]}"
            "<br>difference %{customdata[4]}<extra></extra>"
        ),
    )
    figure = go.Figure([stems, points])
    measure = label(measure_label(comparison.measure))
    figure.update_layout(
        showlegend=False,
        hovermode="closest",
        xaxis={
            "title": {"text": "topic"},
            "tickmode": "array",
            "tickvals": positions,
            "ticktext": [label(row.code) for row in rows],
            "zeroline": False,
            "showgrid": False,
        },
        yaxis={"title": {"text": f"difference in<br>{measure}"}, "zeroline": True},
    )
    return as_data(figure, sample_note(len(rows), len(comparison.topics), "topics"))


def persistence_chart(comparison: Comparison, rows: tuple[AtPersistence, ...]) -> dict[str, Any]:
    """A band for each run, from its base to its upper bound, at every p."""
    persistences = [row.p for row in rows]
    figure = go.Figure(
        [
            *_band(persistences, [row.first for row in rows], comparison.first.name, "known"),
            *_band(persistences, [row.second for row in rows], comparison.second.name, "own"),
        ]
    )
    figure.update_layout(
        hovermode="x unified",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis={"title": {"text": "p, the persistence of the user"}, "zeroline": False},
        yaxis={"title": {"text": "mean RBP(p)"}, "range": [0, 1], "zeroline": False},
    )
    return as_data(figure)


def _band(
    x: list[float], bands: list[Interval], tag: str, role: str
) -> tuple[go.Scatter, go.Scatter]:
    base = go.Scatter(
        x=x,
        y=[band.base for band in bands],
        mode="lines",
        name=f"{label(tag)}, base",
        customdata=as_text(band.base for band in bands),
        hovertemplate="%{customdata}",
        meta={"role": role},
    )
    upper = go.Scatter(
        x=x,
        y=[band.upper for band in bands],
        mode="lines",
        line={"width": 0.5},
        # It fills the space to the trace before, so the base must come first.
        fill="tonexty",
        name=f"{label(tag)}, upper bound",
        customdata=as_text(band.upper for band in bands),
        hovertemplate="%{customdata}",
        showlegend=False,
        meta={"role": role, "fill": role},
    )
    return base, upper
