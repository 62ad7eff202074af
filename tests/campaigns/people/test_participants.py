"""When teams are created, and whose members are *participants* once submissions have closed."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import access, lifecycle
from campaigns.errors import CannotChangeTeam, CannotJoin
from campaigns.models import Audience, Campaign, Membership, Run, Team, User
from campaigns.models.showing import CLOSED
from campaigns.people import membership, merging, teams
from campaigns.people.accounts import create_token
from scoring.worker import perform_waiting_jobs
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)  # parameters are made long before tests run


def for_participants(**facts: object) -> Campaign:
    """An open campaign that shows participants, and nobody else, all that there is."""
    audiences = {switch: Audience.PARTICIPANTS for switch in CLOSED if switch.endswith("audience")}
    row = CLOSED | {switch: int(audience) for switch, audience in audiences.items()}
    table = {"draft": dict(CLOSED)} | dict.fromkeys(("open", "closed", "judging", "published"), row)
    campaign = make_campaign(stage_switches=table, **audiences | facts)
    give_file(make_qrels(campaign))
    return campaign


def sees(person: User, campaign: Campaign) -> set[int]:
    """What the board and the qrels answer this person, by page and by API."""
    client, slug = signed_in(person), campaign.slug
    urls = [
        reverse("api:qrels-file", args=[slug, 1]),
        reverse("api:leaderboard", args=[slug]),
        reverse("scoring:leaderboard-csv", args=[slug]),
        reverse("scoring:agreement-csv", args=[slug]),
    ]
    return {client.get(url).status_code for url in urls}


# --- who creates a team, and when -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "may"),
    [
        ({}, True),
        ({"opens_at": timezone.now() + DAY}, True),  # announced: teams form
        ({"closes_at": timezone.now() + DAY}, True),
        ({"closes_at": timezone.now() - HOUR}, False),  # nobody has pressed Close
        ({"closes_at": timezone.now() - HOUR, "grace_minutes": 600}, False),
        ({"stage": "draft", "is_accepting": False}, False),
        ({"stage": "closed", "is_accepting": False}, False),
        ({"stage": "closed", "is_accepting": False, "closes_at": timezone.now() + DAY}, False),
        ({"stage": "judging", "is_accepting": False}, False),
        ({"stage": "published", "is_accepting": False}, False),
    ],
)
def test_a_team_is_created_before_submissions_close(facts: dict[str, object], may: bool) -> None:
    campaign, person = make_campaign(**facts), make_user()
    url = url_of("team", campaign)
    if facts.get("stage") != "draft":  # nobody finds a draft
        page = signed_in(person).get(url).content.decode()
        assert ('name="name"' in page) == may
        answer = signed_in(person).post(url, {"name": "Late"})
        assert answer.status_code == (302 if may else 400)
    else:
        with pytest.raises(CannotJoin, match="not open"):
            membership.create_own_team(campaign=campaign, person=person, name="Early")
    assert campaign.teams.exists() == may


def test_a_page_read_before_the_close_creates_no_team_after_it() -> None:
    campaign = make_campaign()
    stale = Campaign.objects.get(pk=campaign.pk)
    lifecycle.close_submissions(campaign=campaign, actor=None)
    with pytest.raises(CannotJoin):
        membership.create_own_team(campaign=stale, person=make_user(), name="Late")


def test_an_organiser_creates_a_team_at_any_time_by_page_and_api() -> None:
    campaign = make_campaign(stage="judging", is_accepting=False)
    client = signed_in(make_organiser(campaign))
    client.post(url_of("team-create", campaign), {"name": "By page"})
    url = reverse("api:team-list", args=[campaign.slug])
    token = create_token(campaign.memberships.get().person)
    answer = Client().post(
        url,
        {"name": "By API"},
        content_type="application/json",
        headers={"Authorization": f"Token {token}"},
    )
    assert answer.status_code == 201
    assert {team.name for team in campaign.teams.all()} == {"By page", "By API"}


# --- who is a participant -------------------------------------------------------------------------


def test_a_stranger_who_comes_after_the_close_sees_neither_board_nor_qrels() -> None:
    """The attack: found a team in a campaign that is closed, and read what participants read."""
    campaign = for_participants()
    submitted = make_user()
    run = make_run(campaign, make_team(campaign, submitted))
    make_scores(run, {"AP": (0.5, 0.1)})
    lifecycle.close_submissions(campaign=campaign, actor=None)
    stranger = make_user()
    signed_in(stranger).post(url_of("team", campaign), {"name": "Late"})
    assert sees(submitted, campaign) == {200}
    assert sees(stranger, campaign) == {404}
    # Nor by a team that is there already, be it of an older release or of an organiser.
    make_team(campaign, stranger)
    assert sees(stranger, campaign) == {404}


def test_while_submissions_are_open_every_approved_team_participates() -> None:
    campaign = for_participants(closes_at=timezone.now() + HOUR)
    newcomer, waiting = make_user(), make_user()
    make_team(campaign, newcomer)
    pending = make_team(campaign, waiting)
    Team.objects.filter(pk=pending.pk).update(approved_at=None)
    assert sees(newcomer, campaign) == {200}
    assert sees(waiting, campaign) == {404}
    Campaign.objects.filter(pk=campaign.pk).update(closes_at=timezone.now() - HOUR)
    assert sees(newcomer, campaign) == {404}  # the date closes it, without anybody's doing
    Campaign.objects.filter(pk=campaign.pk).update(closes_at=timezone.now() + HOUR)
    assert sees(newcomer, campaign) == {200}  # opened again


NOW = timezone.now()


@pytest.mark.parametrize(
    ("facts", "counts"),
    [
        ({}, True),
        ({"is_late": True}, False),
        ({"withdrawn_at": NOW}, False),
        ({"disqualified_at": NOW, "disqualified_reason": "Tuned on the topics."}, False),
        ({"state": Run.State.REFUSED}, False),
        ({"state": Run.State.CHECKED}, False),  # its team never accepted it
    ],
)
def test_after_the_close_a_run_that_counts_makes_participants(
    facts: dict[str, object], counts: bool
) -> None:
    campaign = for_participants(stage="closed", is_accepting=False)
    member = make_user()
    make_run(campaign, make_team(campaign, member), **facts)
    viewer = access.viewer_or_404(member, campaign.slug)
    assert viewer.is_participant == counts
    assert (viewer.can_see_board, viewer.can_see_qrels) == (counts, counts)


def test_a_disqualified_team_is_no_participant_until_it_is_reinstated() -> None:
    campaign = for_participants(stage="closed", is_accepting=False)
    member, olga = make_user(), make_organiser(campaign)
    team = make_run(campaign, make_team(campaign, member)).team
    teams.disqualify_team(team=team, reason="Tuned on the topics.", actor=olga)
    assert not access.viewer_or_404(member, campaign.slug).is_participant
    teams.reinstate_team(team=team, actor=olga)
    assert access.viewer_or_404(member, campaign.slug).is_participant


def test_a_member_who_joins_a_team_that_submitted_is_a_participant() -> None:
    """After the close too: its members invite whom they trust with what they see."""
    campaign = for_participants()
    member, mate = make_user(), make_user()
    team = make_run(campaign, make_team(campaign, member)).team
    lifecycle.close_submissions(campaign=campaign, actor=None)
    invitation, _ = membership.invite(campaign=campaign, by=member, role="participant", team=team)
    membership.accept_invitation(invitation=invitation, person=mate)
    assert access.viewer_or_404(mate, campaign.slug).is_participant


def test_an_organiser_admits_a_team_and_revokes_it_by_page_and_api() -> None:
    campaign = for_participants(stage="published", is_accepting=False)
    olga, member = make_organiser(campaign), make_user()
    team = make_team(campaign, member)
    assert sees(member, campaign) == {404}
    signed_in(olga).post(url_of("team-decide", campaign, team.public_id, "admit"))
    assert sees(member, campaign) == {200}
    page = signed_in(olga).get(url_of("people", campaign)).content.decode()
    assert "Revoke admission" in page
    headers = {"Authorization": f"Token {create_token(olga)}"}
    revoke = reverse("api:team-revoke-admission", args=[campaign.slug, team.public_id])
    answers = [Client().post(revoke, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 409]
    assert (answers[0].json()["admitted_at"], answers[1].json()["code"]) == (None, "cannot_change")
    assert sees(member, campaign) == {404}
    admit = reverse("api:team-admit", args=[campaign.slug, team.public_id])
    assert Client().post(admit, headers=headers).json()["admitted_at"] is not None
    assert [entry.verb for entry in campaign.log.all()[:3]] == [
        "admitted", "revoked admission", "admitted",
    ]  # fmt: skip


def test_a_team_that_waits_is_not_admitted() -> None:
    campaign = for_participants(stage="closed", is_accepting=False)
    team = make_team(campaign)
    Team.objects.filter(pk=team.pk).update(approved_at=None)
    with pytest.raises(CannotChangeTeam, match="Approve it first"):
        teams.admit_team(team=team, admit=True, actor=make_organiser(campaign))


def test_a_merged_team_keeps_runs_and_admission() -> None:
    campaign = for_participants(stage="closed", is_accepting=False)
    olga, alice, bob = make_organiser(campaign), make_user(), make_user()
    admitted, plain = make_team(campaign, alice), make_team(campaign, bob)
    teams.admit_team(team=admitted, admit=True, actor=olga)
    merging.merge_teams(team=admitted, into=plain, actor=olga)
    assert all(access.viewer_or_404(who, campaign.slug).is_participant for who in (alice, bob))


def test_a_preview_shows_what_that_team_would_get() -> None:
    campaign = for_participants()
    olga, team = make_organiser(campaign), make_team(campaign)
    for stage, sees_it in (("open", True), ("closed", False)):
        params = {"as": team.public_id, "at": stage}
        viewer = access.viewer_or_404(olga, campaign.slug, params=params)
        assert viewer.can_see_board == sees_it


def test_only_participants_are_emailed_about_a_leaderboard_for_participants() -> None:
    campaign = for_participants(stage="judging", is_accepting=False)
    submitted, idle = make_user(), make_user()
    make_run(campaign, make_team(campaign, submitted))
    make_team(campaign, idle)
    lifecycle.publish(campaign=campaign, actor=None)
    perform_waiting_jobs(campaign)
    assert [to for message in mail.outbox for to in message.to] == [submitted.email]


# --- a team, or a role that judges or reads -------------------------------------------------------


@pytest.mark.parametrize("role", ["assessor", "reader"])
def test_assessors_and_readers_are_in_no_team(role: str) -> None:
    campaign, alice, person = make_campaign(), make_user(), make_user()
    team = make_team(campaign, alice)
    Membership.objects.create(campaign=campaign, person=person, role=role)
    answer = signed_in(person).post(url_of("team", campaign), {"name": "Own"})
    assert answer.status_code == 400
    assert f"the role {role}" in answer.content.decode() or "cannot be in a team" in (
        answer.content.decode()
    )
    _, token = membership.invite(campaign=campaign, by=alice, role="participant", team=team)
    joined = signed_in(person).post(reverse("campaigns:invitation", args=[token]))
    assert joined.status_code == 400
    assert f"the role {role} in this campaign, so you cannot join" in joined.content.decode()
    overview = signed_in(person).get(url_of("campaign-detail", campaign)).content.decode()
    assert "Take part" not in overview
    assert not person.memberships.filter(role="participant").exists()


@pytest.mark.parametrize("role", ["assessor", "reader"])
def test_a_member_of_a_team_cannot_become_an_assessor_or_a_reader(role: str) -> None:
    campaign, member = make_campaign(), make_user()
    make_team(campaign, member, name="Alpha")
    _, token = membership.invite(campaign=campaign, by=make_organiser(campaign), role=role)
    page = signed_in(member).post(reverse("campaigns:invitation", args=[token]))
    assert page.status_code == 400
    assert "You are a member of the team Alpha" in page.content.decode()
    assert not member.memberships.filter(role=role).exists()


def test_organisers_see_who_was_in_a_team_or_is() -> None:
    """An organiser may be in a team, and one may leave a team and judge: the others see it."""
    campaign = make_campaign()
    olga, judge = make_organiser(campaign), make_user()
    make_team(campaign, olga, name="Own")
    team = make_run(campaign, make_team(campaign, judge, make_user(), name="Former")).team
    teams.leave(team=team, person=judge)
    invitation, _ = membership.invite(campaign=campaign, by=olga, role="assessor")
    membership.accept_invitation(invitation=invitation, person=judge)
    page = signed_in(olga).get(url_of("people", campaign)).content.decode()
    assert "was in the team Former" in page
    assert "in the team Own" in page
