"""Curves of one run: Figs. 5 and 6 of the RBP paper, and precision against recall."""

from typing import Any

import plotly.graph_objects as go

from scoring.output.plotting import as_data, as_text, label
from scoring.runs.curves import RankPoint, RunCurves

GAP = 0.05  # between panels, as a share of the width
DEPTH = "evaluation depth, in documents"


def depth_figure(curves: RunCurves) -> dict[str, Any]:
    """A panel for each p: the bounds of RBP by evaluation depth."""
    traces: list[go.Scatter] = []
    count = len(curves.persistences)
    width = (1 - GAP * (count - 1)) / count
    layout: dict[str, Any] = {"annotations": []}
    for panel, p in enumerate(curves.persistences):
        rows = [row for row in curves.by_depth if row.persistence == p]
        # Plotly calls the first axis x and the second one x2.
        number = "" if panel == 0 else str(panel + 1)
        begins = panel * (width + GAP)
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        depths = [row.depth for row in rows]
        labels = [as_text((row.base, row.upper)) for row in rows]
        bounds = ([row.base for row in rows], [row.upper for row in rows])
        traces += _band(depths, *bounds, labels, axes)
        layout[f"xaxis{number}"] = {
            "domain": [begins, begins + width],
            "anchor": f"y{number}",
            "type": "log",
            "tickmode": "array",
            "tickvals": [10**power for power in range(7)],
            "ticktext": ["1", "10", "100", "1k", "10k", "100k", "1M"],
            # Of three panels or more, the one in the middle has the title for all.
            "title": {"text": DEPTH if count < 3 or panel == count // 2 else ""},
        }
        layout[f"yaxis{number}"] = {
            "anchor": f"x{number}",
            "range": [0, 1],
            "title": {"text": "mean RBP" if panel == 0 else ""},
            "showticklabels": panel == 0,
        }
        layout["annotations"].append(_heading(f"p = {p:g}", begins + width / 2))
    layout |= {"hovermode": "x", "showlegend": False, "margin": {"t": 28}}
    return as_data(go.Figure(traces, layout))


def persistence_figure(curves: RunCurves) -> dict[str, Any]:
    rows = curves.by_persistence
    labels = [as_text((row.base, row.upper)) for row in rows]
    bounds = ([row.base for row in rows], [row.upper for row in rows])
    layout = {
        "hovermode": "x",
        "showlegend": False,
        "xaxis": {
            "title": {"text": "p, the persistence of the user"},
            "range": [0, 1],
            "dtick": 0.1,
        },
        "yaxis": {"title": {"text": "mean RBP"}, "range": [0, 1]},
    }
    return as_data(go.Figure(_band([row.persistence for row in rows], *bounds, labels), layout))


def saw_tooth_figure(curves: RunCurves) -> dict[str, Any]:
    """Precision and interpolated precision against recall at every rank of one topic."""
    rows = _corners(curves.ranks)
    # At recall 0 it is the highest precision at any rank, as at the first point.
    first = rows[0].interpolated if rows else 0.0
    return _against_recall(
        [
            go.Scatter(
                x=[row.recall for row in rows],
                y=[row.precision for row in rows],
                mode="lines+markers",
                marker={"size": 3},
                line={"width": 1},
                name="precision",
                meta={"role": "soft"},
                customdata=[[row.rank, *as_text((row.recall, row.precision), 3)] for row in rows],
                hovertemplate=(
                    "rank %{customdata[0]}<br>recall %{customdata[1]}<br>"
                    "precision %{customdata[2]}<extra></extra>"
                ),
            ),
            go.Scatter(
                x=[0.0, *[row.recall for row in rows]],
                y=[first, *[row.interpolated for row in rows]],
                mode="lines",
                # Vertical, then horizontal: between two recalls the value of the higher one holds.
                line={"width": 2.5, "shape": "vh"},
                name="interpolated",
                meta={"role": "known"},
                hoverinfo="skip",
            ),
        ]
    )


def _corners(ranks: tuple[RankPoint, ...]) -> list[RankPoint]:
    """The points where the curve turns: at relevant documents and just above them. Between them it
    falls vertically, because recall is constant."""
    last = len(ranks) - 1
    return [
        point
        for at, point in enumerate(ranks)
        if point.is_relevant or at in (0, last) or ranks[at + 1].is_relevant
    ]


def eleven_points_figure(curves: RunCurves) -> dict[str, Any]:
    traces = []
    levels = [row.level for row in curves.levels]
    topic = curves.choice.topic
    lines = [("mean over topics", "known", "solid", [row.mean for row in curves.levels])]
    if topic is not None and any(row.topic is not None for row in curves.levels):
        own = [row.topic for row in curves.levels]
        lines.append((f"topic {label(topic.code)}", "soft", "dot", own))
    for name, role, dash, values in lines:
        traces.append(
            go.Scatter(
                x=levels,
                y=values,
                mode="lines+markers",
                marker={"size": 7},
                line={"width": 2, "dash": dash},
                name=name,
                meta={"role": role},
                customdata=as_text(values),
                hovertemplate=(
                    f"{name}<br>recall %{{x:.1f}}, precision %{{customdata}}<extra></extra>"
                ),
            )
        )
    return _against_recall(traces)


def _against_recall(traces: list[go.Scatter]) -> dict[str, Any]:
    layout = {
        "hovermode": "closest",
        "showlegend": True,
        "xaxis": {"title": {"text": "recall"}, "range": [-0.02, 1.02], "dtick": 0.1},
        "yaxis": {"title": {"text": "precision"}, "range": [0, 1.04], "dtick": 0.2},
    }
    return as_data(go.Figure(traces, layout))


def _band(
    x: list[Any],
    base: list[float],
    upper: list[float],
    labels: list[list[str]],
    axes: dict[str, str] | None = None,
) -> list[go.Scatter]:
    """The base as a line, with the residual as a band above it."""
    shared = {"x": x, "mode": "lines", "customdata": labels, **(axes or {})}
    return [
        go.Scatter(
            **shared,
            y=base,
            line={"width": 2.5},
            name="base",
            meta={"role": "known"},
            hovertemplate="base %{customdata[0]}<extra></extra>",
        ),
        go.Scatter(
            **shared,
            y=upper,
            line={"width": 1},
            fill="tonexty",
            name="base and residual",
            meta={"role": "could"},
            hovertemplate="upper bound %{customdata[1]}<extra></extra>",
        ),
    ]


def _heading(text: str, middle: float) -> dict[str, Any]:
    return {
        "text": text,
        "x": middle,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
    }
