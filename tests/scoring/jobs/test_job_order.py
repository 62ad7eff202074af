"""Which job a worker claims when it is woken: uploads first, teams in turn, few analyses."""

from datetime import timedelta

import pytest
import time_machine
from django.conf import LazySettings
from django.db.models import F
from django.db.models.functions import Now

from campaigns.models import Campaign, Run, Team
from scoring import tasks
from scoring.evaluation.requests import request_evaluation, request_evaluations
from scoring.jobs import queue, tracing, workers
from scoring.jobs.housekeeping import sweep
from scoring.jobs.order import PRIORITY_SECONDS, next_job
from scoring.models import Job, Worker
from scoring.worker import perform, perform_waiting_jobs
from tests.crowd import crowd
from tests.making import make_campaign, make_qrels, make_run, make_team

pytestmark = pytest.mark.django_db

CHECK, ANALYSE, NOTIFY = Job.Kind.CHECK, Job.Kind.ANALYSE, Job.Kind.NOTIFY


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs that messages were sent for."""
    messages: list[int] = []
    monkeypatch.setattr(queue, "wake_worker", lambda job_id, kind: messages.append(job_id))
    return messages


def add(kind: Job.Kind, campaign: Campaign, count: int = 1, team: Team | None = None) -> list[int]:
    first = Job.objects.count() + 1
    return [
        queue.enqueue(kind, subject=subject, campaign_id=campaign.pk, team_id=team and team.pk).pk
        for subject in range(first, first + count)
    ]


def claimed() -> int:
    attempt = queue.claim_next()
    assert attempt is not None
    return attempt.job_id


def finished() -> int:
    attempt = queue.claim_next()
    assert attempt is not None
    queue.finish(attempt)
    return attempt.job_id


def use(job_id: int, seconds: float) -> None:
    """As if its attempt had taken so long."""
    begun = F("finished_at") - timedelta(seconds=seconds)
    Job.objects.filter(pk=job_id).update(claimed_at=begun)


def test_an_upload_is_checked_before_analyses_that_were_requested_earlier() -> None:
    campaign = make_campaign()
    add(ANALYSE, campaign, 233)
    (upload,) = add(CHECK, campaign, team=make_team(campaign))
    assert claimed() == upload


def test_a_mail_about_an_account_does_not_wait_for_all_uploads() -> None:
    campaign = make_campaign()
    add(CHECK, campaign, 9, make_team(campaign))
    use(finished(), 1)
    (mail,) = add(Job.Kind.MAIL, campaign)
    assert finished() == mail


@pytest.mark.parametrize(("kind", "levels"), [(NOTIFY, 1), (ANALYSE, 2)])
def test_work_of_no_team_gets_its_share_after_a_while_of_uploads(kind: str, levels: int) -> None:
    campaign = make_campaign()
    crowding = add(CHECK, campaign, 9, make_team(campaign))
    use(finished(), 60)
    first, second = add(Job.Kind(kind), campaign, 2)
    assert finished() == crowding[1]
    waited = timedelta(seconds=levels * PRIORITY_SECONDS + 1)
    Job.objects.filter(kind=kind).update(waiting_since=Now() - waited)
    assert finished() == first
    use(first, 100)  # more than the team has used
    assert finished() == crowding[2]
    assert second


def test_first_scores_come_with_the_uploads_and_scores_computed_again_after_them() -> None:
    campaign = make_campaign()
    run = make_run(campaign)
    make_qrels(campaign)
    request_evaluations(campaign)
    add(NOTIFY, campaign)
    assert set(Job.objects.values_list("priority", flat=True)) == {Job.Priority.NORMAL}
    new = make_run(campaign)
    request_evaluation(new)
    job = Job.objects.get(priority=Job.Priority.UPLOAD)
    assert (job.team, claimed()) == (new.team, job.pk)
    assert Job.objects.get(pk=claimed()).team == run.team


def test_a_team_that_uploads_once_waits_for_one_job_of_a_team_that_uploads_often() -> None:
    campaign = make_campaign()
    crowding = add(CHECK, campaign, 27, make_team(campaign))
    use(finished(), 1)
    (upload,) = add(CHECK, campaign, team=make_team(campaign))
    assert finished() == upload
    assert finished() == crowding[1]


def test_jobs_that_took_no_measurable_time_count_all_the_same() -> None:
    campaign = make_campaign()
    crowding = add(CHECK, campaign, 3, make_team(campaign))
    use(finished(), 0)
    (upload,) = add(CHECK, campaign, team=make_team(campaign))
    assert finished() == upload
    use(upload, 0)
    assert finished() == crowding[1]


def test_teams_have_equal_worker_time_and_not_equally_many_jobs() -> None:
    campaign = make_campaign()
    slow = add(CHECK, campaign, 3, make_team(campaign))
    quick = add(CHECK, campaign, 3, make_team(campaign))
    use(finished(), 40)
    done = [quick[0], quick[1], quick[2], slow[1]]
    for expected in done:
        assert finished() == expected
        use(expected, 1)


def test_a_team_with_a_running_job_comes_after_one_without() -> None:
    campaign = make_campaign()
    many, other = make_team(campaign), make_team(campaign)
    first = add(CHECK, campaign, 2, other)
    use(finished(), 30)  # the other team has used more
    crowding = add(CHECK, campaign, 2, many)
    assert claimed() == crowding[0]
    assert claimed() == first[1]


def test_time_used_long_ago_does_not_count() -> None:
    campaign = make_campaign()
    a = add(CHECK, campaign, 2, make_team(campaign))
    b = add(CHECK, campaign, 1, make_team(campaign))
    use(finished(), 5)
    Job.objects.filter(pk=a[0]).update(claimed_at=Now() - timedelta(hours=1))
    assert [claimed(), claimed()] == [a[1], b[0]]


def test_one_analysis_runs_at_a_time_and_the_next_gets_a_message_when_it_ends(
    sent: list[int], django_capture_on_commit_callbacks: object
) -> None:
    campaign = make_campaign()
    first, second, third = add(ANALYSE, campaign, 3)
    with queue.job_attempt() as attempt:
        assert attempt is not None
        assert attempt.job_id == first
        assert queue.claim_next() is None
        (upload,) = add(CHECK, campaign, team=make_team(campaign))
        assert claimed() == upload  # the other slot is free for it
        queue.finish(attempt)
    assert sent == [second]
    assert claimed() == second
    assert third


def test_many_analyses_of_one_campaign_delay_those_of_another_by_one() -> None:
    flood = add(ANALYSE, make_campaign(), 9)
    (other,) = add(ANALYSE, make_campaign())
    for expected in (flood[0], other, flood[1]):
        assert finished() == expected
        use(expected, 1)


def test_the_limit_of_analyses_is_that_of_all_campaigns_together() -> None:
    add(ANALYSE, make_campaign())
    add(ANALYSE, make_campaign())
    assert claimed()
    assert queue.claim_next() is None


def test_analyses_have_half_of_the_slots_of_all_workers() -> None:
    workers.report("first@host", 2)
    workers.report("second@host", 3)
    add(ANALYSE, make_campaign(), 3)
    assert claimed() != claimed()
    assert queue.claim_next() is None


def test_the_share_of_analyses_can_be_raised(settings: LazySettings) -> None:
    settings.ANALYSES_SHARE = 1
    workers.report("worker@host", 2)
    add(ANALYSE, make_campaign(), 3)
    assert claimed() != claimed()
    assert queue.claim_next() is None


def test_a_worker_that_reports_again_counts_once_and_one_that_stopped_does_not_count(
    settings: LazySettings,
) -> None:
    for _ in range(2):
        workers.report("first@host", 4)
    workers.report("second@host", 2)
    assert workers.slots() == 6
    silent = timedelta(seconds=4 * settings.SWEEP_SECONDS)
    Worker.objects.filter(name="first@host").update(seen_at=Now() - silent)
    assert workers.slots() == 2
    workers.report("second@host", 2)
    assert not Worker.objects.filter(name="first@host").exists()


def test_quick_analyses_do_not_wait_for_a_long_one() -> None:
    campaign = make_campaign()
    long, _ = (
        queue.enqueue(ANALYSE, subject=subject, campaign_id=campaign.pk, is_long=True)
        for subject in (1, 2)
    )
    assert claimed() == long.pk
    (quick,) = add(ANALYSE, campaign)
    assert claimed() == quick
    assert queue.claim_next() is None


@pytest.mark.parametrize(
    ("slots", "quick", "long"), [(0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 2, 1), (16, 8, 4)]
)
def test_the_slots_of_analyses(slots: int, quick: int, long: int) -> None:
    workers.report("worker@host", slots)
    assert workers.analyses_at_once(is_long=False) == quick
    assert workers.analyses_at_once(is_long=True) == long


@pytest.mark.django_db(transaction=True)
def test_workers_that_wake_at_once_claim_each_job_once(own_connections: None) -> None:
    campaign = make_campaign()
    analyses = add(ANALYSE, campaign, 3)
    checks = add(CHECK, campaign, 3, make_team(campaign))
    outcomes = crowd([claim_some] * 8)
    taken = [job_id for job_id in outcomes if job_id is not None]
    assert sorted(taken) == sorted([analyses[0], *checks])  # and no second analysis


def claim_some() -> int | None:
    attempt = queue.claim_next()
    return attempt.job_id if attempt else None


@pytest.mark.django_db(transaction=True)
def test_a_job_that_failed_is_not_tried_again_at_once(settings: LazySettings) -> None:
    campaign = make_campaign()
    run = make_run(campaign, state=Run.State.WAITING)
    job = queue.enqueue(CHECK, subject=run.pk, campaign_id=campaign.pk, team_id=run.team_id)
    with queue.job_attempt() as attempt:
        assert attempt is not None
        raise OSError("the store does not respond")
    assert next_job() is None
    Job.objects.update(due_at=Now())
    assert next_job() == job.pk


def test_a_job_whose_worker_died_is_tried_again_at_once() -> None:
    campaign = make_campaign()
    run = make_run(campaign, state=Run.State.WAITING)
    queue.enqueue(CHECK, subject=run.pk, campaign_id=campaign.pk, team_id=run.team_id)
    first = claimed()
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert next_job() == first
    sweep()
    assert claimed() == first


def test_a_message_performs_the_next_job_and_not_the_one_it_was_sent_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = make_campaign()
    (later,) = add(ANALYSE, campaign)
    (upload,) = add(CHECK, campaign, team=make_team(campaign))
    done: list[int] = []
    handlers = {CHECK: lambda attempt: done.append(attempt.job_id)}
    monkeypatch.setattr("scoring.worker.HANDLERS", handlers)
    tasks.perform_next(later)
    assert done == [upload]


def test_an_empty_queue_is_not_an_error() -> None:
    assert perform() == []


def test_the_choice_takes_two_queries_however_long_the_queue(
    django_assert_num_queries: object,
) -> None:
    campaign = make_campaign()
    for _ in range(3):
        add(CHECK, campaign, 10, make_team(campaign))
    with django_assert_num_queries(2):
        next_job()


def test_jobs_take_time_from_the_database_and_not_from_this_machine() -> None:
    campaign = make_campaign()
    with time_machine.travel("2031-01-01T00:00:00Z", tick=False):
        add(CHECK, campaign)
    early = Job.objects.filter(created_at__lte=Now(), waiting_since__lte=Now(), rung_at__lte=Now())
    assert early.count() == 1


def test_a_command_waits_for_the_jobs_that_workers_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise an import reports before other workers have finished, and counts too few runs."""
    campaign = make_campaign()
    theirs, ours = add(CHECK, campaign, 2, make_team(campaign))
    attempt = queue.claim(theirs)
    assert attempt is not None
    done: list[int] = []

    def check(mine: queue.JobAttempt) -> None:
        done.append(mine.job_id)
        queue.finish(mine)

    def the_worker_finishes(seconds: float) -> None:
        queue.finish(attempt)
        add(CHECK, campaign)  # its result creates another job

    monkeypatch.setattr("scoring.worker.HANDLERS", {CHECK: check})
    monkeypatch.setattr("scoring.worker.time.sleep", the_worker_finishes)
    assert perform_waiting_jobs(campaign) == 2
    assert set(Job.objects.values_list("state", flat=True)) == {Job.State.DONE}
    assert done[0] == ours


def test_the_log_lines_of_a_job_have_the_id_of_its_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def check(attempt: queue.JobAttempt) -> None:
        seen.append(tracing.request_id.get())
        queue.finish(attempt)

    monkeypatch.setattr("scoring.worker.HANDLERS", {CHECK: check})
    campaign = make_campaign()
    add(CHECK, campaign)
    with tracing.within_request("the-request-that-created-it"):
        add(CHECK, campaign)
    with tracing.within_request("another-that-woke-the-worker"):
        assert perform()
        assert perform()
        assert tracing.request_id.get() == "another-that-woke-the-worker"
    assert seen == ["-", "the-request-that-created-it"]


def test_large_files_count_as_long_analyses() -> None:
    """Each takes a minute: two of them would occupy a small site."""
    Worker.objects.create(name="w", slots=4, seen_at=Now())
    campaign = make_campaign()
    files = [
        queue.enqueue(Job.Kind.READ, subject=n, campaign_id=campaign.pk, is_long=True).pk
        for n in (1, 2)
    ]
    quick = add(ANALYSE, campaign, 2)
    assert [claimed() for _ in range(3)] == [files[0], *quick]
    assert queue.claim_next() is None
    (upload,) = add(CHECK, campaign, team=make_team(campaign))
    assert claimed() == upload


def test_a_file_that_was_read_wakes_a_worker_for_the_next(sent: list[int]) -> None:
    campaign = make_campaign()
    first, second = (
        queue.enqueue(kind, subject=1, campaign_id=campaign.pk, is_long=True).pk
        for kind in (Job.Kind.READ, ANALYSE)
    )
    with queue.job_attempt(first) as attempt:
        assert attempt is not None
        queue.finish(attempt)
    assert sent == [second]
