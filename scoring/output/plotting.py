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
MARKUP = str.maketrans("", "", "<>&$\\")

Item = TypeVar("Item")


def label(text: str) -> str:
    """Text without the characters that Plotly would read as a tag, entity or formula."""
    return text.translate(MARKUP)


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
    """At most `most` of so many indices, evenly spaced, including the first and the last."""
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
