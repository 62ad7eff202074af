"""Heat map of the agreement of measures on the order of the runs."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from scoring.agreement.rows import DARKEST, AgreementMap, AgreementMapCell
from scoring.output.measure_names import measure_label
from scoring.output.plotting import as_data, label

REACH = 0.54  # of the darkest shade, as a share of the colour "known", so that text is legible
FEW = 6  # columns with horizontal names


def agreement_chart(
    agreement_map: AgreementMap, url_of: Callable[[AgreementMapCell], str]
) -> dict[str, Any]:
    """Each cell shows its value and links to the comparison of its two orderings."""
    columns = [label(measure_label(column)) for column in agreement_map.columns]
    # Rows of the lower triangle are filled up, because a heat map is a rectangle.
    cells = [[*row.cells, *[None] * (len(columns) - len(row.cells))] for row in agreement_map.rows]
    # The keys are row and column, as Plotly numbers a cell that somebody clicks.
    links = {
        f"{y},{x}": url_of(cell)
        for y, row in enumerate(cells)
        for x, cell in enumerate(row)
        if cell is not None and cell.shade is not None
    }
    figure = go.Figure(
        go.Heatmap(
            x=columns,
            y=[label(measure_label(row.measure)) for row in agreement_map.rows],
            z=[[cell.shade if cell else None for cell in row] for row in cells],
            zmin=0,
            zmax=DARKEST / REACH,
            text=[
                [cell.text if cell is not None and not cell.is_itself else "" for cell in row]
                for row in cells
            ],
            texttemplate="%{text}",
            customdata=[[_hover(agreement_map, cell) for cell in row] for row in cells],
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
            showscale=False,
            xgap=2,
            ygap=2,
            meta={"scale": "one", "links": links},
        )
    )
    axis = {
        "type": "category",
        "title": {"text": "measure", "standoff": 14},
        "showgrid": False,
        "zeroline": False,
    }
    figure.update_layout(
        xaxis=axis | {"tickangle": -90 if len(columns) > FEW else 0},
        yaxis=axis | {"autorange": "reversed"},
    )
    return as_data(figure)


def _hover(agreement_map: AgreementMap, cell: AgreementMapCell | None) -> str:
    if cell is None:
        return ""
    return (
        f"{label(measure_label(cell.row))} and {label(measure_label(cell.column))}"
        f"<br>{agreement_map.choice.statistic_name} {cell.text}"
        f"<br>{cell.swaps:,} of {cell.pairs:,} pairs of runs are swapped"
    )
