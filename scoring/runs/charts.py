"""Scores of a run by topic as bars, with the median and the best of the other runs."""

from typing import Any

import plotly.graph_objects as go

from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, as_text, chosen, evenly, label, sample_note
from scoring.runs.topics import RunTopic, RunTopics

OFFSET = 0.36  # of marks, to the right of the bar


def run_topics_figure(topics: RunTopics) -> dict[str, Any]:
    """A bar for the base on each topic, with the residual on top, and marks for the median and the
    best of all ranked runs. A sample of many topics."""
    rows = chosen(topics.scored, evenly(len(topics.scored)))
    positions = list(range(1, len(rows) + 1))
    bars = [
        _bar(positions, [row.base for row in rows], rows, "base", "known"),
    ]
    if any(row.residual for row in rows):
        bars.append(_bar(positions, [row.residual for row in rows], rows, "residual", "could"))
    marks = [
        _marks(rows, positions, "median run", "line-ew", [row.median for row in rows]),
        _marks(rows, positions, "best run", "diamond", [row.best for row in rows]),
    ]
    # The codes of at most 50 topics, which fit below the axis.
    step = -(-len(rows) // 50)
    figure = go.Figure([*bars, *(marks if topics.compared else ())])
    figure.update_layout(
        barmode="stack",
        hovermode="closest",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis={
            "title": {"text": "topic"},
            "tickmode": "array",
            "tickvals": positions[::step],
            "ticktext": [label(row.code) for row in rows][::step],
            "range": [0.4, len(rows) + 0.7],
            "zeroline": False,
            "showgrid": False,
        },
        yaxis={"title": {"text": label(measure_label(topics.measure))}, "rangemode": "tozero"},
    )
    return as_data(figure, sample_note(len(rows), len(topics.scored), "topics"))


def _bar(
    positions: list[int],
    heights: list[float | None],
    rows: tuple[RunTopic, ...],
    name: str,
    role: str,
) -> go.Bar:
    return go.Bar(
        x=positions,
        y=heights,
        width=0.56,
        name=name,
        meta={"role": role},
        customdata=[_hover(row) for row in rows],
        hovertemplate="topic %{customdata[0]} %{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    )


def _marks(
    rows: tuple[RunTopic, ...],
    positions: list[int],
    name: str,
    symbol: str,
    values: list[float | None],
) -> go.Scatter:
    return go.Scatter(
        x=[position + OFFSET for position in positions],
        y=values,
        mode="markers",
        marker={"symbol": symbol, "size": 7, "line": {"width": 2 if symbol == "line-ew" else 0}},
        name=name,
        meta={"role": "ink"},
        customdata=[
            [*_hover(row), text] for row, text in zip(rows, as_text(values, 3), strict=True)
        ],
        hovertemplate=(
            "topic %{customdata[0]} %{customdata[1]}<br>"
            f"{name} %{{customdata[3]}}<br>this run %{{customdata[2]}}<extra></extra>"
        ),
    )


def _hover(row: RunTopic) -> list[str]:
    residual = "" if row.residual is None else f" {addition_text(row.residual, 3)} residual"
    return [label(row.code), label(row.title), f"{decimal_text(row.base, 3)}{residual}"]
