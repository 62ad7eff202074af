"""Bounds on the RBP of a run: Figs. 5 and 6 of the RBP paper."""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from scoring.core.measures.measure import format_value
from scoring.output.plotting import as_data, as_text, label
from scoring.report.analysis import PERSISTENCES, RANKS
from scoring.report.rows import RunBounds

ROLES = ("known", "own", "good", "warn", "soft")


def bounds_by_rank(bounds: RunBounds, pool: int, persistences: Sequence[float]) -> dict[str, Any]:
    """Lower and upper bound for each p; `pool` 0 is the shallow one, 1 all judgments."""
    ranks = list(range(1, RANKS + 1))
    traces = []
    for at, p in enumerate(persistences):
        base, residual = bounds.by_rank[:, pool, at]
        role, name = ROLES[at % len(ROLES)], f"p = {format_value(p)}"
        traces.append(_line(ranks, base, name, role))
        # The legend has one entry for both bounds.
        traces.append(_line(ranks, base + residual, name, role, shown=False))
    return _figure(traces, "evaluation depth", "mean RBP, lower and upper bound")


def bounds_by_p(runs: Sequence[RunBounds], pool_words: str) -> dict[str, Any]:
    """The bounds of each run with the shallow pool (dotted), and its score with all judgments."""
    traces = []
    for at, each in enumerate(runs):
        name, role = label(each.run.name), ROLES[at % len(ROLES)]
        base, residual = each.by_p[:, 0]
        pool = f"{name}, pool {pool_words}"
        traces.append(_line(PERSISTENCES, base, pool, role, dash="dot"))
        traces.append(_line(PERSISTENCES, base + residual, pool, role, dash="dot", shown=False))
        traces.append(_line(PERSISTENCES, each.by_p[0, 1], f"{name}, all judgments", role))
    return _figure(traces, "p, the persistence of the user", "mean RBP")


def _line(
    x: Iterable[float], y: Any, name: str, role: str, *, dash: str = "solid", shown: bool = True
) -> go.Scatter:
    # Only NaN differs from itself.
    values = [None if value != value else value for value in y.tolist()]
    return go.Scatter(
        x=list(x),
        y=values,
        mode="lines",
        line={"width": 1.8, "dash": dash},
        name=name,
        # A click in the legend hides both bounds.
        legendgroup=name,
        showlegend=shown,
        customdata=as_text(values),
        hovertemplate="%{customdata}",
        meta={"role": role},
    )


def _figure(traces: list[go.Scatter], across: str, up: str) -> dict[str, Any]:
    layout = {
        "hovermode": "x unified",
        "xaxis": {"title": {"text": across}, "zeroline": False},
        "yaxis": {"title": {"text": up}, "range": [0, 1], "zeroline": False},
    }
    return as_data(go.Figure(traces, layout))
