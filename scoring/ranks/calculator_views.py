"""The number of topics without data."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.options import takes
from scoring.ranks.calculator import calculated


@takes("variance", "difference", "differences", "runs", "level", "power")
@require_safe
def topics_calculator(request: HttpRequest) -> HttpResponse:
    """A part of the playground; no campaign needed."""
    context = {"calculation": calculated(request.GET)}
    return render(request, "scoring/ranks/calculator.html", context)
