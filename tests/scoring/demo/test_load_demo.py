"""`load_demo`: three campaigns taken the way that everybody's runs take, once."""

import gzip
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.access import viewer_or_404
from campaigns.judging.adjudication import disputed_documents
from campaigns.judging.final_grades import final_grades_now
from campaigns.judging.tasks import left_by_campaign
from campaigns.models import Campaign, Document, Judgment, LogEntry, Plan, Qrels, Run, User
from campaigns.people import demo_accounts
from campaigns.people.demo_accounts import MOUNTAINS, REPORTS, TRAINS
from campaigns.trec.runs import read_run
from scoring.judging.progress import progress_of
from scoring.leaderboard.rows import leaderboard
from scoring.management.commands import load_demo
from scoring.management.commands.load_demo import ORGANISER, PARTICIPANT, PASSWORD
from scoring.models import Evaluation, Job
from scoring.results.options import chosen_measure

pytestmark = pytest.mark.django_db


@pytest.fixture
def load(settings, tmp_path: Path):
    settings.VAR_DIR = tmp_path

    def load() -> str:
        said = StringIO()
        call_command("load_demo", size="small", stdout=said)
        return said.getvalue()

    return load


COUNTED = (Campaign, Run, Qrels, User, Job, LogEntry, Plan, Judgment, Document)


def counts() -> dict[str, int]:
    return {m.__name__: m.objects.count() for m in COUNTED}


def test_the_published_campaign_has_a_board_with_real_residuals(load) -> None:
    load()
    viewer = viewer_or_404(User.objects.get(email=ORGANISER), REPORTS)
    assert viewer.campaign.stage == Campaign.Stage.PUBLISHED
    board = leaderboard(viewer, chosen_measure(viewer, "RBP(p=0.8)"))
    assert board.waiting_count == board.failed_count == 0
    assert len(board.rows) == viewer.campaign.runs.count() > 10
    assert board.topic_count == viewer.campaign.topics.count() - 1  # one has nothing relevant
    assert any(row.judged_at_10 < 1 for row in board.rows)
    pooled = set(viewer.campaign.runs.filter(is_pooled=True).values_list("tag", flat=True))
    inside = [row.residual for row in board.rows if row.name in pooled]
    outside = [row.residual for row in board.rows if row.name not in pooled]
    assert max(inside) < min(outside)


def test_the_open_campaign_is_scored_but_blind_and_takes_the_sample(load, tmp_path: Path) -> None:
    load()
    campaign = Campaign.objects.get(slug=TRAINS)
    assert campaign.stage == Campaign.Stage.OPEN
    assert not viewer_or_404(User.objects.get(email=PARTICIPANT), TRAINS).can_see_board
    evaluations = Evaluation.objects.filter(run__campaign=campaign)
    assert {e.state for e in evaluations} == {Evaluation.State.SCORED}
    sample = gzip.decompress((tmp_path / "sample-run.txt.gz").read_bytes())
    codes = list(campaign.topics.values_list("code", flat=True))
    parsed = read_run(sample, known_topics=codes, unknown_topics="refuse", max_depth=100)
    assert not campaign.runs.filter(tag=parsed.tag).exists()


def test_half_of_the_plan_is_judged_by_two_assessors_who_disagree(load) -> None:
    load()
    campaign = Campaign.objects.get(slug=MOUNTAINS)
    plan = campaign.plans.get()
    assert (campaign.stage, plan.method, plan.state) == ("judging", "B", "open")
    assert len(final_grades_now(campaign)) == plan.budget / 2
    progress = progress_of(plan)
    assert progress is not None
    assert len(progress.run_ids) == campaign.runs.count()
    assert all(progress.bounds.base.mean(axis=-1) > 0)
    assert all(progress.bounds.residual.mean(axis=-1) > 0)

    assert disputed_documents(campaign)
    assessors = [User.objects.get(email=each.email) for each in demo_accounts.ASSESSORS]
    assert {judgment.assessor for judgment in campaign.judgments.all()} == set(assessors)
    for assessor in assessors:
        assert left_by_campaign(assessor, [campaign.pk], timezone.now())[campaign.pk] > 5
    to_judge = set(plan.tasks.values_list("doc_id", flat=True))
    with_text = set(campaign.documents.exclude(text="").values_list("doc_id", flat=True))
    assert to_judge <= with_text


def test_loading_again_changes_nothing_and_says_the_same(load) -> None:
    said = load()
    before = counts()
    assert load() == said
    assert counts() == before
    assert PASSWORD in said


def test_what_an_interrupted_load_or_an_older_demo_left_out_is_added(load) -> None:
    with patch.object(load_demo, "_load_judged"):  # demos of before had no campaign in judging
        load()
    before = counts()
    campaign = Campaign.objects.get(slug=TRAINS)
    campaign.active_qrels = None
    campaign.save()
    Campaign.objects.filter(slug=REPORTS).update(stage="closed", published_at=None)
    load()
    assert Campaign.objects.get(slug=REPORTS).published_at is not None
    judged = Campaign.objects.get(slug=MOUNTAINS)
    assert counts()["Run"] == before["Run"] + judged.runs.count()
    assert len(final_grades_now(judged)) == judged.plans.get().budget / 2


def test_the_demo_people_can_log_in_with_a_password_and_with_a_click(load, settings) -> None:
    load()
    settings.DEMO_LOGINS = True
    for account in demo_accounts.ACCOUNTS:
        form = {"login": account.email, "password": PASSWORD}
        assert Client().post("/accounts/login/", form).status_code == 302
        client = Client()
        assert account.advice in client.get("/").content.decode()
        page = client.post(reverse("campaigns:demo-login", args=[account.key]), follow=True)
        assert page.status_code == 200
        assert page.redirect_chain == [(reverse(account.page, args=[account.slug]), 302)]
        assert page.context["user"].email == account.email


def test_a_served_site_never_gets_the_public_password(load, settings) -> None:
    settings.USES_SQLITE = False
    with pytest.raises(CommandError, match="--password"):
        load()
    assert not User.objects.exists()
