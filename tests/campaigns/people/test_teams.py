"""What becomes of teams: let in, renamed, left; and what they must accept."""

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns import access
from campaigns.errors import CannotChangeTeam, CannotJoin
from campaigns.models import Campaign, LogEntry, Membership, Team
from campaigns.people import membership, teams
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db


# --- approval -------------------------------------------------------------------------------------


def test_a_pending_team_may_do_nothing_until_it_is_approved() -> None:
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


def test_a_second_team_from_another_window_is_refused_in_words() -> None:
    campaign = make_campaign()
    alice = signed_in(make_user())
    for name in ("Alpha", "Beta"):
        page = alice.post(url_of("team", campaign), {"name": name}, follow=True).content.decode()
    assert "You are already in a team of this campaign." in page
    assert "Alpha" in page
    assert [team.name for team in campaign.teams.all()] == ["Alpha"]


def test_a_declined_team_leaves_nothing_behind() -> None:
    campaign = make_campaign(joining=Campaign.Joining.APPROVAL)
    alice, olga = make_user(), make_organiser(campaign)
    team = membership.create_own_team(campaign=campaign, person=alice, name="Alpha")
    signed_in(olga).post(url_of("team-decide", campaign, team.public_id, "decline"))
    assert not campaign.teams.exists()
    assert not Membership.objects.filter(person=alice).exists()
    membership.create_own_team(campaign=campaign, person=alice, name="Alpha again")


def test_an_approved_team_cannot_be_declined() -> None:
    team = make_team(make_campaign(), make_user())
    with pytest.raises(CannotChangeTeam):
        teams.decide_team(team=team, approve=False, actor=make_user())
    assert Team.objects.filter(pk=team.pk).exists()


def test_if_organisers_create_the_teams_nobody_else_can() -> None:
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


def test_creating_a_team_accepts_the_terms_that_were_shown() -> None:
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
    assert membership.has_accepted_terms(campaign, alice)


def test_changed_terms_must_be_accepted_again() -> None:
    campaign = make_campaign(terms="One.")
    alice = make_user()
    membership.create_own_team(campaign=campaign, person=alice, name="Alpha", accepts_terms=True)
    assert membership.has_accepted_terms(campaign, alice)
    Campaign.objects.filter(pk=campaign.pk).update(terms="Two.")
    campaign.refresh_from_db()
    assert not membership.has_accepted_terms(campaign, alice)
    page = signed_in(alice).get(url_of("team", campaign))
    assert "Two." in page.content.decode()
    said = {"digest": page.context["terms_form"]["digest"].value(), "accepts_terms": "on"}
    signed_in(alice).post(url_of("terms-accept", campaign), said)
    assert membership.has_accepted_terms(campaign, alice)


def test_an_invited_member_accepts_the_terms_too() -> None:
    campaign = make_campaign(terms="Be fair.")
    alice, bob = make_user(), make_user()
    team = make_team(campaign, alice)
    _, token = membership.invite(campaign=campaign, by=alice, role="participant", team=team)
    url = reverse("campaigns:invitation", args=[token])
    client = signed_in(bob)
    digest = client.get(url).context["form"]["digest"].value()
    client.post(url, {"digest": digest})
    assert not team.memberships.filter(person=bob).exists()
    client.post(url, {"digest": digest, "accepts_terms": "on"})
    assert team.memberships.filter(person=bob).exists()
    assert membership.has_accepted_terms(campaign, bob)
    assert not membership.has_accepted_terms(campaign, alice)  # each for themselves


# --- renaming and leaving -------------------------------------------------------------------------


def test_members_rename_their_team_and_the_log_knows_both_names() -> None:
    campaign = make_campaign(allows_anonymous_teams=True, runs_audience=1)
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
    team = membership.create_own_team(
        campaign=campaign, person=alice, name="Alpha", is_anonymous=True
    )
    assert not team.is_anonymous
    signed_in(alice).post(url_of("team-edit", campaign), {"name": "Alpha", "is_anonymous": "on"})
    team.refresh_from_db()
    assert not team.is_anonymous


def test_leaving_a_team_keeps_its_runs_and_gives_no_second_quota() -> None:
    campaign = make_campaign()
    alice = make_user()
    team = make_team(campaign, alice, make_user())
    run = make_run(campaign, team)
    signed_in(alice).post(url_of("team-leave", campaign))
    assert not team.memberships.filter(person=alice).exists()
    run.refresh_from_db()
    assert run.team == team
    # the open door is not open to one who left runs behind
    again = membership.create_own_team(campaign=campaign, person=alice, name="Second")
    assert again.approved_at is None


def test_leaving_a_team_without_runs_deletes_it_and_allows_a_new_one() -> None:
    campaign = make_campaign()
    alice = make_user()
    team = membership.create_own_team(campaign=campaign, person=alice, name="First")
    teams.leave(team=team, person=alice)
    assert not Team.objects.filter(pk=team.pk).exists()
    again = membership.create_own_team(campaign=campaign, person=alice, name="Second")
    assert again.approved_at is not None


def test_a_stranger_cannot_leave_what_they_are_not_in() -> None:
    campaign = make_campaign()
    team = make_team(campaign, make_user())
    assert signed_in(make_user()).post(url_of("team-leave", campaign)).status_code == 404
    assert team.memberships.count() == 1


def test_team_mates_without_names_know_each_other_by_the_beginning_of_the_address() -> None:
    campaign = make_campaign()
    alice, bob = make_user("alice@team.example"), make_user("bob@team.example", name="Bob")
    make_team(campaign, alice, bob)
    make_team(campaign, make_user("carol@other.example"))
    page = signed_in(bob).get(url_of("team", campaign)).content.decode()
    assert "alice@…" in page
    assert "alice@team.example" not in page
    assert "bob@" not in page
    assert "carol@other.example" not in page


def test_nothing_about_teams_changes_in_an_archived_campaign() -> None:
    campaign = make_campaign(joining=Campaign.Joining.OPEN, archived_at=timezone.now())
    team = make_team(campaign, make_user())
    actor = make_user()
    with pytest.raises(CannotJoin):
        membership.create_own_team(campaign=campaign, person=make_user(), name="Late")
    with pytest.raises(CannotChangeTeam):
        teams.disqualify_team(team=team, reason="no", actor=actor)
    with pytest.raises(CannotChangeTeam):
        teams.create_team(campaign=campaign, name="Late", actor=actor)


def test_no_team_is_created_in_a_campaign_that_was_archived_in_the_meantime() -> None:
    campaign = make_campaign()
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
    with pytest.raises(CannotChangeTeam):
        teams.create_team(campaign=campaign, name="Late", actor=make_user())
