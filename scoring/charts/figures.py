"""What all figures share: labels that stay text, and JSON that the page draws.

Colours and fonts come from the page's stylesheet when it draws them (`static/figures.js`): a trace
says in `meta` what it means, as in `meta={"role": "known"}`; roles are tokens of the stylesheet. A
heat map says `meta={"scale": "one"}` (from paper to known) or `"two"` (from own over paper to
known). Labels travel as data and are stripped of what Plotly would read as markup.
"""

import json
from typing import Any

import plotly.graph_objects as go

MARKUP = str.maketrans("", "", "<>&$\\")


def label(text: str) -> str:
    """Text that Plotly shows as it is: without what it would take for a tag, entity or formula."""
    return text.translate(MARKUP)


def as_data(figure: go.Figure) -> dict[str, Any]:
    """The figure as JSON knows it, without the template that the page's own look replaces."""
    figure.update_layout(template="none")
    data: dict[str, Any] = json.loads(figure.to_json())
    return data
