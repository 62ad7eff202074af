"""Joining: founding a team, sharing its invitation link, following one."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access, people
from campaigns.forms import TeamForm
from campaigns.models import Membership


@login_required
@require_http_methods(["GET", "POST"])
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """Without a team: the form that founds one. With a team: who is in it."""
    viewer = access.viewer_or_404(request.user, slug)
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            people.found_team(
                campaign=viewer.campaign, person=request.user, name=form.cleaned_data["name"]
            )
        except people.CannotJoin as error:
            form.add_error("name", str(error))
        else:
            return redirect("campaigns:team", slug)
    return render(request, "campaigns/team.html", _team_page(viewer, form))


@login_required
@require_POST
def team_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """A new link for a team mate, shown this once."""
    viewer = access.viewer_or_404(request.user, slug)
    if viewer.team is None:
        raise Http404
    _, token = people.invite(
        campaign=viewer.campaign,
        by=request.user,
        role=Membership.Role.PARTICIPANT,
        team=viewer.team,
    )
    context = _team_page(viewer, TeamForm()) | {"link": _link(request, token)}
    return render(request, "campaigns/team.html", context)


@login_required
@require_POST
def organiser_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """A link that makes whoever follows it an organiser of this campaign."""
    viewer = access.organiser_or_404(request.user, slug)
    _, token = people.invite(
        campaign=viewer.campaign, by=request.user, role=Membership.Role.ORGANISER
    )
    return render(
        request,
        "campaigns/invitation_made.html",
        {"viewer": viewer, "campaign": viewer.campaign, "link": _link(request, token)},
    )


@login_required
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Says what the link offers; joining is a click of its own, never the mere look."""
    found = people.find_invitation(token)
    if found is None:
        raise Http404
    problem = ""
    if request.method == "POST":
        try:
            people.accept_invitation(invitation=found, person=request.user)
        except people.CannotJoin as error:
            problem = str(error)
        else:
            return redirect("campaigns:campaign-detail", found.campaign.slug)
    return render(request, "campaigns/invitation.html", {"invitation": found, "problem": problem})


def _team_page(viewer: access.Viewer, form: TeamForm) -> dict[str, object]:
    members = (
        viewer.team.memberships.select_related("person").order_by("created_at")
        if viewer.team
        else ()
    )
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": form,
        "members": [people.display_name(m.person) for m in members],
    }


def _link(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("campaigns:invitation", args=[token]))
