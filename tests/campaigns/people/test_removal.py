"""Links are for a number of people and of days, and a removed person stays out."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import access
from campaigns.errors import CannotInvite, CannotJoin
from campaigns.judging import programs
from campaigns.models import Campaign, Invitation, Membership, User
from campaigns.people import membership as people
from campaigns.people.accounts import create_token
from tests.campaigns.judging.programs import make_program
from tests.crowd import crowd
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db


def link(token: str) -> str:
    return reverse("campaigns:invitation", args=[token])


def remove(campaign: Campaign, person: User, *, by: User, role: str) -> None:
    membership = campaign.memberships.get(person=person, role=role)
    signed_in(by).post(url_of("role-remove", campaign, membership.pk))
    assert not campaign.memberships.filter(pk=membership.pk).exists()


# --- how many, and how long -----------------------------------------------------------------------


@pytest.mark.parametrize("role", people.PERSONAL_ROLES)
def test_a_link_for_a_role_is_for_one_person(role: str) -> None:
    campaign = make_campaign()
    _, token = people.invite(campaign=campaign, by=make_organiser(campaign), role=role)
    first, second = make_user(), make_user()
    found = people.find_invitation(token)
    assert signed_in(first).post(link(token)).status_code == 302
    assert signed_in(first).post(link(token)).status_code == 302  # a double click
    assert signed_in(second).get(link(token)).status_code == 404
    assert signed_in(second).post(link(token)).status_code == 404
    with pytest.raises(
        CannotJoin, match="has reached its number of uses"
    ):  # it was looked at before
        people.accept_invitation(invitation=found, person=second)
    assert not second.memberships.exists()
    assert Invitation.objects.get().uses == 1


def test_limits_of_a_link_are_set_and_shown_by_its_team() -> None:
    campaign, alice = make_campaign(), make_user()
    make_team(campaign, alice)
    client = signed_in(alice)
    url = url_of("team-invite", campaign)
    assert client.post(url, {"max_uses": "0", "days": "7"}).status_code == 400
    assert client.post(url, {"max_uses": "2", "days": "9999"}).status_code == 400
    made = client.post(url, {"max_uses": "2", "days": "7"})
    assert "Up to 2 people can use it" in made.content.decode()
    invitation = Invitation.objects.get()
    left = invitation.expires_at - timezone.now()
    assert timedelta(days=6) < left < timedelta(days=8)
    signed_in(make_user()).post(made.context["link"])
    assert "1 of 2 uses" in client.get(url_of("team", campaign)).content.decode()
    signed_in(make_user()).post(made.context["link"])
    assert signed_in(make_user()).post(made.context["link"]).status_code == 404
    client.post(url)  # the default
    assert Invitation.objects.latest("pk").max_uses == people.TEAM_LINK_USES


def test_limits_of_a_link_are_set_and_shown_by_organisers() -> None:
    campaign = make_campaign()
    olga, team = make_organiser(campaign), make_team(make_campaign())
    client = signed_in(olga)
    limits = {"max_uses": "40", "days": "3"}
    made = client.post(url_of("role-invite", campaign, "reader"), limits)
    assert "Up to 40 people can use it" in made.content.decode()
    assert "0 of 40" in client.get(url_of("people", campaign)).content.decode()
    wrong = client.post(url_of("role-invite", campaign, "reader"), {"max_uses": "5001"})
    assert wrong.status_code == 400
    assert "less than or equal to 5000" in wrong.content.decode()
    team = make_team(campaign)
    made = client.post(url_of("team-link", campaign, team.public_id), {"max_uses": "3"})
    assert "Up to 3 people can use it" in made.content.decode()
    wrong = client.post(url_of("team-link", campaign, team.public_id), {"max_uses": "none"})
    assert wrong.status_code == 400
    assert "whole number" in wrong.content.decode()


def test_limits_of_a_link_are_set_and_shown_by_the_api() -> None:
    campaign = make_campaign()
    olga, team = make_organiser(campaign), make_team(campaign)
    url = reverse("api:team-invite", args=[campaign.slug, team.public_id])
    headers = {"Authorization": f"Token {create_token(olga)}"}

    def ask(said: dict[str, object]) -> tuple[int, dict[str, object]]:
        answer = Client().post(url, said, content_type="application/json", headers=headers)
        return answer.status_code, answer.json()

    status, said = ask({"max_uses": 2, "days": 7})
    assert (status, said["max_uses"]) == (201, 2)
    invitation = Invitation.objects.get()
    assert invitation.max_uses == 2
    assert invitation.expires_at < timezone.now() + timedelta(days=8)
    assert ask({})[1]["max_uses"] == people.TEAM_LINK_USES
    status, said = ask({"max_uses": 0})
    assert (status, [each["field"] for each in said["fields"]]) == (400, ["max_uses"])
    assert Client().post(url, headers=headers).status_code == 201  # without a body, as before


@pytest.mark.django_db(transaction=True)
def test_three_of_twenty_simultaneous_people_join_by_a_link_for_three(
    own_connections: None,
) -> None:
    campaign = make_campaign()
    olga = make_organiser(campaign)
    invitation, _ = people.invite(campaign=campaign, by=olga, role="organiser", max_uses=3)
    crowd(
        [
            partial(people.accept_invitation, invitation=invitation, person=make_user())
            for _ in range(20)
        ]
    )
    assert campaign.memberships.exclude(person=olga).count() == 3
    assert Invitation.objects.get().uses == 3


def test_the_database_keeps_a_link_within_its_uses() -> None:
    campaign = make_campaign()
    people.invite(campaign=campaign, by=make_organiser(campaign), role="organiser")
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.update(uses=2)


# --- removed --------------------------------------------------------------------------------------


def test_a_removed_organiser_cannot_return_by_used_or_created_links() -> None:
    campaign = make_campaign()
    olga, oscar, other_account = make_organiser(campaign), make_user(), make_user()
    _, used = people.invite(campaign=campaign, by=olga, role="organiser", max_uses=9)
    signed_in(oscar).post(link(used))
    _, own = people.invite(campaign=campaign, by=oscar, role="organiser", max_uses=9)
    team = make_team(campaign, make_user())
    _, into = people.invite(campaign=campaign, by=oscar, role="participant", team=team)
    _, unused = people.invite(campaign=campaign, by=olga, role="reader", max_uses=9)
    remove(campaign, oscar, by=olga, role="organiser")
    for token in (used, own, into):
        assert signed_in(oscar).post(link(token)).status_code == 404
        assert signed_in(other_account).post(link(token)).status_code == 404
    # A link of somebody else stays, but not for the person who was removed after it was made.
    assert signed_in(oscar).post(link(unused)).status_code == 400
    campaign.contact = "chairs@example.org"
    campaign.save()
    page = signed_in(oscar).get(link(unused)).content.decode()
    assert "Ask an organiser for a new link." in page
    assert '<a href="mailto:chairs@example.org"' in page
    assert "Accept invitation" not in page
    assert "chairs@example.org" not in signed_in(make_user()).get(link(unused)).content.decode()
    assert not oscar.memberships.exists()
    assert signed_in(make_user()).post(link(unused)).status_code == 302
    _, fresh = people.invite(campaign=campaign, by=olga, role="reader")
    assert signed_in(oscar).post(link(fresh)).status_code == 302


def test_tokens_of_programs_that_a_removed_organiser_created_are_revoked() -> None:
    """A program reads topics and documents, and judges."""
    campaign = make_campaign()
    olga, oscar = make_organiser(campaign), make_organiser(campaign, make_user())
    tokens = {}
    for name, creators in {"his": [olga, oscar], "hers": [oscar, olga], "none": [oscar]}.items():
        program = make_program(campaign, oscar, name=name)
        for creator in creators:
            tokens[name] = programs.create_token(program=program, actor=creator)
    programs.revoke_token(program=program, actor=olga)
    remove(campaign, oscar, by=olga, role="organiser")
    assert programs.program_with_token(tokens["his"]) is None
    assert programs.program_with_token(tokens["hers"]) is not None
    revoked = campaign.log.filter(verb="revoked token of program", actor=olga)
    assert sorted(revoked.values_list("subject", flat=True)) == ["his", "none"]


@pytest.mark.parametrize("role", ["assessor", "reader"])
def test_a_removed_assessor_or_reader_does_not_come_back(role: str) -> None:
    campaign = make_campaign()
    olga, person = make_organiser(campaign), make_user()
    _, token = people.invite(campaign=campaign, by=olga, role=role, max_uses=9)
    signed_in(person).post(link(token))
    remove(campaign, person, by=olga, role=role)
    assert signed_in(person).post(link(token)).status_code == 404
    assert not person.memberships.exists()


def test_a_removed_member_does_not_come_back_nor_by_a_team_of_their_own() -> None:
    campaign = make_campaign()
    olga, alice, bob = make_organiser(campaign), make_user(), make_user()
    team = make_run(campaign, make_team(campaign, alice)).team
    _, used = people.invite(campaign=campaign, by=alice, role="participant", team=team)
    signed_in(bob).post(link(used))
    _, own = people.invite(campaign=campaign, by=bob, role="participant", team=team)
    _, second = people.invite(campaign=campaign, by=alice, role="participant", team=team)
    remove(campaign, bob, by=olga, role="participant")
    answers = [signed_in(bob).post(link(token)).status_code for token in (used, own, second)]
    assert answers == [404, 404, 400]
    assert not bob.memberships.exists()
    signed_in(bob).post(url_of("team", campaign), {"name": "Own"})
    viewer = access.viewer_or_404(bob, campaign.slug)
    assert (viewer.team, viewer.pending_team is not None) == (None, True)


def test_a_removed_member_without_runs_waits_for_approval_too() -> None:
    campaign = make_campaign()
    olga, alice, bob = make_organiser(campaign), make_user(), make_user()
    make_team(campaign, alice, bob)
    remove(campaign, bob, by=olga, role="participant")
    assert people.create_own_team(campaign=campaign, person=bob, name="Own").approved_at is None


def test_leaving_is_not_removal() -> None:
    campaign = make_campaign()
    olga, oscar, alice, bob = (make_user() for _ in range(4))
    make_organiser(campaign, olga), make_organiser(campaign, oscar)
    invitation, token = people.invite(campaign=campaign, by=oscar, role="organiser", max_uses=2)
    mine = campaign.memberships.get(person=oscar)
    people.remove_role(membership=mine, actor=oscar)
    assert signed_in(oscar).post(link(token)).status_code == 302
    team = make_team(campaign, alice)
    _, into = people.invite(campaign=campaign, by=alice, role="participant", team=team)
    signed_in(bob).post(link(into))
    signed_in(bob).post(url_of("team-leave", campaign))
    assert signed_in(bob).post(link(into)).status_code == 302
    invitation.refresh_from_db()
    assert invitation.revoked_at is None


def test_removal_revokes_nothing_of_other_campaigns_and_of_other_people() -> None:
    campaign, other = make_campaign(), make_campaign()
    olga, oscar = make_organiser(campaign), make_user()
    make_organiser(campaign, oscar), make_organiser(other, oscar)
    people.invite(campaign=other, by=oscar, role="reader")
    people.invite(campaign=campaign, by=olga, role="reader")
    people.invite(campaign=campaign, by=oscar, role="reader")
    remove(campaign, oscar, by=olga, role="organiser")
    revoked = Invitation.objects.exclude(revoked_at=None)
    assert [(each.campaign, each.created_by) for each in revoked] == [(campaign, oscar)]
    assert campaign.log.filter(verb="revoked invitation", actor=olga).count() == 1


def test_a_person_removed_a_moment_ago_cannot_create_a_link() -> None:
    """The page was looked up before the removal, the link is made after it."""
    campaign = make_campaign()
    olga, oscar, alice = make_organiser(campaign), make_organiser(campaign), make_user()
    team = make_team(campaign, alice, make_user())
    for person, role, into in ((oscar, "organiser", None), (alice, "participant", team)):
        people.remove_role(
            membership=Membership.objects.get(person=person, campaign=campaign), actor=olga
        )
        with pytest.raises(CannotInvite):
            people.invite(campaign=campaign, by=person, role=role, team=into)
    assert not campaign.invitations.exists()
