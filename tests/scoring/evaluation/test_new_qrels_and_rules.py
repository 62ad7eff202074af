"""Qrels and rules that change: every run is scored anew, and old scores stay."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.urls import reverse

from campaigns import lifecycle
from campaigns.manage.forms import CampaignForm
from campaigns.models import Campaign, Run
from scoring.models import Evaluation, Score
from tests.flow_world import QRELS, World, perform_jobs, run_file, stored_files

pytestmark = pytest.mark.usefixtures("wake_ups")

OPENS = datetime(2026, 6, 1, tzinfo=UTC)
CLOSES = datetime(2026, 6, 30, 23, 59, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def evaluations_of(run: Run) -> list[Evaluation]:
    return list(run.evaluations.order_by("pk"))


def test_a_run_before_the_qrels_stays_accepted_and_is_scored_when_they_arrive(
    world: World,
) -> None:
    run = world.submitted_run(run_file())
    assert world.answer_on(run)["status"] == "accepted"
    assert "You do not need to do anything" in world.page_of(run)
    assert world.board() == []
    world.add_qrels()
    perform_jobs()
    assert world.answer_on(run, browser=world.organiser_client)["status"] == "scored"
    assert len(world.board()) == 1


def test_new_qrels_score_every_run_again_and_keep_the_old_scores(world: World) -> None:
    first_version = world.add_qrels()
    runs = [world.submitted_run(run_file(tag)) for tag in ("one", "two")]
    old = {score.pk: bytes(score.bases) for score in Score.objects.all()}
    second_version = world.add_qrels(QRELS + b"1 0 d3 1\n")
    perform_jobs()
    for run in runs:
        assert [e.qrels for e in evaluations_of(run)] == [first_version, second_version]
        assert {e.state for e in evaluations_of(run)} == {Evaluation.State.SCORED}
    for score in Score.objects.filter(pk__in=old):
        assert bytes(score.bases) == old.pop(score.pk)
    assert old == {}
    # d3 is relevant now, and nothing of topic 1 unjudged but its tail
    assert {row["base"] for row in world.board()} == {(0.5 + 0.125 + 0.25) / 2}


def test_the_manage_page_says_to_wait_while_runs_are_scored(world: World) -> None:
    world.submitted_run(run_file())
    lifecycle.close_submissions(campaign=world.campaign, actor=None)
    world.add_qrels()
    url = reverse("campaigns:campaign-manage", args=[world.campaign.slug])
    assert "wait until every run is scored" in world.organiser_client.get(url).content.decode()
    perform_jobs()
    told = world.organiser_client.get(url).content.decode()
    assert "then publish it" in told
    assert "wait until" not in told


def test_the_same_qrels_again_are_no_new_version(world: World) -> None:
    first = world.add_qrels()
    run = world.submitted_run(run_file())
    assert world.add_qrels() == first
    assert perform_jobs() == 0
    assert len(evaluations_of(run)) == 1


def test_qrels_with_a_grade_above_the_scale_change_nothing(world: World) -> None:
    url = reverse("campaigns:qrels-add", args=[world.campaign.slug])
    file = ContentFile(QRELS + b"1 0 d3 2\n", name="qrels")
    response = world.organiser_client.post(url, {"file": file, "note": ""})
    assert response.status_code == 400
    assert "above 1" in response.content.decode()
    assert stored_files("qrels") == []


def test_a_change_of_rel_scores_every_run_again(world: World) -> None:
    world.change(highest_grade=2)
    world.add_qrels(b"1 0 d1 1\n1 0 d2 2\n2 0 d2 2\n")
    run = world.submitted_run(run_file())
    assert world.board("AP")[0]["base"] == (1.0 + 0.5) / 2
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    campaign.rel = 2
    lifecycle.change_settings(campaign=campaign, fields=["rel"], actor=world.organiser)
    perform_jobs()
    assert [e.state for e in evaluations_of(run)] == [Evaluation.State.SCORED] * 2
    world.campaign.refresh_from_db()
    assert world.board("AP(rel=2)")[0]["base"] == 0.5


def test_settings_that_change_no_rule_score_nothing_again(world: World) -> None:
    world.add_qrels()
    world.submitted_run(run_file())
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    campaign.guidelines = "Be brief."
    lifecycle.change_settings(campaign=campaign, fields=["guidelines"], actor=world.organiser)
    assert perform_jobs() == 0


def test_settings_edited_in_a_stale_page_do_not_bring_old_qrels_back(world: World) -> None:
    world.add_qrels()
    stale = Campaign.objects.get(pk=world.campaign.pk)
    world.add_qrels(b"1 0 d1 0\n1 0 d2 1\n2 0 d2 1\n")
    stale.guidelines = "Be brief."
    lifecycle.change_settings(campaign=stale, fields=["guidelines"], actor=world.organiser)
    world.campaign.refresh_from_db()
    assert world.campaign.active_qrels.version == 2


def test_the_scale_cannot_shrink_below_the_grades_of_the_qrels(world: World) -> None:
    world.change(highest_grade=2)
    world.add_qrels(b"1 0 d1 1\n1 0 d2 2\n2 0 d2 2\n")
    world.campaign.refresh_from_db()
    form = CampaignForm(
        {"highest_grade": "1", "rel": "1"}, instance=world.campaign, person=AnonymousUser()
    )
    assert form.errors["highest_grade"] == ["The qrels have grade 2."]
