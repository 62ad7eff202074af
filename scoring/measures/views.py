"""The catalogue of measures, without an account or a campaign."""

from django.http import HttpRequest, HttpResponse
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
from scoring.measures.tables import catalogue_table, properties_table
from scoring.output.responses import TableResponse, table_response


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


@require_safe
def catalogue_csv(request: HttpRequest) -> TableResponse:
    return table_response(request, catalogue_table(), "measures")


@require_safe
def properties_csv(request: HttpRequest) -> TableResponse:
    return table_response(request, properties_table(), "measure-properties")
