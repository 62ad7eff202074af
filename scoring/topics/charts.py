"""Heat map of topics by runs: the stronger the colour, the higher the score."""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from scoring.core.statistics.rounding import rounded_array
from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, chosen, evenly, label, sample_note
from scoring.topics.matrix import TopicMatrix

NAMED: Final = 20  # maximum number of runs with their names at the axis
CELLS: Final = 40_000  # some 250 kB of the page
TITLED: Final = 4_000  # maximum number of cells with the titles of topics


def topics_figure(matrix: TopicMatrix) -> dict[str, Any]:
    """Runs in the order of the board, topics in the chosen order; a sample if there are many."""
    rows = evenly(len(matrix.topics))
    # As many runs as there is room for beside this many topics.
    columns = evenly(len(matrix.runs), CELLS // len(rows))
    scores = matrix.scores[np.ix_(rows, columns)]
    names = [f"{place} {label(run.name)}" for place, run in enumerate(matrix.runs, start=1)]
    runs = list(chosen(names, columns))
    shown = chosen(matrix.topics, rows)
    topics = [label(topic.code) for topic in shown]
    ticks = topics[:: -(-len(topics) // 50)]  # at most 50
    figure = go.Figure(
        go.Heatmap(
            z=_cells(
                rounded_array(scores, 3 if scores.size > TITLED else 4).tolist(), scores.shape
            ),
            zmin=float(min(np.nanmin(matrix.scores), 0.0)),
            text=_cells([[label(topic.title)] for topic in shown], scores.shape)
            if scores.size <= TITLED
            else None,
            x=runs,
            y=topics,
            hovertemplate=(
                f"topic %{{y}}{': %{text}' if scores.size <= TITLED else ''}<br>%{{x}}"
                f"<br>{label(measure_label(matrix.measure))} %{{z}}<extra></extra>"
            ),
            hoverongaps=False,
            xgap=0 if len(runs) > 60 else 1,
            ygap=0 if len(topics) > 60 else 1,
            colorbar={"title": {"text": label(measure_label(matrix.measure)), "side": "right"}},
            meta={"scale": "one"},
        )
    )
    figure.update_layout(
        xaxis=_run_axis(runs),
        yaxis={
            "title": {"text": "topic"},
            "type": "category",
            "autorange": "reversed",
            "showgrid": False,
            "zeroline": False,
            "tickmode": "array",
            "tickvals": ticks,
            "ticktext": ticks,
        },
        margin={"t": 12},
    )
    return as_data(figure, _sample(matrix, len(rows), len(columns)))


def _sample(matrix: TopicMatrix, topics: int, runs: int) -> str:
    sentences = (
        sample_note(topics, len(matrix.topics), "topics"),
        sample_note(runs, len(matrix.runs), "runs"),
    )
    return " ".join(filter(None, sentences))


def _cells(values: list[list[Any]], shape: tuple[int, ...]) -> NDArray[np.object_]:
    """Rows or columns repeated, as an array, because Plotly validates every item of a list."""
    return np.broadcast_to(np.array(values, dtype=object), shape)


def _run_axis(runs: list[str]) -> dict[str, Any]:
    axis: dict[str, Any] = {"type": "category", "showgrid": False, "zeroline": False}
    if len(runs) <= NAMED:
        names = [name if len(name) <= 20 else f"{name[:19]}…" for name in runs]
        ticks = {"tickmode": "array", "tickvals": list(range(len(runs))), "ticktext": names}
        return axis | ticks | {"tickangle": -90, "title": {"text": "run, with its rank"}}
    step = 10 if len(runs) <= 150 else 50
    positions = [0, *range(step - 1, len(runs), step)]
    ticks = {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [str(at + 1) for at in positions],
    }
    return axis | ticks | {"title": {"text": "rank"}}
