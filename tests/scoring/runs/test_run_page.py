"""One run's page: what its team, the organisers and everybody else read of it."""

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Run, Team, User
from scoring.jobs.order import next_job
from scoring.models import Evaluation, Job
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)
from tests.scoring.leaderboard.test_board_page import SCORES, SHOWN

pytestmark = pytest.mark.django_db
STATES = [*Evaluation.State.values, None]


def page(run: Run, person: User | None = None, name: str = "run-detail", **query: str) -> str:
    client = Client()
    if person is not None:
        client.force_login(person)
    url = reverse(f"scoring:{name}", args=[run.campaign.slug, run.public_id])
    response = client.get(url, query)
    assert response.status_code == 200
    return response.content.decode()


def status(run: Run, person: User) -> str:
    client = Client()
    client.force_login(person)
    return client.get(reverse("api:run-detail", args=[run.campaign.slug, run.public_id])).json()[
        "status"
    ]


def with_evaluation(run: Run, state: str | None) -> None:
    Evaluation.objects.all().delete()
    if state is not None:
        make_scores(run, SCORES)
        Evaluation.objects.update(state=state)


def test_a_blind_team_cannot_tell_what_became_of_the_scoring() -> None:
    participant = make_user()
    campaign = make_campaign()
    make_qrels(campaign)
    run = make_run(campaign, make_team(campaign, participant))
    organiser = make_organiser(campaign)
    seen, told = set(), set()
    for state in STATES:
        with_evaluation(run, state)
        for name in ("run-status", "run-csv"):
            seen.add((name, page(run, participant, name)))
        assert status(run, participant) == "accepted"
        told.add(status(run, organiser))
    Campaign.objects.update(active_qrels=None)
    seen.add(("run-status", page(run, participant, "run-status")))
    assert len(seen) == 2
    assert told == {"scoring", "scored", "failed", "accepted"}
    Campaign.objects.update(active_qrels=campaign.qrels.get(), shows_own_scores=True)
    with_evaluation(run, "failed")
    assert status(run, participant) == "failed"


def test_the_queue_is_the_organisers_to_see() -> None:
    participant = make_user()
    campaign = make_campaign()
    run = make_run(
        campaign, make_team(campaign, participant), state=Run.State.WAITING, accepted_at=None
    )
    organiser = make_organiser(campaign)
    Job.objects.bulk_create(
        Job(
            campaign=campaign,
            kind=Job.Kind.CHECK,
            subject=subject,
            waiting_since=timezone.now(),
            rung_at=timezone.now(),
        )
        for subject in (run.pk + 1, run.pk + 2, run.pk)
    )
    assert "behind 2 others" in page(run, organiser)
    with time_machine.travel(timezone.now(), tick=False):  # it says how long the run has waited
        behind = page(run, participant, "run-status")
        Job.objects.exclude(subject=run.pk).delete()
        assert page(run, participant, "run-status") == behind
    assert "next in the queue" in page(run, organiser)


def test_jobs_of_a_lower_priority_are_not_before_an_upload_in_the_queue() -> None:
    campaign = make_campaign()
    run = make_run(campaign, make_team(campaign), state=Run.State.WAITING, accepted_at=None)
    analysis, check = (
        Job.objects.create(
            campaign=campaign,
            kind=kind,
            subject=run.pk,
            priority=priority,
            waiting_since=timezone.now(),
            rung_at=timezone.now(),
        )
        for kind, priority in (
            (Job.Kind.ANALYSE, Job.Priority.ANALYSIS),
            (Job.Kind.CHECK, Job.Priority.UPLOAD),
        )
    )
    organiser = make_organiser(campaign)
    assert next_job() == check.pk
    assert "next in the queue" in page(run, organiser)
    Job.objects.filter(pk=analysis.pk).update(state=Job.State.RUNNING)
    assert "behind 1 other" in page(run, organiser)


def test_everyone_sees_runs_on_the_leaderboard_and_only_the_team_its_file() -> None:
    participant = make_user()
    campaign = make_campaign(
        run_fields=[{"name": "index", "label": "Which index", "kind": "text"}], **SHOWN
    )
    make_qrels(campaign)
    run = make_run(
        campaign,
        make_team(campaign, participant),
        original_name="secret-path.txt",
        description="BM25 and luck",
        answers={"index": "lucene"},
        digest="ab" * 32,
    )
    make_scores(run, SCORES)
    public, own = page(run), page(run, participant)
    for text in ("BM25 and luck", "ab" * 32, "automatic", run.tag, run.team.name, "0.2500"):
        assert text in public
        assert text in own
    for text in ("secret-path.txt", "Which index", "lucene", "submitted", 'class="sheet"'):
        assert text not in public
        assert text in own


def test_a_disqualification_is_shown_with_its_reason() -> None:
    campaign = make_campaign(**SHOWN)
    make_qrels(campaign)
    run = make_run(
        campaign, disqualified_at=timezone.now(), disqualified_reason="tuned on the topics"
    )
    assert "tuned on the topics" in page(run)
    Run.objects.update(disqualified_at=None, disqualified_reason="")
    Team.objects.update(disqualified_at=timezone.now(), disqualified_reason="never paid")
    assert "never paid" in page(run)


def test_a_preview_shows_what_the_team_would_read_and_offers_no_act() -> None:
    participant = make_user()
    campaign = make_campaign()
    make_qrels(campaign)
    team = make_team(campaign, participant)
    run = make_run(campaign, team)
    make_scores(run, SCORES)
    organiser = make_organiser(campaign)
    assert '<table class="scores">' in page(run, organiser)
    blind = page(run, organiser, **{"as": team.public_id})
    assert "Scores appear here when the organisers publish" in blind
    assert "<form" not in blind[blind.index("<main") :]
    later = page(run, organiser, **{"as": team.public_id, "at": "published"})
    assert "<table" in later
    client = Client()
    client.force_login(organiser)
    url = reverse("scoring:run-detail", args=[campaign.slug, run.public_id])
    assert client.get(url, {"as": "public"}).status_code == 404


def test_a_run_waits_for_qrels_where_its_team_sees_scores_before_publication() -> None:
    participant = make_user()
    campaign = make_campaign(shows_own_scores=True)
    run = make_run(campaign, make_team(campaign, participant))
    assert "Scores appear here after the organisers have added qrels." in page(run, participant)


def test_runs_can_be_seen_where_scores_cannot() -> None:
    campaign = make_campaign(runs_audience=Audience.EVERYONE)
    make_qrels(campaign)
    run = make_run(campaign, description="how it was made")
    make_scores(run, SCORES)
    text = page(run)
    assert run.tag in text
    assert "Scores appear here when the organisers publish" in text
    assert "how it was made" not in text


def test_the_page_says_whether_the_run_was_pooled_to_those_who_see_the_leaderboard() -> None:
    participant = make_user()
    campaign = make_campaign(shows_own_scores=True)
    make_qrels(campaign, pool_depth=1_000)
    run = make_run(campaign, make_team(campaign, participant), is_pooled=True)
    assert "<dt>pooled</dt>" not in page(run, participant)
    Campaign.objects.update(**SHOWN)
    assert "<dt>pooled</dt><dd>yes, to depth 1,000</dd>" in page(run, participant)
    Run.objects.update(is_pooled=False)
    assert "<dt>pooled</dt><dd>no</dd>" in page(run)
