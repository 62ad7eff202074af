"""How far judging has come, for organisers: the plan in force, the runs closing, when to stop."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.judging import plans
from campaigns.models import Plan
from scoring.analyses.responses import TOPICS, analysed_page
from scoring.judging.rows import OFFERED, Judging, chosen_outlook, chosen_stop, judging
from scoring.judging.tables import runs_table, topics_table
from scoring.output.responses import TableResponse, page_or_404, table_response

POLL_SECONDS = 5  # seconds


@login_required
@require_safe
def judging_page(request: HttpRequest, slug: str) -> HttpResponse:
    """While the plan is open the page looks again by itself, with or without scripts."""
    viewer = access.organiser_or_404(request.user, slug)
    found = _found(viewer, request.GET)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "found": found,
        "page": page_or_404(request, Paginator(found.topics if found else (), TOPICS)),
        "plan": found.plan if found else None,
        "choices": chosen_stop(request.GET),
        "offered": OFFERED,
        "poll_seconds": POLL_SECONDS,
        "is_live": found is not None and found.plan.state == Plan.State.OPEN,
    }
    awaited = found.awaited if found else None
    return analysed_page(request, "scoring/judging/judging.html", context, awaited)


@login_required
@require_safe
def judging_csv(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = _found(viewer, request.GET)
    awaits = found.awaited if found else None
    return table_response(request, runs_table(found), f"{slug}-judging", awaits=awaits)


@login_required
@require_safe
def topics_csv(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    table = topics_table(_found(viewer, request.GET))
    return table_response(request, table, f"{slug}-judging-topics")


def _found(viewer: access.Viewer, query: Any) -> Judging | None:
    """Of the plan in force, or else of the last one."""
    plan = plans.latest_plan(viewer.campaign)
    if plan is None:
        return None
    plan.campaign = viewer.campaign
    return judging(viewer, plan, chosen_stop(query), chosen_outlook(query))
