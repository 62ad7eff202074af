"""The catalogue of measures, for everybody: no account, no campaign."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scoring.core.measures.measure import BadMeasure, UnknownMeasure
from scoring.core.properties import PROPERTIES
from scoring.core.property_table import MEANINGS, PAPER, property_table
from scoring.measure_pages import (
    PAPERS_RANKING,
    catalogue_csv,
    grouped_entries,
    measure_page,
    most_held,
    properties_csv,
)
from scoring.views.analysed import attached_csv


@require_safe
def measure_list(request: HttpRequest) -> HttpResponse:
    most, holders = most_held()
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
    return render(request, "scoring/measure_list.html", context)


@require_safe
def measure_detail(request: HttpRequest, name: str) -> HttpResponse:
    """Whoever typed a name that is none is told what is wrong with it: it is no secret here."""
    try:
        page = measure_page(name)
    except (BadMeasure, UnknownMeasure) as error:
        return render(request, "scoring/measure_unknown.html", {"said": error}, status=404)
    context = {"page": page, "ranking": PAPERS_RANKING}
    return render(request, "scoring/measure_detail.html", context)


@require_safe
def catalogue_table(request: HttpRequest) -> HttpResponse:
    return attached_csv(catalogue_csv(), "measures")


@require_safe
def properties_table(request: HttpRequest) -> HttpResponse:
    return attached_csv(properties_csv(), "measure-properties")
