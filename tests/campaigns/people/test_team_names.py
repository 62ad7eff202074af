"""Approved teams of a campaign have different names. Blind teams learn nothing of each other."""

from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaigns.errors import CannotChangeTeam, CannotJoin
from campaigns.models import Audience, Campaign, Membership, Team
from campaigns.people import membership as people
from campaigns.people import teams
from campaigns.people.forms import check_visible
from tests.crowd import crowd
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db

SAME = ["Alpha", "ALPHA", " alpha ", "Ａlpha", "ALPHa"]
OTHERS = ["Alpha 2", "Al pha", "Älpha"]
SEEN = {"runs_audience": 1}  # participants can see the teams


def own(campaign: Campaign, name: str, **facts: object) -> Team:
    return people.create_own_team(campaign=campaign, person=make_user(), name=name, **facts)


@pytest.mark.parametrize("name", SAME)
def test_a_name_is_taken_whatever_its_case_spaces_and_encoding(name: str) -> None:
    campaign = make_campaign(**SEEN)
    own(campaign, "Alpha")
    with pytest.raises(CannotJoin, match="Another team of this campaign has this name"):
        own(campaign, name)
    with pytest.raises(CannotChangeTeam, match="an approved team with this name: Alpha"):
        teams.create_team(campaign=campaign, name=name, actor=make_organiser(campaign))
    assert campaign.teams.count() == 1


@pytest.mark.parametrize("name", OTHERS)
def test_other_names_and_other_campaigns_are_free(name: str) -> None:
    campaign = make_campaign(**SEEN)
    own(make_campaign(), name)
    own(campaign, "Alpha")
    assert own(campaign, name).approved_at is not None


def test_a_team_that_awaits_approval_takes_no_name() -> None:
    campaign = make_campaign(joining="approval", **SEEN)
    first, second = own(campaign, "Alpha"), own(campaign, "Alpha")
    olga = make_organiser(campaign)
    teams.decide_team(team=first, approve=True, actor=olga)
    with pytest.raises(CannotChangeTeam, match="an approved team with this name"):
        teams.decide_team(team=second, approve=True, actor=olga)


def test_a_blind_team_with_a_taken_name_works_until_an_organiser_renames_it() -> None:
    campaign = make_campaign()
    own(campaign, "Alpha")
    own(campaign, "Beta")
    olga, bob = signed_in(make_organiser(campaign)), make_user()
    signed_in(bob).post(url_of("team", campaign), {"name": "alpha"})
    team = campaign.teams.get(name="alpha")
    assert team.approved_at is not None
    page = olga.get(url_of("campaign-manage", campaign)).content.decode()
    assert "Several teams have the same name: Alpha, alpha." in page
    response = olga.get(url_of("people", campaign))
    assert response.content.decode().count(">same name</span>") == 2
    rename = url_of("team-decide", campaign, team.public_id, "rename")
    refused = olga.post(rename, {"name": "ALPHA"}, follow=True).content.decode()
    assert "an approved team with this name: Alpha" in refused
    olga.post(rename, {"name": "Alpha of Bob"})
    for page in ("campaign-manage", "people"):
        assert "same name" not in olga.get(url_of(page, campaign)).content.decode()


def test_an_organiser_chooses_among_teams_of_one_name_by_their_members() -> None:
    campaign = make_campaign()
    first = make_team(campaign, make_user(name="Ada"), make_user(name="Bob"), name="Alpha")
    second, other = (make_team(campaign, name=name) for name in ("ALPHA", "Beta"))
    campaign.memberships.create(person=make_user(), role=Membership.Role.PARTICIPANT)
    olga = signed_in(make_organiser(campaign))
    for page in (
        url_of("people", campaign),
        url_of("run-create", campaign),
        url_of("team-merge", campaign, other.public_id),
    ):
        shown = olga.get(page).content.decode()
        assert f'<option value="{first.public_id}">Alpha (Ada, Bob)</option>' in shown
        assert f'<option value="{second.public_id}">ALPHA (no members)</option>' in shown
        is_listed = f'<option value="{other.public_id}">Beta</option>' in shown
        assert is_listed == ("merge" not in page)


def test_a_blind_team_that_awaits_approval_is_approved_under_another_name() -> None:
    campaign = make_campaign(joining="approval")
    make_team(campaign, name="Alpha")
    waiting = own(campaign, "alpha")
    olga = signed_in(make_organiser(campaign))
    page = olga.get(url_of("people", campaign)).content.decode()
    assert "An approved team has this name." in page
    approve = url_of("team-decide", campaign, waiting.public_id, "approve")
    refused = olga.post(approve, {"name": "ALPHA"}, follow=True).content.decode()
    assert "an approved team with this name: Alpha" in refused
    assert "was not renamed" in olga.post(approve, {"name": " "}).content.decode()
    olga.post(approve, {"name": "Alpha of Bob"})
    waiting.refresh_from_db()
    assert waiting.name == "Alpha of Bob"
    assert waiting.approved_at is not None


def test_a_name_of_a_visible_team_is_taken_also_if_an_anonymous_team_has_it() -> None:
    campaign = make_campaign(allows_anonymous_teams=True, **SEEN)
    own(campaign, "Alpha", is_anonymous=True)
    own(campaign, "Alpha")
    with pytest.raises(CannotJoin, match="Another team of this campaign has this name"):
        own(campaign, "Alpha")


def test_a_team_stays_anonymous_while_a_visible_team_has_its_name() -> None:
    campaign = make_campaign(allows_anonymous_teams=True, **SEEN)
    ada = make_user()
    hidden = people.create_own_team(campaign=campaign, person=ada, name="Alpha", is_anonymous=True)
    own(campaign, "Alpha")
    edit = url_of("team-edit", campaign)
    page = signed_in(ada).post(edit, {"name": "Alpha"}, follow=True).content.decode()
    hidden.refresh_from_db()
    assert hidden.is_anonymous
    assert "Another team of this campaign has this name" in page
    signed_in(ada).post(edit, {"name": "Beta"})
    hidden.refresh_from_db()
    assert (hidden.name, hidden.is_anonymous) == ("Beta", False)


@pytest.mark.parametrize("name", ["Beta", "Alpha"])
def test_a_blind_team_gets_the_same_answer_to_every_new_name(name: str) -> None:
    campaign = make_campaign()
    own(campaign, "Alpha")
    olga, bob = make_organiser(campaign), make_user()
    team = make_team(campaign, bob, name="Gamma")
    client = signed_in(bob)
    page = client.post(url_of("team-edit", campaign), {"name": name}, follow=True)
    team.refresh_from_db()
    assert (team.name, team.proposed_name) == ("Gamma", name)
    text = page.content.decode()
    assert f"An organiser must approve the new name {name}." in text
    assert page.context["edit_form"]["name"].value() == name
    shown = signed_in(olga).get(url_of("people", campaign)).content.decode()
    assert f"wants the name {name}" in shown
    rename = url_of("team-decide", campaign, team.public_id, "rename")
    page = signed_in(olga).post(rename, {"name": name}, follow=True).content.decode()
    team.refresh_from_db()
    assert team.name == ("Beta" if name == "Beta" else "Gamma")
    assert ("an approved team with this name: Alpha" in page) == (name == "Alpha")
    client.post(url_of("team-edit", campaign), {"name": team.name})  # withdraws what is left
    team.refresh_from_db()
    assert team.proposed_name == ""
    assert not mail.outbox  # workers send what was stored
    assert campaign.notices.get().subject.endswith("Gamma asks for another name")


def test_where_teams_see_each_other_a_rename_is_refused_or_done_at_once() -> None:
    campaign = make_campaign(**SEEN)
    own(campaign, "Alpha")
    bob = make_user()
    team = make_team(campaign, bob, name="Gamma")
    edit = url_of("team-edit", campaign)
    page = signed_in(bob).post(edit, {"name": "ALPHA"}, follow=True).content.decode()
    assert "Another team of this campaign has this name" in page
    for name in ("GAMMA", "Delta"):  # its own name is free
        signed_in(bob).post(edit, {"name": name})
        team.refresh_from_db()
        assert (team.name, team.proposed_name) == (name, "")


def test_a_person_who_awaits_approval_learns_no_name_that_only_participants_see() -> None:
    campaign = make_campaign(joining="approval", **SEEN)
    make_team(campaign, name="Alpha")
    assert own(campaign, "Alpha").approved_at is None
    campaign.runs_audience = Audience.EVERYONE
    campaign.save()
    with pytest.raises(CannotJoin, match="Another team of this campaign has this name"):
        own(campaign, "Alpha")


def test_a_team_that_is_no_participant_any_more_learns_no_name() -> None:
    campaign = make_campaign(closes_at=timezone.now() - timedelta(days=1), **SEEN)
    make_team(campaign, name="Alpha")
    bob = make_user()
    team = make_team(campaign, bob, name="Gamma")
    edit = url_of("team-edit", campaign)
    page = signed_in(bob).post(edit, {"name": "Alpha"}, follow=True).content.decode()
    team.refresh_from_db()
    assert (team.name, team.proposed_name) == ("Gamma", "Alpha")
    assert "An organiser must approve the new name Alpha." in page
    make_run(campaign, team)
    page = signed_in(bob).post(edit, {"name": "Alpha"}, follow=True).content.decode()
    assert "Another team of this campaign has this name" in page


def test_older_duplicates_stay_as_they_are() -> None:
    campaign = make_campaign(**SEEN)
    bob = make_user()
    make_team(campaign, name="Alpha")
    team = make_team(campaign, bob, name="Alpha")
    signed_in(bob).post(url_of("team-edit", campaign), {"name": "Alpha", "shares_files": "on"})
    team.refresh_from_db()
    assert team.shares_files
    assert team.name == "Alpha"


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_teams_with_one_name_one_is_created(own_connections: None) -> None:
    campaign = make_campaign(**SEEN)
    acts = [
        partial(people.create_own_team, campaign=campaign, person=make_user(), name="Alpha")
        for _ in range(10)
    ]
    outcomes = crowd(acts)
    assert sum(isinstance(outcome, Team) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, CannotJoin) for outcome in outcomes) == 9


@pytest.mark.parametrize("name", ["\u3164", "Fenn\u115fmark", "\u2800\u2800", "\u200b", "--"])
def test_a_name_is_visible(name: str) -> None:
    with pytest.raises(ValidationError, match="visible characters"):
        check_visible(name)


def test_a_name_is_stored_in_one_encoding() -> None:
    campaign = make_campaign(**SEEN)
    alice = make_user()
    client = signed_in(alice)
    client.post(url_of("team", campaign), {"name": "Cafe\u0301"})
    team = campaign.teams.get()
    assert team.name == "Caf\xe9"
    client.post(url_of("team-edit", campaign), {"name": "The\u0301"})
    team.refresh_from_db()
    assert team.name == "Th\xe9"
    with pytest.raises(CannotJoin, match="has this name"):
        own(campaign, "the\u0301")


def test_a_name_that_an_older_release_stored_needs_no_approval_in_another_encoding() -> None:
    campaign = make_campaign()
    alice = make_user()
    team = make_team(campaign, alice, name="Cafe\u0301")
    signed_in(alice).post(url_of("team-edit", campaign), {"name": "Cafe\u0301"})
    team.refresh_from_db()
    assert (team.name, team.proposed_name) == ("Caf\xe9", "")
