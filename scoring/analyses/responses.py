"""Pages that show an analysis, or say that it is being computed."""

from collections.abc import Sequence
from typing import Any, Protocol

from django.db.models import Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.models import Analysis, Job

POLL_SECONDS = 2
TOPICS = 250  # on a page; more than most tracks have


def analysed_page(
    request: HttpRequest, template: str, context: dict[str, Any], analysis: Analysis | None
) -> HttpResponse:
    """The page; until the analysis is done it reloads itself, with or without scripts."""
    context = context | {"analysis": analysis}
    if analysis is not None and analysis.state == Analysis.State.WAITING:
        # A quick analysis does not wait for long ones, which have slots of their own.
        jobs = Job.objects.filter(kind=Job.Kind.ANALYSE)
        own = jobs.filter(subject=analysis.pk, state=Job.State.WAITING)[:1]
        live = jobs.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
        before = live.filter(
            pk__lt=Subquery(own.values("pk")), is_long=Subquery(own.values("is_long"))
        )
        context["requested_before"] = before.count()
    response = render(request, template, context)
    if analysis is not None and analysis.state in (
        Analysis.State.WAITING,
        Analysis.State.COMPUTING,
    ):
        response["Refresh"] = str(POLL_SECONDS)
    elif analysis is not None and analysis.state == Analysis.State.FAILED:
        response["Cache-Control"] = "no-store"  # it may be requested again at any time
    return response


class AnalysisQuery(Protocol):
    """What a request asks an analysis of: a version of those that are offered."""

    @property
    def versions(self) -> Sequence[Qrels]: ...

    @property
    def qrels(self) -> Qrels | None: ...

    @property
    def analysis(self) -> Analysis | None: ...


def context_of(viewer: Viewer, query: AnalysisQuery) -> dict[str, Any]:
    """What every page of an analysis shows: the campaign, and the version of the qrels that was
    chosen from those offered."""
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "versions": query.versions,
        "qrels": query.qrels,
    }


def hidden_page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """For viewers who may see the campaign but not its leaderboard."""
    context = {"viewer": viewer, "campaign": viewer.campaign}
    return render(request, "scoring/leaderboard/leaderboard_hidden.html", context)
