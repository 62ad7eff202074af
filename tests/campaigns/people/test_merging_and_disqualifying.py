"""Organisers merge teams and disqualify them."""

import pytest
from django.utils import timezone

from campaigns.errors import CannotChangeTeam, CannotMergeTeams
from campaigns.models import LogEntry, Run, Team
from campaigns.people import merging, teams
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.teamwork import signed_in, url_of

pytestmark = pytest.mark.django_db


# --- merging --------------------------------------------------------------------------------------


def test_merged_teams_are_one_with_all_runs_and_members() -> None:
    campaign = make_campaign()
    alice, bob, olga = make_user(), make_user(), make_organiser(campaign)
    alpha, beta = make_team(campaign, alice, name="Alpha"), make_team(campaign, bob, name="Beta")
    Team.objects.filter(pk=alpha.pk).update(is_anonymous=True, shares_files=True)
    mine = make_run(campaign, alpha, tag="a", idempotency_key="same")
    yours = make_run(campaign, beta, tag="b", idempotency_key="same")
    url = url_of("team-merge", campaign, alpha.public_id)
    shown = signed_in(olga).get(url, {"into": beta.public_id})
    assert campaign.teams.count() == 2  # looking does nothing
    assert "Merge Alpha into Beta" in shown.content.decode()
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
    with pytest.raises(CannotMergeTeams, match="both"):
        merging.merge_teams(team=alpha, into=beta, actor=make_user())
    assert {run.team for run in Run.objects.filter(pk__in=[common[0].pk, other.pk])} == {alpha}
    assert alpha.memberships.get().person == alice
    Run.objects.filter(pk=common[0].pk).update(withdrawn_at=timezone.now())
    merging.merge_teams(team=alpha, into=beta, actor=make_user())
    assert beta.runs.count() == 3


def test_the_effects_of_a_merge_are_shown_before_it() -> None:
    """By hand: 2 of Alpha's 3 files count, and Beta's one; the quota is 2."""
    campaign = make_campaign(run_quota=2)
    alice, olga = make_user(name="Alice"), make_organiser(campaign)
    alpha, beta = make_team(campaign, alice, name="Alpha"), make_team(campaign, name="Beta")
    Team.objects.filter(pk=beta.pk).update(is_anonymous=True)
    for tag, facts in (("a", {}), ("b", {}), ("c", {"withdrawn_at": timezone.now()})):
        make_run(campaign, alpha, tag=tag, **facts)
    make_run(campaign, beta, tag="d")
    outcome = merging.outcome_of(
        team=alpha, into=Team.objects.get(pk=beta.pk), moment=timezone.now()
    )
    assert (outcome.members, outcome.runs, outcome.runs_there) == ([alice], 3, 1)
    assert (outcome.used, outcome.limit, outcome.is_above_quota) == (3, 2, True)
    assert (outcome.is_anonymous, outcome.shares_files, outcome.obstacle) == (True, False, "")
    url = url_of("team-merge", campaign, alpha.public_id)
    page = signed_in(olga).get(url, {"into": beta.public_id}).content.decode()
    for said in ("Alice", "3 runs", "3 of 2", "anonymous"):
        assert said in page
    make_run(campaign, beta, tag="A")
    page = signed_in(olga).get(url, {"into": beta.public_id}).content.decode()
    assert "Both teams have a run named a" in page
    make_run(campaign, alpha, tag="Caf\xe9")
    make_run(campaign, beta, tag="cafe\u0301")
    page = signed_in(olga).get(url, {"into": beta.public_id}).content.decode()
    assert "Both teams have a run named Caf\xe9, a." in page
    assert "Merge teams</button>" not in page


def test_impossible_merges_are_refused() -> None:
    campaign, elsewhere = make_campaign(), make_campaign()
    actor = make_user()
    alpha, beta = make_team(campaign, make_user()), make_team(campaign, make_user())
    with pytest.raises(CannotMergeTeams):
        merging.merge_teams(team=alpha, into=alpha, actor=actor)
    with pytest.raises(CannotMergeTeams):
        merging.merge_teams(team=alpha, into=make_team(elsewhere), actor=actor)
    teams.disqualify_team(team=beta, reason="copied", actor=actor)
    with pytest.raises(CannotMergeTeams):  # or a merge would wash the runs clean
        merging.merge_teams(team=beta, into=alpha, actor=actor)
    teams.reinstate_team(team=beta, actor=actor)
    merging.merge_teams(team=beta, into=alpha, actor=actor)
    with pytest.raises(CannotChangeTeam, match="no longer exists"):  # a second click
        merging.merge_teams(team=beta, into=alpha, actor=actor)


# --- disqualifying --------------------------------------------------------------------------------


def test_a_team_is_disqualified_for_a_reason_and_reinstated() -> None:
    campaign = make_campaign()
    alice, olga = make_user(), make_organiser(campaign)
    team = make_team(campaign, alice)
    run = make_run(campaign, team)
    url = url_of("team-decide", campaign, team.public_id, "disqualify")
    page = signed_in(olga).post(url, {"reason": " \n "}, follow=True).content.decode()
    assert "Enter a reason" in page
    assert list(Run.objects.ranked()) == [run]
    signed_in(olga).post(url, {"reason": "trained on\nthe qrels"})
    team.refresh_from_db()
    assert team.disqualified_reason == "trained on the qrels"
    assert not Run.objects.ranked().exists()
    assert "trained on the qrels" in signed_in(alice).get(url_of("team", campaign)).content.decode()
    signed_in(olga).post(url_of("team-decide", campaign, team.public_id, "reinstate"))
    assert list(Run.objects.ranked()) == [run]
