"""Organisers, assessors and readers: made by a link, removed, and never without the last one."""

from datetime import timedelta
from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns import access
from campaigns.errors import CannotJoin
from campaigns.models import LogEntry, Membership
from campaigns.people import membership as people
from tests.crowd import crowd
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db


# --- roles ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["organiser", "assessor", "reader"])
def test_a_link_gives_its_role(role: str) -> None:
    campaign = make_campaign(is_private=True)
    olga, bob = make_organiser(campaign), make_user()
    overview = url_of("campaign-detail", campaign)
    assert signed_in(bob).get(overview).status_code == 404
    link = signed_in(olga).post(url_of("role-invite", campaign, role)).context["link"]
    assert signed_in(bob).get(link).status_code == 200
    signed_in(bob).post(link)
    assert access.viewer_or_404(bob, campaign.slug).roles == {role}
    manage = signed_in(bob).get(url_of("people", campaign)).status_code
    assert manage == (200 if role == "organiser" else 404)


@pytest.mark.parametrize("role", ["owner", "Organiser"])
def test_no_link_can_be_created_for_other_roles(role: str) -> None:
    campaign = make_campaign()
    olga = make_organiser(campaign)
    assert signed_in(olga).post(url_of("role-invite", campaign, role)).status_code == 404
    assert not campaign.invitations.exists()


def test_pending_links_are_listed_and_revoked() -> None:
    campaign, other = make_campaign(), make_campaign()
    olga, oscar = make_organiser(campaign), make_organiser(other)
    link = signed_in(olga).post(url_of("role-invite", campaign, "reader")).context["link"]
    invitation = campaign.invitations.get()
    page = signed_in(olga).get(url_of("people", campaign))
    assert list(page.context["links"]) == [invitation]
    assert link.rsplit("/", 2)[-2] not in page.content.decode()
    theirs = url_of("invitation-revoke", other, invitation.pk)
    assert signed_in(oscar).post(theirs).status_code == 404
    signed_in(olga).post(url_of("invitation-revoke", campaign, invitation.pk))
    assert signed_in(make_user()).get(link).status_code == 404
    assert not signed_in(olga).get(url_of("people", campaign)).context["links"]


def test_a_link_revoked_between_the_look_and_the_click_gives_nothing() -> None:
    campaign = make_campaign()
    bob = make_user()
    _, token = people.invite(campaign=campaign, by=make_organiser(campaign), role="organiser")
    found = people.find_invitation(token)
    assert found is not None
    people.revoke(found)
    with pytest.raises(CannotJoin):
        people.accept_invitation(invitation=found, person=bob)
    assert not bob.memberships.exists()


def test_the_last_organiser_stays() -> None:
    campaign = make_campaign()
    olga, oscar = make_organiser(campaign), make_organiser(campaign)
    hers, his = (campaign.memberships.get(person=person) for person in (olga, oscar))
    answer = signed_in(olga).post(url_of("role-remove", campaign, his.pk))
    assert answer.status_code == 302
    page = signed_in(olga).post(url_of("role-remove", campaign, hers.pk), follow=True)
    assert "only organiser" in page.content.decode()
    assert campaign.memberships.get().person == olga


def test_nobody_is_removed_from_an_archived_campaign() -> None:
    campaign = make_campaign(archived_at=timezone.now(), stage="published", is_accepting=False)
    client = signed_in(make_organiser(campaign))
    reader = Membership.objects.create(campaign=campaign, person=make_user(), role="reader")
    page = client.post(url_of("role-remove", campaign, reader.pk), follow=True)
    assert "The campaign is archived" in page.content.decode()
    assert Membership.objects.filter(pk=reader.pk).exists()


def test_after_a_second_click_the_page_says_that_team_or_role_no_longer_exists() -> None:
    campaign = make_campaign()
    client = signed_in(make_organiser(campaign))
    waiting, going, staying = (make_team(campaign, make_user()) for _ in range(3))
    type(waiting).objects.exclude(pk=waiting.pk).update(approved_at=timezone.now())
    type(waiting).objects.filter(pk=waiting.pk).update(approved_at=None)
    reader = Membership.objects.create(campaign=campaign, person=make_user(), role="reader")
    clicks = [
        (url_of("team-decide", campaign, waiting.public_id, "decline"), {}),
        (url_of("team-merge", campaign, going.public_id), {"into": staying.public_id}),
        (url_of("role-remove", campaign, reader.pk), {}),
    ]
    for url, data in clicks:
        assert client.post(url, data).status_code == 302
        again = client.post(url, data)
        assert again.status_code == 404
        assert "People and teams" in again.content.decode()
        text = again.content.decode()
        assert "no longer exists" in text or "already removed" in text
    assert list(campaign.teams.all()) == [staying]


def test_a_removed_member_no_longer_sees_the_teams_runs() -> None:
    campaign = make_campaign()
    olga, alice = make_organiser(campaign), make_user()
    run = make_run(campaign, make_team(campaign, alice))
    url = reverse("scoring:run-detail", args=[campaign.slug, run.public_id])
    assert signed_in(alice).get(url).status_code == 200
    membership = campaign.memberships.get(person=alice)
    signed_in(olga).post(url_of("role-remove", campaign, membership.pk))
    assert signed_in(alice).get(url).status_code == 404


def test_another_campaigns_organiser_touches_no_team_or_role_here() -> None:
    campaign, other = make_campaign(), make_campaign()
    oscar = make_organiser(other)
    team = make_team(campaign, make_user())
    membership = team.memberships.get()
    client = signed_in(oscar)
    for act in ("approve", "decline", "disqualify", "reinstate", "merge"):
        assert client.post(url_of("team-decide", other, team.public_id, act)).status_code == 404
    assert client.post(url_of("team-link", other, team.public_id)).status_code == 404
    assert client.post(url_of("role-remove", other, membership.pk)).status_code == 404
    assert team.memberships.exists()


def test_the_page_of_people_runs_the_same_number_of_queries_for_many_people(
    django_assert_max_num_queries: object,
) -> None:
    campaign = make_campaign()
    olga = make_organiser(campaign)
    for _ in range(20):
        make_run(campaign, make_team(campaign, make_user(), make_user()))
        people.invite(campaign=campaign, by=olga, role="reader")
        people.invite(campaign=campaign, by=olga, role="reader", email="ann@example.org")
    client = signed_in(olga)
    with django_assert_max_num_queries(10):
        assert client.get(url_of("people", campaign)).status_code == 200


# --- many at once ---------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_fifty_simultaneous_clicks_on_links_of_two_teams_join_one_team(
    own_connections: None,
) -> None:
    campaign = make_campaign()
    bob, olga = make_user(), make_organiser(campaign)
    found = [
        people.invite(campaign=campaign, by=olga, role="participant", team=make_team(campaign))[0]
        for _ in range(2)
    ]
    clicks = [
        partial(people.accept_invitation, invitation=found[number % 2], person=bob)
        for number in range(50)
    ]
    outcomes = crowd(clicks)
    # clicks on the link of the team that won say yes again; the others are refused
    assert sum(isinstance(outcome, Membership) for outcome in outcomes) == 25
    assert sum(isinstance(outcome, CannotJoin) for outcome in outcomes) == 25
    assert Membership.objects.filter(person=bob).count() == 1
    assert LogEntry.objects.filter(verb="joined").count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_organisers_cannot_remove_each_other_at_once(own_connections: None) -> None:
    campaign = make_campaign()
    olga, oscar = make_organiser(campaign), make_organiser(campaign)
    hers, his = (campaign.memberships.get(person=person) for person in (olga, oscar))
    crowd(
        [
            partial(people.remove_role, membership=his, actor=olga),
            partial(people.remove_role, membership=hers, actor=oscar),
        ]
    )
    assert campaign.memberships.filter(role="organiser").count() == 1


def test_a_link_that_expires_is_no_longer_listed() -> None:
    campaign = make_campaign()
    olga = make_organiser(campaign)
    invitation, _ = people.invite(campaign=campaign, by=olga, role="reader")
    campaign.invitations.filter(pk=invitation.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert not signed_in(olga).get(url_of("people", campaign)).context["links"]
