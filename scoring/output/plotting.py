"""What all figures share: labels that stay text, and JSON that the page draws.

Colours and fonts come from the page's stylesheet when it draws them (`static/figures.js`): a trace
says in `meta` what it means, as in `meta={"role": "known"}`; roles are tokens of the stylesheet. A
heat map says `meta={"scale": "one"}` (from paper to known) or `"two"` (from own over paper to
known). Labels travel as data and are stripped of what Plotly would read as markup.

A figure is part of its page, and a page has a bound: of more than MOST_PLACES topics a figure shows
some, evenly spaced, and says so in `sample`, which `scoring/_figure.html` writes below it.
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
    """Text that Plotly shows as it is: without what it would take for a tag, entity or formula."""
    return text.translate(MARKUP)


def spelled(values: Iterable[float | None], places: int = 4) -> list[str]:
    """Of each value what a reader sees, for `customdata`: Plotly's own formats round otherwise."""
    return ["–" if value is None else decimal_text(value, places) for value in values]


def as_data(figure: go.Figure, sample: str = "") -> dict[str, Any]:
    """The figure as JSON knows it, without the template that the page's own look replaces; `sample`
    says what it leaves out."""
    figure.update_layout(template="none")
    data: dict[str, Any] = json.loads(figure.to_json())
    return data | {"sample": sample} if sample else data


def evenly(count: int, most: int = MOST_PLACES) -> list[int]:
    """Of so many places at most `most`, evenly spaced, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return np.linspace(0, count - 1, most).round().astype(int).tolist()


def chosen(rows: Sequence[Item], places: Sequence[int]) -> tuple[Item, ...]:
    return tuple(rows[place] for place in places)


def sample_said(shown: int, count: int, what: str) -> str:
    """Empty where a figure shows all."""
    if shown == count:
        return ""
    return f"The picture shows {shown:,} of {count:,} {what}, evenly spaced in this order."
