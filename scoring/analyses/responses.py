"""Pages that show an analysis, or say that it is being computed."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from campaigns.access import Viewer
from campaigns.models import Campaign
from scoring.models import Analysis, Snapshot
from scoring.results.citations import Citation, citation_of

LOOK_AGAIN = 2  # seconds
TOPICS = 250  # on a page; more than most tracks have


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


def hidden_page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """For who may know of the campaign but not of its board."""
    context = {"viewer": viewer, "campaign": viewer.campaign}
    return render(request, "scoring/leaderboard/leaderboard_hidden.html", context)


def cited_by(
    request: HttpRequest, campaign: Campaign, snapshot: Snapshot | None
) -> Citation | None:
    """How the board is cited; None without a snapshot."""
    if snapshot is None:
        return None
    path = reverse("scoring:snapshot-detail", args=[snapshot.public_id])
    return citation_of(campaign, snapshot, request.build_absolute_uri(path))
