"""The chart of estimated scores beside their bounds."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from scoring.core.measures.measure import Measure
from scoring.estimates.rows import EstimatedRun
from scoring.estimates.tables import interval
from scoring.output import numbers
from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, label, row_axis, row_lines


def estimates_chart(rows: Sequence[EstimatedRun], measure: Measure) -> dict[str, Any]:
    """A row for each run, the best at the top: a point at its estimate, a line over its interval,
    and a thick pale one over its bounds."""
    places = list(range(1, len(rows) + 1))
    # Only scores have ranks.
    are_differences = rows[0].rank is None
    bounds = [
        (row.base, None if row.base is None or row.residual is None else row.base + row.residual)
        for row in rows
    ]
    traces = [
        # Later traces are drawn above earlier ones, so the widest comes first.
        row_lines(bounds, "bounds", role="could", width=7),
        row_lines([(row.low, row.high) for row in rows], "95 % interval", role="known", width=2),
        go.Scatter(
            x=[row.estimate for row in rows],
            y=places,
            mode="markers",
            marker={"size": 5},
            name="estimate",
            meta={"role": "known"},
            customdata=[
                [label(row.run.name), numbers.score(row.estimate, row.digits), interval(row)]
                for row in rows
            ],
            hovertemplate=(
                "%{customdata[0]}: %{customdata[1]}<br>95 %: %{customdata[2]}<extra></extra>"
            ),
        ),
    ]
    name = label(measure_label(measure))
    # Differences have no bounds.
    figure = go.Figure([trace for trace in traces if trace.x])
    figure.update_layout(
        showlegend=True,
        hovermode="closest",
        xaxis={
            "title": {"text": f"difference of {name}" if are_differences else name},
            "zeroline": are_differences,
        },
        yaxis=row_axis([row.run.name for row in rows], title="position"),
    )
    return as_data(figure)
