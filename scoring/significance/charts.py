"""Heat map of the significance of all pairs of runs, in the order of the board."""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from scoring.core.statistics.pairs import EXACT, METHODS, NORMAL
from scoring.core.statistics.rounding import rounded_array
from scoring.output.plotting import as_data, label, short_label
from scoring.significance.rows import Significance

# Maximum numbers of runs:
NAMED: Final = 20  # with their names at the axis, also on a narrow screen
FULL: Final = 100  # with all numbers of the CSV in the labels
GAPS: Final = 40  # with gaps between the cells
FAINTEST: Final = 0.3  # colour at the level itself
DECADES: Final = 3  # below the level, where the colour is full


def matrix_figure(result: Significance) -> dict[str, Any]:
    """One hue where the row's run is significantly better, another where it is worse, stronger for
    a smaller p; blank where the difference is not significant."""
    tags = [label(run.name) for run in result.ranked.runs]
    names = [f"{place} {tag}" for place, tag in enumerate(tags, start=1)]
    count = len(names)
    # JavaScript would round the binary value, and could write another number than the table.
    shown = rounded_array(result.differences, 4)
    numbers = [result.matrix(result.corrected), result.antisymmetric(shown)]
    if count <= FULL:
        numbers.append(result.antisymmetric(result.effects))
    figure = go.Figure(
        go.Heatmap(
            x=names,
            y=names,
            z=_strength(result).astype(np.float32),
            zmin=-1,
            zmax=1,
            customdata=np.dstack(numbers).astype(np.float32),
            hovertemplate=_hover(result, is_full=count <= FULL),
            **(_methods(result) if count <= FULL else {}),
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
    named = {
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [short_label(name) for name in names],
    }
    title = "rank"
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


def _strength(result: Significance) -> NDArray[np.float64]:
    """float64[runs, runs] in -1..1: the sign says which run is better, 0 means no significant
    difference; NaN where there is no test."""
    level = result.choices.alpha
    with np.errstate(divide="ignore"):
        decades = np.log10(level / np.maximum(result.corrected, level * 10.0**-DECADES))
    strength = FAINTEST + (1 - FAINTEST) * decades / DECADES
    signs = np.sign(result.differences) * (-1.0 if result.ranked.is_lower_better else 1.0)
    return result.antisymmetric(np.round(np.where(result.is_significant, signs * strength, 0.0), 3))


def _hover(result: Significance, *, is_full: bool) -> str:
    """Label of a cell: all numbers of the CSV, or of many runs only the difference and its p."""
    corrected = result.choices.correction != "none"
    p_text = f"p %{{customdata[0]:.2g}}{' corrected' if corrected else ''}"
    pair = "%{y}<br>against %{x}<br>difference %{customdata[1]:+.4f}<br>"
    if not is_full:
        return f"{pair}{p_text}<extra></extra>"
    methods = result.method_counts
    how = "%{text}" if len(methods) > 1 else methods[0][0] if methods else ""
    return f"{pair}effect %{{customdata[2]:+.2f}}<br>{p_text}<br>{how}<extra></extra>"


def _methods(result: Significance) -> dict[str, Any]:
    """The method behind the p-value of each cell, if it is not the same for all."""
    if len(result.method_counts) < 2:
        return {}
    named = np.array([*METHODS, ""], dtype=object)
    named[[EXACT, NORMAL]] = "exact", "approximate"  # short, as it is repeated for every cell
    at = result.matrix(result.methods.astype(np.float64))
    # A cell without a test takes the last name, which is empty.
    return {"text": named[np.where(np.isnan(at), len(METHODS), at).astype(np.intp)].tolist()}


def _ticks(count: int) -> list[int]:
    if count <= NAMED:
        return list(range(count))
    step = next(each for each in (5, 10, 20, 50, 100, 200, 500) if count / each <= 15)
    return [0, *range(step - 1, count, step)]
