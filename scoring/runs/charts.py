"""A run topic by topic as bars, and where the other runs stand."""

from typing import Any

import plotly.graph_objects as go

from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.output.plotting import as_data, as_text, chosen, evenly, label, sample_note
from scoring.runs.topics import RunTopic, RunTopics

BESIDE = 0.36  # of a place, to the right of the bar: so that no mark lies on it


def run_topics_figure(topics: RunTopics) -> dict[str, Any]:
    """Of each topic the known score as a bar, what unjudged documents could add on top of it, and
    beside it the median and the best of all ranked runs. Of many topics some."""
    rows = chosen(topics.scored, evenly(len(topics.scored)))
    places = list(range(1, len(rows) + 1))
    bars = [
        _bar(places, [row.base for row in rows], rows, "base", "known"),
    ]
    if any(row.residual for row in rows):
        bars.append(_bar(places, [row.residual for row in rows], rows, "unknown", "could"))
    marks = [
        _marks(rows, places, "median run", "line-ew", [row.median for row in rows]),
        _marks(rows, places, "best run", "diamond", [row.best for row in rows]),
    ]
    figure = go.Figure([*bars, *(marks if topics.compared else ())])
    figure.update_layout(
        barmode="stack",
        hovermode="closest",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis={
            "title": {"text": "topic"},
            **_ticks(rows),
            "range": [0.4, len(rows) + 0.7],
            "zeroline": False,
            "showgrid": False,
        },
        yaxis={"title": {"text": label(str(topics.measure))}, "rangemode": "tozero"},
    )
    return as_data(figure, sample_note(len(rows), len(topics.scored), "topics"))


def _bar(
    places: list[int],
    heights: list[float | None],
    rows: tuple[RunTopic, ...],
    name: str,
    role: str,
) -> go.Bar:
    return go.Bar(
        x=places,
        y=heights,
        width=0.56,
        name=name,
        meta={"role": role},
        customdata=[_told(row) for row in rows],
        hovertemplate="topic %{customdata[0]} %{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    )


def _marks(
    rows: tuple[RunTopic, ...],
    places: list[int],
    name: str,
    symbol: str,
    values: list[float | None],
) -> go.Scatter:
    return go.Scatter(
        x=[place + BESIDE for place in places],
        y=values,
        mode="markers",
        marker={"symbol": symbol, "size": 7, "line": {"width": 2 if symbol == "line-ew" else 0}},
        name=name,
        meta={"role": "ink"},
        customdata=[
            [*_told(row), text] for row, text in zip(rows, as_text(values, 3), strict=True)
        ],
        hovertemplate=(
            "topic %{customdata[0]} %{customdata[1]}<br>"
            f"{name} %{{customdata[3]}}<br>this run %{{customdata[2]}}<extra></extra>"
        ),
    )


def _told(row: RunTopic) -> list[str]:
    unknown = "" if row.residual is None else f" {addition_text(row.residual, 3)} unknown"
    return [label(row.code), label(row.title), f"{decimal_text(row.base, 3)}{unknown}"]


def _ticks(rows: tuple[RunTopic, ...]) -> dict[str, Any]:
    """Each topic's code where there is room for it, else some of them."""
    step = -(-len(rows) // 50)
    places = list(range(1, len(rows) + 1))[::step]
    codes = [label(row.code) for row in rows][::step]
    return {"tickmode": "array", "tickvals": places, "ticktext": codes}
