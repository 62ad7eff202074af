"""Pages that show an analysis, or say that it is being computed; tables to take, and long ones."""

from itertools import chain, islice
from typing import Any, TypeVar

from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from campaigns.access import Viewer
from campaigns.choices import UnknownChoice
from campaigns.models import Campaign
from scoring.citations import Citation, citation_of
from scoring.models import Analysis, Snapshot
from scoring.tables import Table

Answer = TypeVar("Answer", bound=HttpResponseBase)

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
    return render(request, "scoring/leaderboard_hidden.html", context)


def not_computed_yet(analysis: Analysis) -> HttpResponse:
    """For who asks for a table that no worker has made yet."""
    if analysis.state == Analysis.State.FAILED:
        raise Http404("Computing it failed.")
    answer = HttpResponse("Being computed; ask again.\n", status=202, content_type="text/plain")
    answer["Retry-After"] = str(LOOK_AGAIN)
    return answer


def page_or_404(request: HttpRequest, pages: Paginator) -> Page:
    try:
        return pages.page(request.GET.get("page") or 1)
    except (EmptyPage, PageNotAnInteger) as error:
        raise UnknownChoice("page", request.GET["page"]) from error


def attached_csv(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return _attached(response, name)


def streamed_csv(table: Table, name: str) -> HttpResponse | StreamingHttpResponse:
    """A table that may be long: what lies past its first rows is written while it is sent."""
    blocks = table.csv_blocks()
    first = list(islice(blocks, 2))
    if len(first) == 1:
        return attached_csv(first[0], name)
    rest = StreamingHttpResponse(chain(first, blocks), content_type="text/csv; charset=utf-8")
    return _attached(rest, name)


def _attached(response: Answer, name: str) -> Answer:
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def cited_by(
    request: HttpRequest, campaign: Campaign, snapshot: Snapshot | None
) -> Citation | None:
    """How the board is cited; None without a snapshot."""
    if snapshot is None:
        return None
    path = reverse("scoring:snapshot-detail", args=[snapshot.public_id])
    return citation_of(campaign, snapshot, request.build_absolute_uri(path))


def latex_names(request: HttpRequest, viewer: Viewer) -> dict[str, str]:
    """What every LaTeX table says of itself: whose it is, and where it was taken from."""
    return {"title": viewer.campaign.name, "source": request.build_absolute_uri()}


def attached_latex(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="application/x-tex; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.tex"'
    return response
