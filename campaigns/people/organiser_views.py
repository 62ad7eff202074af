"""Views for organisers: people and roles, teams and their merging."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns import access, participation
from campaigns.errors import Archived, CannotChangeTeam, CannotInvite, show_refusals
from campaigns.models import Campaign, Invitation, Membership, Team
from campaigns.options import takes
from campaigns.people import membership as people
from campaigns.people import merging, teams
from campaigns.people.email_invitations import MOST_NAMED, Sent, invite_by_email
from campaigns.people.forms import (
    EmailInvitationsForm,
    LinkForm,
    NewTeamForm,
)
from campaigns.people.rows import people_rows
from campaigns.people.views import link_of

ROWS = 50  # per page of a table
TEAM_GONE = "The team no longer exists. It was declined, merged, or left by all its members."


@takes("people", "teams", "links", "invited", "waiting", "without")
@login_required
@require_safe
def people_page(request: HttpRequest, slug: str) -> HttpResponse:
    return _people_page(request, access.organiser_or_404(request.user, slug))


@login_required
@require_POST
def role_invite(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """Creates a link for a role in the campaign, and shows it."""
    viewer = access.organiser_or_404(request.user, slug)
    if role not in Membership.Role.values:
        raise Http404
    form = LinkForm(request.POST)
    if not form.is_valid():
        name = "participant_form" if role == Membership.Role.PARTICIPANT else "link_form"
        return _people_page(request, viewer, status=400, **{name: form})
    return _create_link(request, viewer, role, form)


@login_required
@require_safe
def invitation_link(request: HttpRequest, slug: str, invitation: int) -> HttpResponse:
    """A valid link with its QR code, and the people who came by it; of a used one the people."""
    viewer = access.organiser_or_404(request.user, slug)
    link = people.current_links(viewer.campaign).filter(pk=invitation).first()
    if link is None:
        return missing_page(request, viewer, "This link was revoked or has expired.")
    return _link_page(request, viewer, link, None if link.is_used_up else people.token_of(link))


@login_required
@require_POST
def email_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Sends a link for a role to each of the pasted addresses."""
    viewer = access.organiser_or_404(request.user, slug)
    form = EmailInvitationsForm(request.POST, auto_id="id_email_%s")
    if not form.is_valid():
        return _people_page(request, viewer, status=400, email_form=form)
    with show_refusals(request):
        sent = invite_by_email(
            campaign=viewer.campaign,
            by=request.user,
            link_of=partial(link_of, request),
            **form.cleaned_data,
        )
        _tell_sent(request, sent, form.cleaned_data["role"])
    return redirect("campaigns:people", slug)


@login_required
@require_POST
def invitation_revoke(request: HttpRequest, slug: str, invitation: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    link = get_object_or_404(viewer.campaign.invitations, pk=invitation)
    with show_refusals(request):
        people.revoke(link, actor=request.user)
    return redirect("campaigns:people", slug)


@login_required
@require_POST
def role_remove(request: HttpRequest, slug: str, membership: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    removed = viewer.campaign.memberships.filter(pk=membership).first()
    if removed is None:
        return missing_page(request, viewer, "That role was already removed.")
    with show_refusals(request):
        people.remove_role(membership=removed, actor=request.user)
        if removed.person_id == request.user.pk and removed.role == Membership.Role.ORGANISER:
            return redirect("campaigns:campaign-list")  # this page is no longer theirs
    return redirect("campaigns:people", slug)


@login_required
@require_POST
def team_assign(request: HttpRequest, slug: str, membership: int) -> HttpResponse:
    """Adds a participant without a team to a team."""
    viewer = access.organiser_or_404(request.user, slug)
    added = viewer.campaign.memberships.filter(pk=membership).first()
    approved = {team.public_id: team for team in viewer.campaign.teams.exclude(approved_at=None)}
    team = approved.get(request.POST.get("team", ""))
    if added is None or team is None:
        return missing_page(request, viewer, "That person or team is no longer in the campaign.")
    with show_refusals(request):
        people.add_to_team(membership=added, team=team, actor=request.user)
    return redirect("campaigns:people", slug)


@login_required
@require_POST
def team_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Creates a team without members, and a link for them."""
    viewer = access.organiser_or_404(request.user, slug)
    form = NewTeamForm(request.POST)
    if not form.is_valid():
        return _people_page(request, viewer, status=400, team_form=form)
    try:
        team = teams.create_team(
            campaign=viewer.campaign, name=form.cleaned_data["name"], actor=request.user
        )
    except CannotChangeTeam as error:
        messages.error(request, str(error))
        return redirect("campaigns:people", slug)
    return _create_link(request, viewer, Membership.Role.PARTICIPANT, LinkForm({}), team)


@login_required
@require_POST
def team_link(request: HttpRequest, slug: str, team: str) -> HttpResponse:
    """Creates another link into a team."""
    viewer = access.organiser_or_404(request.user, slug)
    invited = viewer.campaign.teams.filter(public_id=team).first()
    if invited is None:
        return missing_page(request, viewer, TEAM_GONE)
    form = LinkForm(request.POST)
    if not form.is_valid():
        fields = "; ".join(
            f"{form.fields[name].label}: {form.errors[name][0]}" for name in form.errors
        )
        messages.error(request, f"No link was created for {invited}. {fields}")
        return _people_page(request, viewer, status=400)
    return _create_link(request, viewer, Membership.Role.PARTICIPANT, form, invited)


@login_required
@require_POST
def team_decide(request: HttpRequest, slug: str, team: str, act: str) -> HttpResponse:
    """Applies one of DECISIONS to a team."""
    viewer = access.organiser_or_404(request.user, slug)
    if act not in DECISIONS:
        raise Http404
    decided = viewer.campaign.teams.filter(public_id=team).first()
    if decided is None:
        return missing_page(request, viewer, TEAM_GONE)
    facts = {"reason": request.POST.get("reason", "")} if act == "disqualify" else {}
    if act == "rename" or (act == "approve" and "name" in request.POST):
        form = NewTeamForm(request.POST)
        if not form.is_valid():
            messages.error(request, f"{decided} was not renamed. {form.errors['name'][0]}")
            return _people_page(request, viewer, status=400)
        facts = form.cleaned_data
    with show_refusals(request):
        DECISIONS[act](team=decided, actor=request.user, **facts)
    return redirect("campaigns:people", slug)


def missing_page(request: HttpRequest, viewer: access.Viewer, text: str) -> HttpResponse:
    """The page with an error, after a second click or from an old tab."""
    messages.error(request, text)
    return _people_page(request, viewer, status=404)


DECISIONS: dict[str, Callable[..., None]] = {
    "approve": partial(teams.decide_team, approve=True),
    "decline": partial(teams.decide_team, approve=False),
    "admit": partial(teams.admit_team, admit=True),
    "revoke-admission": partial(teams.admit_team, admit=False),
    "disqualify": teams.disqualify_team,
    "reinstate": teams.reinstate_team,
    "rename": teams.rename_team,
}


def _create_link(
    request: HttpRequest, viewer: access.Viewer, role: str, form: LinkForm, team: Team | None = None
) -> HttpResponse:
    """Creates a link with the limits of this valid form, and shows it."""
    limits = form.cleaned_data if form.is_valid() else {}
    try:
        invitation, token = people.invite(
            campaign=viewer.campaign, by=request.user, role=role, team=team, **limits
        )
    except (Archived, CannotInvite) as error:
        messages.error(request, str(error))
        return redirect("campaigns:people", viewer.campaign.slug)
    return _link_page(request, viewer, invitation, token)


def _link_page(
    request: HttpRequest, viewer: access.Viewer, invitation: Invitation, token: str | None
) -> HttpResponse:
    link = link_of(request, token) if token else ""
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "invitation": invitation,
        "role": invitation.role,
        "team": invitation.team,
        "allows_new_teams": participation.allows_new_teams(viewer.campaign, viewer.moment),
        "link": link,
        # A data URI. Its ground is white in both themes, as readers expect.
        "qr_code": segno.make(link, error="m").svg_data_uri(dark="#000", light="#fff")
        if link
        else "",
        "members": list(invitation.memberships.select_related("person", "team").order_by("pk")),
    }
    return render(request, "campaigns/people/invitation_link.html", page)


def _tell_sent(request: HttpRequest, sent: Sent, role: str) -> None:
    texts = [f"{sent.count} invitation{'s' if sent.count != 1 else ''} sent."]
    if sent.members:
        texts.append(f"Already {role}, and not invited again: {_first_of(sent.members)}.")
    if sent.recent:
        texts.append(f"Invited less than an hour ago: {_first_of(sent.recent)}.")
    if sent.conflicting:
        texts.append(
            "Not invited, because assessors and readers cannot be in a team: "
            f"{_first_of(sent.conflicting)}."
        )
    add = messages.success if sent.count else messages.warning
    add(request, " ".join(texts))


def _first_of(addresses: list[str]) -> str:
    more = len(addresses) - MOST_NAMED
    return ", ".join(addresses[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _people_page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    """Runs ten queries for any number of people. Each table has its own pages."""
    campaign, rows = viewer.campaign, people_rows(viewer.campaign)
    is_before_close = participation.is_before_close(campaign, viewer.moment)
    allows_new_teams = participation.allows_new_teams(campaign, viewer.moment)
    participating = participation.participating_teams(campaign, viewer.moment).values_list("pk")
    page = {
        "viewer": viewer,
        "campaign": campaign,
        "is_before_close": is_before_close,
        "allows_new_teams": allows_new_teams,
        "participating": set() if is_before_close else {pk for (pk,) in participating},
        "others": _table_page(request, "people", rows.others),
        "waiting": _table_page(request, "waiting", rows.waiting),
        "teams": _table_page(request, "teams", rows.approved),
        "links": _table_page(request, "links", people.current_links(campaign)),
        "team_choices": teams.team_choices([team for team, _, _ in rows.approved]),
        "without_team": _table_page(request, "without", rows.without_team),
        "invited": _table_page(request, "invited", rows.invited),
        "roles": people.PERSONAL_ROLES,
        "team_form": NewTeamForm(),
        "participant_form": LinkForm(
            uses=people.PARTICIPANT_LINK_USES, auto_id="id_participants_%s"
        ),
        "link_form": LinkForm(auto_id="id_link_%s"),
        "email_form": EmailInvitationsForm(auto_id="id_email_%s"),
        "sends_email": bool(settings.EMAIL_URL),
        "url": request.build_absolute_uri(
            reverse("campaigns:campaign-detail", args=[campaign.slug])
        ),
        "team_link_uses": people.TEAM_LINK_USES,
        "link_days": people.INVITATION_DAYS,
    }
    has_participants = bool(rows.approved or rows.without_team)
    page |= _ways_in(campaign, allows_new_teams, has_participants=has_participants)
    return render(request, "campaigns/people/people.html", page | extra, status=status)


def _ways_in(
    campaign: Campaign, allows_new_teams: bool, *, has_participants: bool
) -> dict[str, bool]:
    """How people come. While nobody has come, the form that the page asks for is open."""
    by_organisers = campaign.joining == Campaign.Joining.INVITED
    is_public = not campaign.is_private and campaign.stage != Campaign.Stage.DRAFT
    is_at_url = is_public and allows_new_teams and not by_organisers
    by_link = allows_new_teams and not by_organisers and not is_at_url
    return {
        "is_at_url": is_at_url,
        "opens_link_form": by_link and not has_participants,
        "opens_team_form": by_organisers and not has_participants,
    }


def _table_page(
    request: HttpRequest, parameter: str, rows: Sequence[Any] | QuerySet[Any]
) -> Page[Any]:
    """The page of a table that the parameter names: the first by default, at most the last."""
    page = Paginator(rows, ROWS).get_page(request.GET.get(parameter))
    page.object_list = list(page.object_list)
    return page


@takes("into")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_merge(request: HttpRequest, slug: str, team: str) -> HttpResponse:
    """Asks for the other team. GET with `into` previews the merge, and POST merges."""
    viewer = access.organiser_or_404(request.user, slug)
    source = viewer.campaign.teams.select_related("campaign").filter(public_id=team).first()
    if source is None:
        return missing_page(request, viewer, TEAM_GONE)
    params = request.POST if request.method == "POST" else request.GET
    into = viewer.campaign.teams.filter(public_id=params.get("into", "")).first()
    if into is None or into.pk == source.pk:
        return _merge_choice(request, viewer, source)
    if request.method == "POST":
        with show_refusals(request):
            merging.merge_teams(team=source, into=into, actor=request.user)
            messages.success(request, f"{source} has been merged into {into}.")
        return redirect("campaigns:people", slug)
    outcome = merging.outcome_of(team=source, into=into, moment=request.arrived_at)
    page = {"viewer": viewer, "campaign": viewer.campaign, "outcome": outcome}
    return render(request, "campaigns/people/team_merge.html", page)


def _merge_choice(request: HttpRequest, viewer: access.Viewer, team: Team) -> HttpResponse:
    approved = viewer.campaign.teams.exclude(approved_at=None).order_by("name", "pk")
    others = [each for each in teams.team_choices(list(approved)) if each[0] != team.public_id]
    is_faulty = request.method == "POST" or "into" in request.GET
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "team": team,
        "others": others,
        "is_faulty": is_faulty,
    }
    status = 400 if is_faulty else 200
    return render(request, "campaigns/people/team_merge_choice.html", page, status=status)
