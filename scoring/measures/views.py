"""The catalogue of measures, without an account or a campaign."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scoring.core.measures.measure import BadMeasure, UnknownMeasure
from scoring.core.properties.properties import PROPERTIES
from scoring.core.properties.table import MEANINGS, PAPER, property_table
from scoring.measures.pages import (
    PAPERS_RANKING,
    grouped_entries,
    measure_page,
    most_properties,
)
from scoring.measures.tables import (
    CATALOGUE_COLUMNS,
    PROPERTY_COLUMNS,
    catalogue_table,
    properties_table,
)
from scoring.output.result_view import Answer, ResultView, for_everybody


@require_safe
def measure_list(request: HttpRequest) -> HttpResponse:
    most, holders = most_properties()
    context = {
        "groups": grouped_entries(),
        "families": sum(len(entries) for _, entries in grouped_entries()),
        "table": property_table(),
        "papers": len(PAPER),
        "properties": PROPERTIES,
        "meanings": MEANINGS,
        "most": most,
        "holders": holders,
    }
    return render(request, "scoring/measures/measure_list.html", context)


@require_safe
def measure_detail(request: HttpRequest, name: str) -> HttpResponse:
    """An invalid name gives a page with the error."""
    try:
        page = measure_page(name)
    except (BadMeasure, UnknownMeasure) as error:
        return render(
            request, "scoring/measures/measure_unknown.html", {"message": error}, status=404
        )
    context = {"page": page, "ranking": PAPERS_RANKING}
    return render(request, "scoring/measures/measure_detail.html", context)


def _catalogue(viewer: None, params: QueryDict) -> Answer:
    """One row for each family of measures."""
    return Answer(catalogue_table())


def _properties(viewer: None, params: QueryDict) -> Answer:
    """Which of the seven properties (Moffat, AIRS 2013) each measure has, and the smallest
    counter-example of each that it does not have."""
    return Answer(properties_table())


CATALOGUE = ResultView(
    name="measures",
    title="The catalogue of measures",
    answer=_catalogue,
    decorator=for_everybody,
    row="MeasureFamily",
    row_description="A family of measures.",
    columns=CATALOGUE_COLUMNS,
    parameters=[],
    row_example={
        "measure": "P(rel=, judged_only=)@k", "name": "Precision at k", "group": "Weights by rank",
        "formula": "(1/k) · Σ_{i≤k} b_i", "lowest": 0.0, "highest": 1.0,
        "direction": "higher", "relevance": "binary", "needs_relevant": 0, "has_residual": 1,
        "reference": "C. Buckley and E. M. Voorhees. Retrieval system evaluation. …",
        "other_names": "P_k Precision prec precision",
    },
)  # fmt: skip
MEASURE_PROPERTIES = ResultView(
    name="properties",
    file_name="measure-properties",
    title="The seven properties of measures",
    answer=_properties,
    decorator=for_everybody,
    row="MeasureProperties",
    row_description="A measure, which of the seven properties it has, and counter-examples.",
    columns=PROPERTY_COLUMNS,
    parameters=[],
    row_example={
        "measure": "P@k", "bounded": "yes", "monotonic": "no",
        "monotonic_example": "10@1 = 1, 10@2 = 0.5",
    },
)  # fmt: skip
