"""Pages that show an analysis, or say that it is being computed."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.models import Analysis

LOOK_AGAIN = 2  # seconds


def analysed_page(
    request: HttpRequest, template: str, context: dict[str, Any], analysis: Analysis | None
) -> HttpResponse:
    """The page; while the analysis is on its way it loads itself anew, with or without scripts."""
    response = render(request, template, context | {"analysis": analysis})
    if analysis is not None and analysis.state in (
        Analysis.State.WAITING,
        Analysis.State.COMPUTING,
    ):
        response["Refresh"] = str(LOOK_AGAIN)
    return response
