"""What judging would buy: ranges of the runs (Figs. 1 to 3 of Moffat, Webber and Zobel), residuals
against the budget, documents by topic, and what a replay finds."""

from typing import Any

import plotly.graph_objects as go

from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.judging.analysis import METHODS
from scoring.judging.plan_forecast import PlanForecast, SimulationTable
from scoring.output.plotting import as_data, chosen, evenly, label, sample_said, spelled

METHOD_ROLES = dict(zip(METHODS, ("edge", "own", "good", "known"), strict=True))


def ranges_figure(found: PlanForecast) -> dict[str, Any]:
    """A run's range once the budget is spent, its projection in it, and the top of today's."""
    places = [row.place for row in found.rows]
    thickness = 3 if len(places) <= 60 else 1.5
    ends = {"type": "data", "symmetric": False, "thickness": thickness, "width": 0}
    figure = go.Figure(
        go.Scatter(
            x=places,
            y=[row.before.upper for row in found.rows],
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 6},
            name="could be, now",
            hoverinfo="skip",
            meta={"role": "edge"},
        )
    )
    figure.add_trace(
        go.Scatter(
            x=places,
            y=[row.after.base for row in found.rows],
            error_y=ends
            | {
                "array": [row.after.residual for row in found.rows],
                "arrayminus": [0.0] * len(places),
            },
            customdata=[
                [label(row.tag), label(row.team), addition_text(row.before.residual, 4),
                 addition_text(row.after.residual, 4), decimal_text(row.after.projection, 4)]
                for row in found.rows
            ],
            hovertemplate=(
                "%{customdata[0]} · %{customdata[1]}<br>unknown now %{customdata[2]}"
                "<br>unknown then %{customdata[3]}<br>projected %{customdata[4]}<extra></extra>"
            ),
            mode="markers",
            marker={"size": 5},
            name="known then, and what could be added",
            meta={"role": "known"},
        )
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=places,
            y=[row.after.projection for row in found.rows],
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 6},
            name="projected then",
            hoverinfo="skip",
            meta={"role": "own"},
        )
    )
    figure.update_layout(
        hovermode="closest",
        showlegend=True,
        xaxis={
            "title": {"text": "place of the run in this order"},
            "range": [0, len(places) + 1],
            "zeroline": False,
        },
        yaxis={
            "title": {"text": f"mean RBP(p={found.persistence:g})"},
            "range": [0, 1],
            "zeroline": False,
        },
    )
    return as_data(figure)


def curve_figure(found: PlanForecast) -> dict[str, Any]:
    """What stays unknown on average, against the documents judged."""
    documents = [point.documents for point in found.curve]
    figure = go.Figure(
        _line(documents, [point.mean_residual for point in found.curve], "all runs", "known")
    )
    if found.has_order:
        top = [point.top_residual for point in found.curve]
        figure.add_trace(_line(documents, top, "best third", "own"))
    figure.update_layout(
        hovermode="x unified",
        showlegend=found.has_order,
        xaxis={"title": {"text": "documents judged from now on"}, "zeroline": False},
        yaxis={"title": {"text": "mean unknown"}, "range": [0, 1], "zeroline": False},
    )
    return as_data(figure)


def topics_figure(found: PlanForecast) -> dict[str, Any]:
    """How many documents of each topic would be judged, on top of those that are; of many topics
    some."""
    topics = chosen(found.topics, evenly(len(found.topics)))
    codes = [label(topic.code) for topic in topics]
    figure = go.Figure()
    if found.judged:
        judged = [topic.judged for topic in topics]
        figure.add_trace(go.Bar(x=codes, y=judged, name="judged", meta={"role": "edge"}))
    planned = [topic.planned for topic in topics]
    figure.add_trace(go.Bar(x=codes, y=planned, name="planned", meta={"role": "known"}))
    figure.update_layout(
        barmode="stack",
        hovermode="x unified",
        showlegend=bool(found.judged),
        xaxis={"title": {"text": "topic"}, "type": "category", "zeroline": False},
        yaxis={"title": {"text": "documents"}, "zeroline": False},
    )
    return as_data(figure, sample_said(len(topics), len(found.topics), "topics"))


def replay_figure(found: SimulationTable) -> dict[str, Any]:
    """Relevant documents found by each method, against judgments."""
    figure = go.Figure()
    for method in METHODS:
        rows = [row for row in found.rows if row.method == method]
        documents = [0, *(row.judged for row in rows)]
        figure.add_trace(
            _line(
                documents, [0, *(row.found for row in rows)], method, METHOD_ROLES[method]
            ).update(hovertemplate="%{y:,}")
        )
    figure.update_layout(
        hovermode="x unified",
        showlegend=True,
        xaxis={"title": {"text": "documents judged"}, "zeroline": False},
        yaxis={"title": {"text": "relevant found"}, "zeroline": False, "rangemode": "tozero"},
    )
    return as_data(figure)


def _line(x: list[int], y: list[Any], name: str, role: str) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        customdata=spelled(y),
        hovertemplate="%{customdata}",
        meta={"role": role},
    )
