"""Helpers for all charts: labels without markup, and the JSON that the page draws.

Colours and fonts come from the page's stylesheet (`static/figures.js`). A trace names its role in
`meta`, as in `meta={"role": "known"}`; roles are tokens of the stylesheet. A heat map has
`meta={"scale": "one"}` (from paper to known) or `"two"` (from own over paper to known). Labels are
passed as data, without characters that Plotly would read as markup.

The size of a page is limited: of more than MOST_PLACES topics a chart shows a sample, evenly
spaced, and `scoring/_figure.html` prints the note in `sample` below it.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import plotly.graph_objects as go

from scoring.core.statistics.rounding import decimal_text

MOST_PLACES: Final = 250  # on an axis; more than most tracks have topics
NAME_CHARACTERS: Final = 20  # of a run at an axis
MOST_ROWS: Final = 145  # of a chart with a row for each run
FEW_ROWS: Final = 8  # with more, the chart is taller
TALL_ROWS: Final = 25  # with more, names need a chart that is taller still
NAMED_ROWS: Final = 50  # with more, there is no room for the names
MARKUP = str.maketrans("", "", "<>&$\\")

Item = TypeVar("Item")


def label(text: str) -> str:
    """Text without the characters that Plotly would read as a tag, entity or formula."""
    return text.translate(MARKUP)


def short_label(name: str) -> str:
    """A name that fits beside an axis."""
    return label(name if len(name) <= NAME_CHARACTERS else f"{name[: NAME_CHARACTERS - 1]}…")


def row_lines(
    ends: Iterable[tuple[float | None, float | None]], name: str, *, role: str, width: int
) -> go.Scatter:
    """A line from end to end in each row of a chart, row 1 first; none where an end is None. All
    are one trace, with gaps between them."""
    x: list[float | None] = []
    y: list[int | None] = []
    for row, (low, high) in enumerate(ends, start=1):
        if low is not None and high is not None:
            x += [low, high, None]
            y += [row, row, None]
    line, meta = {"width": width}, {"role": role}
    return go.Scatter(x=x, y=y, mode="lines", line=line, name=name, meta=meta, hoverinfo="skip")


def row_axis(names: Sequence[str], *, title: str) -> dict[str, Any]:
    """The axis of a chart with a row for each name, row 1 at the top. Many rows have no names but
    the title."""
    axis = {"range": [len(names) + 0.5, 0.5], "zeroline": False, "showgrid": False}
    if len(names) > NAMED_ROWS:
        return axis | {"title": {"text": title}}
    places = list(range(1, len(names) + 1))
    ticks = [short_label(name) for name in names]
    return axis | {"tickmode": "array", "tickvals": places, "ticktext": ticks}


def row_chart_size(rows: int) -> str:
    """The `figure_size` of a chart with this many rows."""
    if TALL_ROWS < rows <= NAMED_ROWS:
        return "long"
    return "tall" if rows > FEW_ROWS else ""


def as_text(values: Iterable[float | None], places: int = 4) -> list[str]:
    """Each value as text, for `customdata`: Plotly's own formats round differently."""
    return ["–" if value is None else decimal_text(value, places) for value in values]


def as_data(figure: go.Figure, sample: str = "") -> dict[str, Any]:
    """The figure as JSON, without Plotly's template, because the page has its own style; `sample`
    is a note on what the figure leaves out."""
    figure.update_layout(template="none")
    data: dict[str, Any] = json.loads(figure.to_json())
    return data | {"sample": sample} if sample else data


def evenly(count: int, most: int = MOST_PLACES) -> list[int]:
    """At most `most` of this many indices, evenly spaced, including the first and the last."""
    if count <= most:
        return list(range(count))
    return np.linspace(0, count - 1, most).round().astype(int).tolist()


def chosen(rows: Sequence[Item], places: Sequence[int]) -> tuple[Item, ...]:
    return tuple(rows[place] for place in places)


def sample_note(shown: int, count: int, what: str) -> str:
    """Empty if the figure shows all."""
    if shown == count:
        return ""
    return f"The chart shows {shown:,} of {count:,} {what}, evenly spaced in this order."
