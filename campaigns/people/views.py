"""Pages for members: creating a team, the team's page, and following an invitation."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access, participation
from campaigns.errors import Archived, CannotChangeTeam, CannotInvite, CannotJoin, show_refusals
from campaigns.models import Invitation, Membership, Team
from campaigns.people import membership, teams
from campaigns.people.forms import JoinForm, LinkForm, TeamEditForm, TeamForm, TermsForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """The form that creates a team or, for its members, the page of the team."""
    viewer = access.viewer_or_404(request.user, slug)
    form = TeamForm(request.POST or None, campaign=viewer.campaign)
    if request.method == "POST" and form.is_valid():
        facts = {key: value for key, value in form.cleaned_data.items() if key != "digest"}
        try:
            membership.create_own_team(campaign=viewer.campaign, person=request.user, **facts)
        except CannotJoin as error:
            if viewer.team is None and viewer.pending_team is None:
                form.add_error("name", str(error))
            else:  # their page has no form
                messages.error(request, str(error))
                return redirect("campaigns:team", slug)
        else:
            return redirect("campaigns:team", slug)
    return _team_page(request, viewer, status=400 if form.errors else 200, form=form)


@login_required
@require_POST
def team_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Creates an invitation link into the team, and shows it this once."""
    viewer = access.viewer_or_404(request.user, slug)
    if viewer.team is None:
        raise Http404
    form = LinkForm(request.POST)
    if not form.is_valid():
        return _team_page(request, viewer, status=400, link_form=form)
    try:
        invitation, token = membership.invite(
            campaign=viewer.campaign,
            by=request.user,
            role=Membership.Role.PARTICIPANT,
            team=viewer.team,
            **form.cleaned_data,
        )
    except (Archived, CannotInvite) as error:
        messages.error(request, str(error))
        return redirect("campaigns:team", slug)
    return _team_page(request, viewer, link=link_of(request, token), invitation=invitation)


@login_required
@require_POST
def team_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Changes the name of the team, its anonymity, and whether others may download its files."""
    viewer = access.viewer_or_404(request.user, slug)
    if viewer.team is None:
        raise Http404
    form = _edit_form(viewer, viewer.team, request.POST)
    if not form.is_valid():
        return _team_page(request, viewer, status=400, edit_form=form)
    with show_refusals(request):
        teams.edit_team(
            team=viewer.team,
            name=form.cleaned_data["name"],
            is_anonymous=form.cleaned_data.get("is_anonymous", False),
            shares_files=form.cleaned_data["shares_files"],
            person=request.user,
        )
    return redirect("campaigns:team", slug)


@login_required
@require_POST
def team_leave(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    mine = _own_team_or_404(viewer)
    try:
        teams.leave(team=mine, person=request.user)
    except CannotChangeTeam as error:
        messages.error(request, str(error))
        return redirect("campaigns:team", slug)
    messages.success(request, f"You have left {mine.name}.")
    return redirect("campaigns:campaign-list")  # a private campaign is no longer visible


@login_required
@require_POST
def terms_accept(request: HttpRequest, slug: str) -> HttpResponse:
    """Accepts the terms that were shown. If they have changed since, asks again."""
    viewer = access.viewer_or_404(request.user, slug)
    _own_team_or_404(viewer)
    form = TermsForm(request.POST, campaign=viewer.campaign)
    if not form.is_valid():
        return _team_page(request, viewer, status=400, terms_form=form)
    with show_refusals(request):
        membership.accept_terms(campaign=viewer.campaign, person=request.user)
    return redirect("campaigns:team", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the invitation on GET, and accepts it only on POST. A person without an account sees
    which campaign invites them, and comes back after signing up."""
    offer = membership.find_invitation(token)
    person = request.user if request.user.is_authenticated else None
    has_joined = bool(offer and person and membership.membership_by(offer, person))
    if offer is None or (offer.is_used_up and not has_joined):
        return render(request, "campaigns/people/invitation_gone.html", status=404)
    if person is None:
        return _stranger_invitation(request, offer)
    if has_joined and request.method != "POST":
        return _redirect_after_joining(request, offer)
    is_removed, form = membership.is_removed_since(offer, person), None
    problem = membership.REMOVED if is_removed else ""
    if offer.team is not None:
        form = JoinForm(request.POST or None, campaign=offer.campaign)
    if request.method == "POST" and (form is None or not form.fields or form.is_valid()):
        try:
            membership.accept_invitation(
                invitation=offer,
                person=request.user,
                accepts_terms=bool(form is not None and form.fields),
            )
        except CannotJoin as error:
            problem = str(error)
        else:
            return _redirect_after_joining(request, offer)
    page = _invitation_context(offer) | {
        "problem": problem,
        "is_removed": is_removed,
        "form": form,
        "is_for_another": not membership.is_for(offer, person),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "campaigns/people/invitation.html", page, status=status)


def link_of(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("campaigns:invitation", args=[token]))


def _stranger_invitation(request: HttpRequest, offer: Invitation) -> HttpResponse:
    """Signing up and logging in lead back to the invitation."""
    if request.method == "POST":
        return redirect_to_login(request.path)
    page = _invitation_context(offer) | {"next": urlencode({"next": request.path})}
    return render(request, "campaigns/people/invitation.html", page)


def _invitation_context(offer: Invitation) -> dict[str, object]:
    allows_new_teams = participation.allows_new_teams(offer.campaign, timezone.now())
    return {"invitation": offer, "allows_new_teams": allows_new_teams}


def _redirect_after_joining(request: HttpRequest, offer: Invitation) -> HttpResponse:
    """To the campaign, unless it is a draft that this person cannot see."""
    if not access.campaigns_visible_to(request.user).filter(pk=offer.campaign_id).exists():
        name = offer.campaign.name
        messages.success(request, f"Accepted. You can see {name} after its organisers open it.")
        return redirect("campaigns:campaign-list")
    to = "assess" if offer.role == Membership.Role.ASSESSOR else "campaign-detail"
    return redirect(f"campaigns:{to}", offer.campaign.slug)


def _own_team_or_404(viewer: access.Viewer) -> Team:
    team = viewer.team or viewer.pending_team
    if team is None:
        raise Http404
    return team


def _edit_form(viewer: access.Viewer, team: Team, data: object = None) -> TeamEditForm:
    return TeamEditForm(
        data,
        initial={
            "name": team.proposed_name or team.name,
            "is_anonymous": team.is_anonymous,
            "shares_files": team.shares_files,
        },
        campaign=viewer.campaign,
        was_anonymous=team.is_anonymous,
        auto_id="id_team_%s",
    )


def _team_page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    campaign, mine = viewer.campaign, viewer.team or viewer.pending_team
    page: dict[str, object] = {"viewer": viewer, "campaign": campaign, "team": mine}
    if mine is None:
        page["form"] = TeamForm(campaign=campaign)
        page["is_invited_only"] = campaign.joining == campaign.Joining.INVITED
        page["allows_new_teams"] = participation.allows_new_teams(campaign, viewer.moment)
    else:
        members = mine.memberships.select_related("person").order_by("created_at")
        page |= {
            "file_count": mine.runs.count(),
            "run_count": mine.runs.live().count(),
            "members": [str(m.person) for m in members],
            "has_accepted_terms": membership.has_accepted_terms(campaign, request.user),
            "terms_form": TermsForm(campaign=campaign, auto_id="id_terms_%s"),
            "edit_form": _edit_form(viewer, mine),
            "link_form": LinkForm(uses=membership.TEAM_LINK_USES),
            "links": list(membership.open_links(campaign).filter(team=mine)),
        }
    return render(request, "campaigns/people/team.html", page | extra, status=status)
