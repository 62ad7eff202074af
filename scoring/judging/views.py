"""How far judging has come, for organisers: the plan in force, the runs closing, when to stop."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access, planning
from campaigns.models import Plan
from scoring.judging_rows import OFFERED, Judging, chosen_outlook, chosen_stop, judging
from scoring.judging_tables import runs_csv
from scoring.judging_tables import topics_csv as topics_table
from scoring.views.analysed import TOPICS, attached_csv, page_or_404

LOOK_AGAIN = 5  # seconds


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
        "look_again": LOOK_AGAIN,
        "is_live": found is not None and found.plan.state == Plan.State.OPEN,
    }
    return render(request, "scoring/judging.html", context)


@login_required
@require_safe
def judging_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    return attached_csv(runs_csv(_found(viewer, request.GET)), f"{slug}-judging")


@login_required
@require_safe
def topics_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    return attached_csv(topics_table(_found(viewer, request.GET)), f"{slug}-judging-topics")


def _found(viewer: access.Viewer, query: Any) -> Judging | None:
    """Of the plan in force, or else of the last one."""
    plan = planning.latest_plan(viewer.campaign)
    if plan is None:
        return None
    plan.campaign = viewer.campaign
    return judging(plan, chosen_stop(query), chosen_outlook(query))
