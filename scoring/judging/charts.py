"""Charts of a judging plan: ranges of the runs (Figs. 1 to 3 of Moffat, Webber and Zobel),
residuals by budget, documents by topic, and the judging simulation."""

from typing import Any, Final

import plotly.graph_objects as go

from scoring.core.judging.selection import METHODS
from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.judging.plan_forecast import PlanForecast, SimulationTable
from scoring.output.plotting import as_data, as_text, chosen, evenly, label, sample_note

# Colour and dash of each method. The orders of single topics are not solid: seven colours of lines
# that everybody can tell apart are more than the page has, seven pairs are not.
METHOD_LOOKS: Final = dict(
    zip(
        METHODS,
        (
            *(("edge", "solid"), ("own", "solid"), ("good", "solid"), ("known", "solid")),
            *(("ink", "dash"), ("own", "dot"), ("known", "dashdot")),
        ),
        strict=True,
    )
)


def ranges_figure(forecast: PlanForecast) -> dict[str, Any]:
    """Each run's range after the budget is spent, its projection, and its current upper bound."""
    ranks = [row.rank for row in forecast.rows]
    thickness = 3 if len(ranks) <= 60 else 1.5
    ends = {"type": "data", "symmetric": False, "thickness": thickness, "width": 0}
    figure = go.Figure(
        go.Scatter(
            x=ranks,
            y=[row.before.upper for row in forecast.rows],
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 6},
            name="upper bound now",
            hoverinfo="skip",
            meta={"role": "edge"},
        )
    )
    figure.add_trace(
        go.Scatter(
            x=ranks,
            y=[row.after.base for row in forecast.rows],
            error_y=ends
            | {
                "array": [row.after.residual for row in forecast.rows],
                "arrayminus": [0.0] * len(ranks),
            },
            customdata=[
                [label(row.name), label(row.team), addition_text(row.before.residual, 4),
                 addition_text(row.after.residual, 4), decimal_text(row.after.projection, 4)]
                for row in forecast.rows
            ],
            hovertemplate=(
                "%{customdata[0]} · %{customdata[1]}<br>residual now %{customdata[2]}"
                "<br>residual after judging %{customdata[3]}"
                "<br>projected %{customdata[4]}<extra></extra>"
            ),
            mode="markers",
            marker={"size": 5},
            name="base and residual after judging",
            meta={"role": "known"},
        )
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=ranks,
            y=[row.after.projection for row in forecast.rows],
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 6},
            name="projected after judging",
            hoverinfo="skip",
            meta={"role": "own"},
        )
    )
    figure.update_layout(
        hovermode="closest",
        showlegend=True,
        xaxis={
            "title": {"text": "rank of the run in this order"},
            "range": [0, len(ranks) + 1],
            "zeroline": False,
        },
        yaxis={
            "title": {"text": f"mean RBP(p={forecast.persistence:g})"},
            "range": [0, 1],
            "zeroline": False,
        },
    )
    return as_data(figure)


def curve_figure(forecast: PlanForecast) -> dict[str, Any]:
    """The mean residual by the number of documents judged."""
    documents = [point.documents for point in forecast.curve]
    figure = go.Figure(
        _line(documents, [point.mean_residual for point in forecast.curve], "all runs", "known")
    )
    if forecast.has_order:
        top = [point.top_residual for point in forecast.curve]
        figure.add_trace(_line(documents, top, "best third", "own"))
    figure.update_layout(
        hovermode="x unified",
        showlegend=forecast.has_order,
        xaxis={"title": {"text": "further documents judged"}, "zeroline": False},
        yaxis={"title": {"text": "mean residual"}, "range": [0, 1], "zeroline": False},
    )
    return as_data(figure)


def topics_figure(forecast: PlanForecast) -> dict[str, Any]:
    """How many documents of each topic would be judged, stacked on those judged already; a sample
    if there are many topics."""
    topics = chosen(forecast.topics, evenly(len(forecast.topics)))
    codes = [label(topic.code) for topic in topics]
    figure = go.Figure()
    if forecast.judged:
        judged = [topic.judged for topic in topics]
        figure.add_trace(go.Bar(x=codes, y=judged, name="judged", meta={"role": "edge"}))
    planned = [topic.planned for topic in topics]
    figure.add_trace(go.Bar(x=codes, y=planned, name="planned", meta={"role": "known"}))
    figure.update_layout(
        barmode="stack",
        hovermode="x unified",
        showlegend=bool(forecast.judged),
        # Plotly would take codes such as 308 for numbers.
        xaxis={"title": {"text": "topic"}, "type": "category", "zeroline": False},
        yaxis={"title": {"text": "documents"}, "zeroline": False},
    )
    return as_data(figure, sample_note(len(topics), len(forecast.topics), "topics"))


def simulation_figure(table: SimulationTable) -> dict[str, Any]:
    """Relevant documents found by each method, by the number of judgments."""
    figure = go.Figure()
    for method in METHODS:
        rows = [row for row in table.rows if row.method == method]
        # Every method begins without a judgment.
        documents = [0, *(row.judged for row in rows)]
        role, dash = METHOD_LOOKS[method]
        line = _line(documents, [0, *(row.found for row in rows)], method, role, dash=dash)
        figure.add_trace(line.update(hovertemplate="%{y:,}"))
    figure.update_layout(
        hovermode="x unified",
        showlegend=True,
        xaxis={"title": {"text": "documents judged"}, "zeroline": False},
        yaxis={"title": {"text": "relevant found"}, "zeroline": False, "rangemode": "tozero"},
    )
    return as_data(figure)


def _line(x: list[int], y: list[Any], name: str, role: str, *, dash: str = "solid") -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"dash": dash},
        name=name,
        customdata=as_text(y),
        hovertemplate="%{customdata}",
        meta={"role": role},
    )
