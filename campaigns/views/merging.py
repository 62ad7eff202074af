"""Merging two teams: a page that says what it does, and the act itself."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access, merging, teams
from campaigns.views.roles import TEAM_GONE, gone


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_merge(request: HttpRequest, slug: str, team: str) -> HttpResponse:
    """?into=<team> shows what merging would do; sent, it does it."""
    viewer = access.organiser_or_404(request.user, slug)
    found = viewer.campaign.teams.select_related("campaign").filter(public_id=team).first()
    if found is None:
        return gone(request, viewer, TEAM_GONE)
    asked = request.POST if request.method == "POST" else request.GET
    into = viewer.campaign.teams.filter(public_id=asked.get("into", "")).first()
    if into is None or into.pk == found.pk:
        messages.error(request, "Choose the team to merge it into.")
        return redirect("campaigns:people", slug)
    if request.method == "POST":
        try:
            merging.merge_teams(team=found, into=into, actor=request.user)
        except teams.CannotChange as error:
            messages.error(request, str(error))
        else:
            messages.success(request, f"{found} is part of {into} now.")
        return redirect("campaigns:people", slug)
    outcome = merging.outcome_of(team=found, into=into, moment=request.arrived_at)
    page = {"viewer": viewer, "campaign": viewer.campaign, "outcome": outcome}
    return render(request, "campaigns/team_merge.html", page)
