"""What becomes of teams: let in, left, merged, disqualified; and by whom."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import access, people, teams
from campaigns.models import Campaign, LogEntry, Membership, Run, Team, User
from tests.crowd import crowd
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def url_of(name: str, campaign: Campaign, *args: object) -> str:
    return reverse(f"campaigns:{name}", args=[campaign.slug, *args])


# --- approval -------------------------------------------------------------------------------------


def test_a_team_that_waits_may_do_nothing_until_it_is_let_in() -> None:
    campaign = make_campaign(joining=Campaign.Joining.APPROVAL)
    alice, olga = make_user(), make_organiser(campaign)
    client = signed_in(alice)
    client.post(url_of("team", campaign), {"name": "Alpha"})
    team = campaign.teams.get()
    assert team.approved_at is None
    viewer = access.viewer_or_404(alice, campaign.slug)
    assert (viewer.team, viewer.pending_team) == (None, team)
    assert client.get(url_of("team", campaign)).status_code == 200
    assert client.post(url_of("team-invite", campaign)).status_code == 404
    assert client.post(url_of("team-edit", campaign), {"name": "Beta"}).status_code == 404
    decide = url_of("team-decide", campaign, team.public_id, "approve")
    assert client.post(decide).status_code == 404
    assert signed_in(olga).post(decide).status_code == 302
    assert access.viewer_or_404(alice, campaign.slug).team == team
    assert client.post(url_of("team-invite", campaign)).status_code == 200


def test_a_declined_team_is_as_if_it_had_never_asked() -> None:
    campaign = make_campaign(joining=Campaign.Joining.APPROVAL)
    alice, olga = make_user(), make_organiser(campaign)
    team = people.found_team(campaign=campaign, person=alice, name="Alpha")
    signed_in(olga).post(url_of("team-decide", campaign, team.public_id, "decline"))
    assert not campaign.teams.exists()
    assert not Membership.objects.filter(person=alice).exists()
    people.found_team(campaign=campaign, person=alice, name="Alpha again")


def test_a_team_that_was_let_in_is_not_declined() -> None:
    team = make_team(make_campaign(), make_user())
    with pytest.raises(teams.CannotChange):
        teams.decide_team(team=team, approve=False, actor=make_user())
    assert Team.objects.filter(pk=team.pk).exists()


def test_where_organisers_found_the_teams_nobody_else_does() -> None:
    campaign = make_campaign(joining=Campaign.Joining.INVITED)
    alice, olga = make_user(), make_organiser(campaign)
    page = signed_in(alice).get(url_of("team", campaign)).content.decode()
    assert 'name="name"' not in page
    signed_in(alice).post(url_of("team", campaign), {"name": "Alpha"})
    assert not campaign.teams.exists()
    made = signed_in(olga).post(url_of("team-create", campaign), {"name": "Alpha"})
    signed_in(alice).post(made.context["link"])
    assert access.viewer_or_404(alice, campaign.slug).team == campaign.teams.get()


# --- terms ----------------------------------------------------------------------------------------


def test_a_team_is_founded_by_accepting_the_terms_that_were_shown() -> None:
    campaign = make_campaign(terms="Be *fair*.")
    alice = make_user()
    client = signed_in(alice)
    page = client.get(url_of("team", campaign))
    assert "<em>fair</em>" in page.content.decode()
    digest = page.context["form"]["digest"].value()
    client.post(url_of("team", campaign), {"name": "Alpha", "digest": digest})
    assert not campaign.teams.exists()  # without the tick
    Campaign.objects.filter(pk=campaign.pk).update(terms="Pay us.")
    said = {"name": "Alpha", "digest": digest, "accepts_terms": "on"}
    again = client.post(url_of("team", campaign), said)
    assert "The terms have changed" in again.content.decode()
    assert not campaign.teams.exists()
    said["digest"] = again.context["form"]["digest"].value()
    client.post(url_of("team", campaign), said)
    campaign.refresh_from_db()
    assert people.has_accepted_terms(campaign, alice)


def test_changed_terms_are_asked_for_again() -> None:
    campaign = make_campaign(terms="One.")
    alice = make_user()
    people.found_team(campaign=campaign, person=alice, name="Alpha", accepts_terms=True)
    assert people.has_accepted_terms(campaign, alice)
    Campaign.objects.filter(pk=campaign.pk).update(terms="Two.")
    campaign.refresh_from_db()
    assert not people.has_accepted_terms(campaign, alice)
    page = signed_in(alice).get(url_of("team", campaign))
    assert "Two." in page.content.decode()
    said = {"digest": page.context["terms_form"]["digest"].value(), "accepts_terms": "on"}
    signed_in(alice).post(url_of("terms-accept", campaign), said)
    assert people.has_accepted_terms(campaign, alice)


def test_an_invited_member_accepts_the_terms_too() -> None:
    campaign = make_campaign(terms="Be fair.")
    alice, bob = make_user(), make_user()
    team = make_team(campaign, alice)
    _, token = people.invite(campaign=campaign, by=alice, role="participant", team=team)
    url = reverse("campaigns:invitation", args=[token])
    client = signed_in(bob)
    digest = client.get(url).context["form"]["digest"].value()
    client.post(url, {"digest": digest})
    assert not team.memberships.filter(person=bob).exists()
    client.post(url, {"digest": digest, "accepts_terms": "on"})
    assert team.memberships.filter(person=bob).exists()
    assert people.has_accepted_terms(campaign, bob)
    assert not people.has_accepted_terms(campaign, alice)  # each for themselves


# --- renaming and leaving -------------------------------------------------------------------------


def test_members_rename_their_team_and_the_log_knows_both_names() -> None:
    campaign = make_campaign(allows_anonymous_teams=True)
    alice = make_user()
    team = make_team(campaign, alice, name="Alpha")
    said = {"name": "Beta", "is_anonymous": "on", "shares_files": "on"}
    assert signed_in(alice).post(url_of("team-edit", campaign), said).status_code == 302
    team.refresh_from_db()
    assert (team.name, team.is_anonymous, team.shares_files) == ("Beta", True, True)
    entry = LogEntry.objects.get(verb="changed team")
    assert (entry.details["before"]["name"], entry.details["after"]["name"]) == ("Alpha", "Beta")


def test_nobody_hides_where_teams_are_not_anonymous() -> None:
    campaign = make_campaign()
    alice = make_user()
    team = people.found_team(campaign=campaign, person=alice, name="Alpha", is_anonymous=True)
    assert not team.is_anonymous
    signed_in(alice).post(url_of("team-edit", campaign), {"name": "Alpha", "is_anonymous": "on"})
    team.refresh_from_db()
    assert not team.is_anonymous


def test_who_leaves_leaves_the_runs_and_gets_no_second_quota() -> None:
    campaign = make_campaign()
    alice = make_user()
    team = make_team(campaign, alice, make_user())
    run = make_run(campaign, team)
    signed_in(alice).post(url_of("team-leave", campaign))
    assert not team.memberships.filter(person=alice).exists()
    run.refresh_from_db()
    assert run.team == team
    # the open door is not open to one who left runs behind
    again = people.found_team(campaign=campaign, person=alice, name="Second")
    assert again.approved_at is None


def test_who_leaves_a_team_without_runs_starts_anew_and_the_empty_team_goes() -> None:
    campaign = make_campaign()
    alice = make_user()
    team = people.found_team(campaign=campaign, person=alice, name="First")
    teams.leave(team=team, person=alice)
    assert not Team.objects.filter(pk=team.pk).exists()
    again = people.found_team(campaign=campaign, person=alice, name="Second")
    assert again.approved_at is not None


def test_a_stranger_cannot_leave_what_they_are_not_in() -> None:
    campaign = make_campaign()
    team = make_team(campaign, make_user())
    assert signed_in(make_user()).post(url_of("team-leave", campaign)).status_code == 404
    assert team.memberships.count() == 1


# --- merging --------------------------------------------------------------------------------------


def test_merged_teams_are_one_with_all_runs_and_members() -> None:
    campaign = make_campaign()
    alice, bob, olga = make_user(), make_user(), make_organiser(campaign)
    alpha, beta = make_team(campaign, alice, name="Alpha"), make_team(campaign, bob, name="Beta")
    Team.objects.filter(pk=alpha.pk).update(is_anonymous=True, shares_files=True)
    mine = make_run(campaign, alpha, tag="a", idempotency_key="same")
    yours = make_run(campaign, beta, tag="b", idempotency_key="same")
    url = url_of("team-decide", campaign, alpha.public_id, "merge")
    signed_in(olga).post(url, {"into": beta.public_id})
    assert list(campaign.teams.all()) == [beta]
    beta.refresh_from_db()
    assert set(beta.runs.all()) == {mine, yours}
    assert {m.person for m in beta.memberships.all()} == {alice, bob}
    # one was anonymous, so the whole is; one did not share, so the whole does not
    assert (beta.is_anonymous, beta.shares_files) == (True, False)
    assert beta.runs.get(idempotency_key="same") == yours
    assert LogEntry.objects.get(verb="merged").details["team"] == "Alpha"


def test_a_tag_that_both_have_refuses_the_whole_merge() -> None:
    campaign = make_campaign()
    alice, bob = make_user(), make_user()
    alpha, beta = make_team(campaign, alice), make_team(campaign, bob)
    common = [make_run(campaign, team, tag="both") for team in (alpha, beta)]
    other = make_run(campaign, alpha, tag="other")
    with pytest.raises(teams.CannotMerge, match="both"):
        teams.merge_teams(team=alpha, into=beta, actor=make_user())
    assert {run.team for run in Run.objects.filter(pk__in=[common[0].pk, other.pk])} == {alpha}
    assert alpha.memberships.get().person == alice
    Run.objects.filter(pk=common[0].pk).update(withdrawn_at=timezone.now())
    teams.merge_teams(team=alpha, into=beta, actor=make_user())
    assert beta.runs.count() == 3


def test_what_is_not_merged() -> None:
    campaign, elsewhere = make_campaign(), make_campaign()
    actor = make_user()
    alpha, beta = make_team(campaign, make_user()), make_team(campaign, make_user())
    with pytest.raises(teams.CannotMerge):
        teams.merge_teams(team=alpha, into=alpha, actor=actor)
    with pytest.raises(teams.CannotMerge):
        teams.merge_teams(team=alpha, into=make_team(elsewhere), actor=actor)
    teams.disqualify_team(team=beta, reason="copied", actor=actor)
    with pytest.raises(teams.CannotMerge):  # or a merge would wash the runs clean
        teams.merge_teams(team=beta, into=alpha, actor=actor)
    teams.reinstate_team(team=beta, actor=actor)
    teams.merge_teams(team=beta, into=alpha, actor=actor)
    with pytest.raises(teams.CannotChange, match="gone"):  # a second click
        teams.merge_teams(team=beta, into=alpha, actor=actor)


# --- disqualifying --------------------------------------------------------------------------------


def test_a_team_is_disqualified_for_a_reason_and_reinstated() -> None:
    campaign = make_campaign()
    alice, olga = make_user(), make_organiser(campaign)
    team = make_team(campaign, alice)
    run = make_run(campaign, team)
    url = url_of("team-decide", campaign, team.public_id, "disqualify")
    page = signed_in(olga).post(url, {"reason": " \n "}, follow=True).content.decode()
    assert "Say why" in page
    assert list(Run.objects.ranked()) == [run]
    signed_in(olga).post(url, {"reason": "trained on\nthe qrels"})
    team.refresh_from_db()
    assert team.disqualified_reason == "trained on the qrels"
    assert not Run.objects.ranked().exists()
    assert "trained on the qrels" in signed_in(alice).get(url_of("team", campaign)).content.decode()
    signed_in(olga).post(url_of("team-decide", campaign, team.public_id, "reinstate"))
    assert list(Run.objects.ranked()) == [run]


# --- roles ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["organiser", "assessor", "reader"])
def test_a_link_gives_the_role_it_was_made_for(role: str) -> None:
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


@pytest.mark.parametrize("role", ["participant", "owner", "Organiser"])
def test_no_link_is_made_for_other_roles(role: str) -> None:
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
    assert link.rsplit("/", 2)[-2] not in page.content.decode()  # the token is shown once
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
    with pytest.raises(people.CannotJoin):
        people.accept_invitation(invitation=found, person=bob)
    assert not bob.memberships.exists()


def test_the_last_organiser_stays() -> None:
    campaign = make_campaign()
    olga, oscar = make_organiser(campaign), make_organiser(campaign)
    hers, his = (campaign.memberships.get(person=person) for person in (olga, oscar))
    answer = signed_in(olga).post(url_of("role-remove", campaign, his.pk))
    assert answer.status_code == 302
    page = signed_in(olga).post(url_of("role-remove", campaign, hers.pk), follow=True)
    assert "last organiser" in page.content.decode()
    assert campaign.memberships.get().person == olga


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


def test_the_page_of_people_asks_as_often_for_many_as_for_few(
    django_assert_max_num_queries: object,
) -> None:
    campaign = make_campaign()
    olga = make_organiser(campaign)
    for _ in range(20):
        make_run(campaign, make_team(campaign, make_user(), make_user()))
        people.invite(campaign=campaign, by=olga, role="reader")
    client = signed_in(olga)
    with django_assert_max_num_queries(9):
        assert client.get(url_of("people", campaign)).status_code == 200


def test_nothing_about_teams_changes_in_an_archived_campaign() -> None:
    campaign = make_campaign(joining=Campaign.Joining.OPEN, archived_at=timezone.now())
    team = make_team(campaign, make_user())
    actor = make_user()
    with pytest.raises(people.CannotJoin):
        people.found_team(campaign=campaign, person=make_user(), name="Late")
    with pytest.raises(teams.CannotChange):
        teams.disqualify_team(team=team, reason="no", actor=actor)
    with pytest.raises(teams.CannotChange):
        teams.create_team(campaign=campaign, name="Late", actor=actor)


# --- many at once ---------------------------------------------------------------------------------


@pytest.mark.xdist_group("crowd")  # so many connections, one test at a time
@pytest.mark.django_db(transaction=True)
def test_of_fifty_clicks_at_once_on_two_teams_links_one_team_gets_the_person(
    tmp_path: Path,
) -> None:
    campaign = make_campaign()
    bob = make_user()
    found = [
        people.invite(campaign=campaign, by=bob, role="participant", team=make_team(campaign))[0]
        for _ in range(2)
    ]
    clicks = [
        partial(people.accept_invitation, invitation=found[number % 2], person=bob)
        for number in range(50)
    ]
    outcomes = crowd(clicks, tmp_path)
    # clicks on the link of the team that won say yes again; the others are refused
    assert sum(isinstance(outcome, Membership) for outcome in outcomes) == 25
    assert sum(isinstance(outcome, people.CannotJoin) for outcome in outcomes) == 25
    assert Membership.objects.filter(person=bob).count() == 1
    assert LogEntry.objects.filter(verb="joined").count() == 1


@pytest.mark.xdist_group("crowd")  # so many connections, one test at a time
@pytest.mark.django_db(transaction=True)
def test_of_two_organisers_who_remove_each_other_at_once_one_stays(tmp_path: Path) -> None:
    campaign = make_campaign()
    olga, oscar = make_organiser(campaign), make_organiser(campaign)
    hers, his = (campaign.memberships.get(person=person) for person in (olga, oscar))
    crowd(
        [
            partial(people.remove_role, membership=his, actor=olga),
            partial(people.remove_role, membership=hers, actor=oscar),
        ],
        tmp_path,
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
