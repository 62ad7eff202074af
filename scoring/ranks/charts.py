"""Charts of how certain ranks are, of split halves and of needed topics."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, as_text, label, row_axis, row_lines
from scoring.ranks.halves import Halves, SwapRow
from scoring.ranks.rows import RankRow
from scoring.ranks.tables import count, difference_of, share
from scoring.ranks.topics import NeededRow

FEW_RANKS: Final = 12  # each with its tick
SWAP_LINES: Final = 3  # numbers of topics in the chart of swaps


def ranks_chart(rows: Sequence[RankRow]) -> dict[str, Any]:
    """A row for each run, the best at the top: a point at its rank, a line over its range in 95 %
    of resampled topic sets, a thin one over its rank set, and a band over its possible ranks. These
    may end at ranks of runs that are not among the rows."""
    places = list(range(1, len(rows) + 1))
    intervals = [row.interval for row in rows]
    ends = [(each.rank_worst, each.rank_set_worst, each.possible_worst) for each in intervals]
    last = max(len(rows), *(end or 0 for each in ends for end in each))
    traces = [
        # Later traces are drawn above earlier ones, so the widest comes first.
        row_lines(
            [(each.possible_best, each.possible_worst) for each in intervals],
            "possible ranks", role="could", width=7,
        ),
        row_lines(
            [(each.rank_set_best, each.rank_set_worst) for each in intervals],
            "rank set", role="edge", width=1,
        ),
        row_lines(
            [(each.rank_best, each.rank_worst) for each in intervals],
            "ranks in 95 % of resampled topic sets", role="known", width=2,
        ),
        go.Scatter(
            x=[row.rank for row in rows],
            y=places,
            mode="markers",
            marker={"size": 5},
            name="rank",
            meta={"role": "known"},
            customdata=[
                [label(row.run.name),
                 row.interval.ranks or "unknown", share(row.interval.first_share),
                 row.interval.rank_set or "unknown", row.interval.possible_ranks or "unknown"]
                for row in rows
            ],
            hovertemplate=(
                "%{customdata[0]}, rank %{x}<br>95 %: ranks %{customdata[1]}"
                "<br>first: %{customdata[2]}<br>rank set: %{customdata[3]}"
                "<br>possible: ranks %{customdata[4]}<extra></extra>"
            ),
        ),
    ]  # fmt: skip
    # A trace without a line would still have an entry in the legend.
    figure = go.Figure([trace for trace in traces if trace.x])
    figure.update_layout(
        showlegend=True,
        hovermode="closest",
        xaxis={"title": {"text": "rank"}, "zeroline": False, "range": [0.5, last + 0.5]}
        | ({"dtick": 1} if last <= FEW_RANKS else {}),
        yaxis=row_axis([row.run.name for row in rows], title="position on the leaderboard"),
    )
    return as_data(figure)


def stability_chart(halves: Halves) -> dict[str, Any]:
    """The mean τ by the number of topics, with the range of the splits as a band."""
    topics = [row.topics for row in halves.rows]
    lowest = [row.tau_lowest for row in halves.rows]
    highest = [row.tau_highest for row in halves.rows]
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    traces = [
        go.Scatter(x=topics, y=lowest, meta={"role": "could"}, **edge),
        go.Scatter(
            x=topics,
            y=highest,
            # Down to the trace before, the lowest.
            **edge | {"fill": "tonexty", "name": "all splits", "showlegend": True},
            meta={"role": "could"},
        ),
        go.Scatter(
            x=topics,
            y=[row.tau for row in halves.rows],
            mode="lines+markers",
            name="mean",
            meta={"role": "known"},
            customdata=[
                as_text((row.tau, row.tau_lowest, row.tau_highest), 3) for row in halves.rows
            ],
            hovertemplate=(
                "%{x} in each half: τ %{customdata[0]}, from %{customdata[1]} to %{customdata[2]}"
                "<extra></extra>"
            ),
        ),
    ]
    figure = go.Figure(traces)
    figure.update_layout(
        hovermode="closest",
        xaxis={"title": {"text": "topics in each half"}, "zeroline": False, "rangemode": "tozero"},
        yaxis={"title": {"text": "Kendall’s τ"}, "zeroline": False},
    )
    return as_data(figure)


def swaps_chart(halves: Halves) -> dict[str, Any]:
    """The swap rate by the difference, for a few numbers of topics."""
    sizes = [row.topics for row in halves.rows]
    if len(sizes) > SWAP_LINES:
        sizes = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    roles = ("known", "own", "good")
    # The last point is lower than the line leads to if it is one of all larger differences.
    ticks: dict[str, Any] = {}
    steps = (row.difference_from for row in halves.swaps if row.difference_to is None)
    if (larger := next(steps, None)) is not None:
        others = [step * larger / 4 for step in range(4)]
        labels = [*(f"{at:g}" for at in others), f"≥ {larger:g}"]
        ticks = {"tickvals": [*others, larger], "ticktext": labels}
    figure = go.Figure(
        [
            _swap_line([row for row in halves.swaps if row.topics == size], size, role)
            # The largest number of topics comes first in the legend.
            for size, role in zip(reversed(sizes), roles, strict=False)
        ]
    )
    figure.update_layout(
        hovermode="closest",
        showlegend=True,
        xaxis={"title": {"text": "difference on the first half"}, "zeroline": False} | ticks,
        yaxis={
            "title": {"text": "swap rate"},
            "zeroline": False,
            "rangemode": "tozero",
            "tickformat": ".0%",
        },
    )
    return as_data(figure)


def _swap_line(rows: Sequence[SwapRow], size: int, role: str) -> go.Scatter:
    return go.Scatter(
        x=[row.difference_from for row in rows],
        y=[row.swap_rate for row in rows],
        mode="lines+markers",
        marker={"size": 4},
        name=f"{size} topic{'' if size == 1 else 's'}",
        meta={"role": role},
        customdata=[[difference_of(row), share(row.swap_rate), f"{row.pairs:,}"] for row in rows],
        hovertemplate=(
            f"{size} in each half, difference %{{customdata[0]}}: %{{customdata[1]}} of"
            " %{customdata[2]} pairs<extra></extra>"
        ),
    )


def needed_chart(rows: Sequence[NeededRow]) -> dict[str, Any]:
    """A row for each measure, the one with the fewest topics at the top."""
    figure = go.Figure(
        [
            go.Scatter(
                x=[getattr(row.needed, name) for row in rows],
                y=[label(measure_label(row.measure)) for row in rows],
                mode="markers",
                marker={"size": 8},
                name=words,
                meta={"role": role},
                customdata=[count(getattr(row.needed, name)) for row in rows],
                hovertemplate=f"%{{y}}, {words}: %{{customdata}} topics<extra></extra>",
            )
            for name, words, role in (("t_test", "t test", "known"), ("anova", "ANOVA", "own"))
        ]
    )
    figure.update_layout(
        hovermode="closest",
        showlegend=True,
        xaxis={
            "title": {"text": "needed topics"},
            "type": "log",
            "tickmode": "array",
            "tickvals": [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
            "ticktext": ["1", "10", "100", "1k", "10k", "100k", "1M"],
            "zeroline": False,
        },
        yaxis={"type": "category", "autorange": "reversed", "zeroline": False},
    )
    return as_data(figure)
