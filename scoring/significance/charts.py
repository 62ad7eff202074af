"""Which runs can be told apart, as a heat map in the order of the board."""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from scoring.core.statistics.pairs import EXACT, METHODS, NORMAL
from scoring.core.statistics.rounding import rounded_array
from scoring.output.plotting import as_data, label
from scoring.significance.rows import Significance

NAMED: Final = 20  # so many runs have room for their names at the axis, also on a narrow screen
FULL: Final = 100  # so many have room on a page for all that the CSV says of a pair
GAPS: Final = 40  # so many have room for gaps between their cells
FAINTEST: Final = 0.3  # at the level itself
DECADES: Final = 3  # below the level, where the colour is full


def matrix_figure(found: Significance) -> dict[str, Any]:
    """One hue where the row's run is better, another where it is worse, the stronger the smaller p;
    paper where the two cannot be told apart."""
    tags = [label(run.tag) for run in found.ranked.runs]
    names = [f"{place} {tag}" for place, tag in enumerate(tags, start=1)]
    count = len(names)
    shown = rounded_array(found.differences, 4)
    numbers = [found.matrix(found.corrected), found.antisymmetric(shown)]
    if count <= FULL:
        numbers.append(found.antisymmetric(found.effects))
    figure = go.Figure(
        go.Heatmap(
            x=names,
            y=names,
            z=_strength(found).astype(np.float32),
            zmin=-1,
            zmax=1,
            customdata=np.dstack(numbers).astype(np.float32),
            hovertemplate=_hover(found, is_full=count <= FULL),
            **(_methods(found) if count <= FULL else {}),
            hoverongaps=False,
            showscale=False,
            xgap=0 if count > GAPS else 1,
            ygap=0 if count > GAPS else 1,
            meta={"scale": "two"},
        )
    )
    axis = {"type": "category", "showgrid": False, "zeroline": False, "constrain": "domain"}
    ticks = _ticks(count)
    numbered = {"tickmode": "array", "tickvals": ticks, "ticktext": [str(at + 1) for at in ticks]}
    named = {"tickmode": "array", "tickvals": ticks, "ticktext": [_short(n) for n in names]}
    title = "place on the board"
    figure.update_layout(
        xaxis=axis | numbered | {"side": "top", "title": {"text": title}},
        yaxis=axis
        | (
            numbered | {"title": {"text": title}}
            if count > NAMED
            else named | {"title": {"text": f"run, with its {title}"}}
        )
        | {"autorange": "reversed"},
        margin={"t": 40, "b": 8},
    )
    return as_data(figure)


def _strength(found: Significance) -> NDArray[np.float64]:
    """float64[runs, runs] in -1..1: the sign says who is better, 0 that nobody is; NaN where
    nothing was asked."""
    level = found.choices.alpha
    with np.errstate(divide="ignore"):
        decades = np.log10(level / np.maximum(found.corrected, level * 10.0**-DECADES))
    strength = FAINTEST + (1 - FAINTEST) * decades / DECADES
    speaks = np.sign(found.differences) * (-1.0 if found.ranked.is_lower_better else 1.0)
    return found.antisymmetric(np.round(np.where(found.is_significant, speaks * strength, 0.0), 3))


def _hover(found: Significance, *, is_full: bool) -> str:
    """The row's run against the column's, with all that the CSV says of the two; of many runs the
    difference and its p."""
    corrected = found.choices.correction != "none"
    said = f"p %{{customdata[0]:.2g}}{' corrected' if corrected else ''}"
    pair = "%{y}<br>against %{x}<br>difference %{customdata[1]:+.4f}<br>"
    if not is_full:
        return f"{pair}{said}<extra></extra>"
    methods = found.method_counts
    how = "%{text}" if len(methods) > 1 else methods[0][0] if methods else ""
    return f"{pair}effect %{{customdata[2]:+.2f}}<br>{said}<br>{how}<extra></extra>"


def _methods(found: Significance) -> dict[str, Any]:
    """Where the p-value of each cell comes from, if that is not the same for all."""
    if len(found.method_counts) < 2:
        return {}
    named = np.array([*METHODS, ""], dtype=object)
    named[[EXACT, NORMAL]] = "exact", "approximate"  # said 20,000 times, so said in short
    at = found.matrix(found.methods.astype(np.float64))
    return {"text": named[np.where(np.isnan(at), len(METHODS), at).astype(np.intp)].tolist()}


def _ticks(count: int) -> list[int]:
    if count <= NAMED:
        return list(range(count))
    step = next(each for each in (5, 10, 20, 50, 100, 200, 500) if count / each <= 15)
    return [0, *range(step - 1, count, step)]


def _short(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:19]}…"
