"""Two orderings of the runs as points: Figs. 2 and 4 of the RBP paper, for any two."""

from collections.abc import Iterable
from typing import Any

import plotly.graph_objects as go

from scoring.agreement.orderings import OrderedRun, PairOfOrderings
from scoring.core.measures.catalogue import sign_of
from scoring.output.plotting import as_data, as_text, label


def orderings_chart(pair: PairOfOrderings, links: dict[str, str]) -> dict[str, Any]:
    """A point for each run, the line of equal ranks, and lines that join the swapped pairs nearest
    the top. `links` are URLs by the id of the run."""
    own = [row for row in pair.rows if row.run.is_own]
    others = [row for row in pair.rows if not row.run.is_own]
    # By scores, equal ranks are the k-th best of a against the k-th best of b, for every k.
    x = _best_first((row.score_a for row in pair.rows), sign_of(pair.choice.a.measure))
    y = _best_first((row.score_b for row in pair.rows), sign_of(pair.choice.b.measure))
    if pair.choice.axes == "ranks":
        x = y = [1.0, float(len(pair.rows))]
    same_rank = _line(x, y, "same rank", "edge", dash="solid")
    traces = [_swaps(pair), same_rank, _points(pair, others, links, "runs", "known")]
    # Scores of two measures have no common scale, and equal ranks are a line of their own.
    if pair.choice.is_one_measure and pair.choice.axes == "scores":
        scores = [score for row in pair.rows for score in (row.score_a, row.score_b)]
        ends = [min(scores), max(scores)]
        traces.insert(0, _line(ends, ends, "same score", "edge", dash="dot"))
    if own:
        traces.append(_points(pair, own, links, "own runs", "own"))
    figure = go.Figure(traces)
    a, b = map(label, pair.choice.labels)
    quantity = "rank by" if pair.choice.axes == "ranks" else "mean"
    axis: dict[str, Any] = {"zeroline": False}
    if pair.choice.axes == "ranks":
        axis["range"] = [len(pair.rows) + 0.9, 0.1]  # rank 1 at the top right
    figure.update_layout(
        hovermode="closest",
        xaxis=axis | {"title": {"text": f"{quantity} {a}"}},
        yaxis=axis | {"title": {"text": f"{quantity} {b}"}},
    )
    return as_data(figure)


def _points(
    pair: PairOfOrderings, rows: list[OrderedRun], links: dict[str, str], name: str, role: str
) -> go.Scatter:
    a, b = map(label, pair.choice.labels)
    return go.Scatter(
        x=[_at(pair, row)[0] for row in rows],
        y=[_at(pair, row)[1] for row in rows],
        customdata=[
            [label(row.run.name), label(row.run.team), row.rank_a, row.rank_b,
             *as_text((row.score_a, row.score_b))]
            for row in rows
        ],
        hovertemplate=(
            "%{customdata[0]} · %{customdata[1]}"
            f"<br>{a}: %{{customdata[4]}}, rank %{{customdata[2]}}"
            f"<br>{b}: %{{customdata[5]}}, rank %{{customdata[3]}}<extra></extra>"
        ),
        mode="markers",
        marker={"size": 7},
        name=name,
        meta={"role": role, "links": [links[row.run.run_id] for row in rows]},
    )  # fmt: skip


def _swaps(pair: PairOfOrderings) -> go.Scatter:
    x: list[float | None] = []
    y: list[float | None] = []
    for swap in pair.nearest:
        for row in (swap.first, swap.second):
            x.append(_at(pair, row)[0])
            y.append(_at(pair, row)[1])
        # A gap, so that the line does not go on from one pair to the next.
        x.append(None)
        y.append(None)
    return _line(x, y, "swapped, nearest the top", "could", dash="solid")


def _line(x: list[Any], y: list[Any], name: str, role: str, *, dash: str) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"width": 1.5, "dash": dash},
        hoverinfo="skip",
        name=name,
        meta={"role": role},
    )


def _at(pair: PairOfOrderings, row: OrderedRun) -> tuple[float, float]:
    if pair.choice.axes == "ranks":
        return row.rank_a, row.rank_b
    return row.score_a, row.score_b


def _best_first(scores: Iterable[float], sign: float) -> list[float]:
    return sorted(scores, key=lambda score: -sign * score)
