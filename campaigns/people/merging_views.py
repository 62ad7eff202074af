"""Merging two teams: a page that says what it does, and the act itself."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.models import Team
from campaigns.people import merging
from campaigns.people.organiser_views import TEAM_GONE, gone


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_merge(request: HttpRequest, slug: str, team: str) -> HttpResponse:
    """Asks which team to merge it into; ?into=<team> shows what merging would do; sent, it does
    it."""
    viewer = access.organiser_or_404(request.user, slug)
    found = viewer.campaign.teams.select_related("campaign").filter(public_id=team).first()
    if found is None:
        return gone(request, viewer, TEAM_GONE)
    asked = request.POST if request.method == "POST" else request.GET
    into = viewer.campaign.teams.filter(public_id=asked.get("into", "")).first()
    if into is None or into.pk == found.pk:
        return _choice(request, viewer, found)
    if request.method == "POST":
        with show_refusals(request):
            merging.merge_teams(team=found, into=into, actor=request.user)
            messages.success(request, f"{found} is part of {into} now.")
        return redirect("campaigns:people", slug)
    outcome = merging.outcome_of(team=found, into=into, moment=request.arrived_at)
    page = {"viewer": viewer, "campaign": viewer.campaign, "outcome": outcome}
    return render(request, "campaigns/people/team_merge.html", page)


def _choice(request: HttpRequest, viewer: access.Viewer, team: Team) -> HttpResponse:
    others = viewer.campaign.teams.exclude(pk=team.pk).exclude(approved_at=None).order_by("name")
    is_faulty = request.method == "POST" or "into" in request.GET
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "team": team,
        "others": list(others),
        "is_faulty": is_faulty,
    }
    status = 400 if is_faulty else 200
    return render(request, "campaigns/people/team_merge_choice.html", page, status=status)
