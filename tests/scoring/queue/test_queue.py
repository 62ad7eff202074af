"""The organisers' queue shows failed jobs with their reason and retries them."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from campaigns.models import LogEntry, Notice, Run
from scoring.jobs import housekeeping
from scoring.models import Job, Snapshot
from scoring.queue import overview
from scoring.queue.overview import failed_jobs
from scoring.worker import HANDLERS
from tests.crowd import crowd
from tests.flow_world import World, perform_jobs, run_file
from tests.making import make_campaign, make_failed_job, make_organiser, make_run

pytestmark = pytest.mark.usefixtures("wake_ups")


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing can be checked or scored until the patches are undone."""

    def fail(attempt: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setitem(HANDLERS, Job.Kind.CHECK, fail)
    monkeypatch.setitem(HANDLERS, Job.Kind.EVALUATE, fail)
    return monkeypatch


def queue(world: World) -> HttpResponse:
    response = world.organiser_client.get(reverse("scoring:queue", args=[world.campaign.slug]))
    assert response.status_code == 200
    return response


def retry(world: World, job: Job) -> str:
    url = reverse("scoring:job-retry", args=[world.campaign.slug, job.pk])
    return world.organiser_client.post(url, follow=True).content.decode()


def test_a_job_of_an_archived_campaign_is_not_retried(
    world: World, full_disk: pytest.MonkeyPatch
) -> None:
    run = world.submitted_run(run_file())
    full_disk.undo()
    world.change(archived_at=timezone.now(), stage="published", is_accepting=False)
    job = Job.objects.get(kind=Job.Kind.CHECK)
    assert ">Retry job<" not in queue(world).content.decode()
    assert "The campaign is archived" in retry(world, job)
    url = reverse("scoring:queue-retry", args=[world.campaign.slug])
    assert (
        "The campaign is archived" in world.organiser_client.post(url, follow=True).content.decode()
    )
    run.refresh_from_db()
    job.refresh_from_db()
    assert (run.state, job.state) == (Run.State.FAILED, Job.State.FAILED)


def test_a_failed_check_is_shown_with_its_reason_and_retried(
    world: World, full_disk: pytest.MonkeyPatch, wake_ups: list[int]
) -> None:
    run = world.submitted_run(run_file())
    assert run.state == Run.State.FAILED
    page = queue(world).content.decode()
    assert "the disk is full" in page
    assert world.team.name in page
    full_disk.undo()
    job = Job.objects.get(kind=Job.Kind.CHECK)
    full_disk.setattr(
        "scoring.jobs.queue.wake_worker", lambda job_id, kind: wake_ups.append(job_id)
    )
    assert "The job waits for its next attempt" in retry(world, job)
    run.refresh_from_db()
    job.refresh_from_db()
    assert (run.state, job.state, job.attempts) == (Run.State.WAITING, Job.State.WAITING, 0)
    assert wake_ups[-1] == job.pk
    perform_jobs()
    run.refresh_from_db()
    assert (run.state, run.tag) == (Run.State.ACCEPTED, "ours")
    assert queue(world).context["queue"].failed == ()
    entry = LogEntry.objects.get(verb="retried")
    assert (entry.actor, entry.details["error"]) == (
        world.organiser,
        "OSError('the disk is full')",
    )


def test_all_failed_scoring_jobs_are_retried_at_once(
    world: World, full_disk: pytest.MonkeyPatch
) -> None:
    full_disk.undo()
    for tag in ("one", "two"):
        world.submitted_run(run_file(tag))
    full_disk.setitem(HANDLERS, Job.Kind.EVALUATE, _fail)
    world.add_qrels()
    perform_jobs()
    assert "0 of 2 runs are scored under qrels v1; scoring 2 failed" in " ".join(
        queue(world).content.decode().split()
    )
    full_disk.undo()
    url = reverse("scoring:queue-retry", args=[world.campaign.slug])
    assert "2 jobs retried" in world.organiser_client.post(url, follow=True).content.decode()
    perform_jobs()
    assert len(world.board("AP")) == 2
    assert queue(world).context["queue"].failed == ()


def _fail(attempt: object) -> None:
    raise OSError("the disk is full")


def test_concurrent_retries_of_a_job_retry_it_once(
    world: World, full_disk: pytest.MonkeyPatch, own_connections: None
) -> None:
    world.submitted_run(run_file())
    job = Job.objects.get(kind=Job.Kind.CHECK)
    outcomes = crowd([lambda: overview.retry(job, actor=None)] * 4)
    assert sorted(outcomes) == [False, False, False, True]
    assert LogEntry.objects.filter(verb="retried").count() == 1


@pytest.mark.parametrize("state", [Job.State.WAITING, Job.State.RUNNING, Job.State.DONE])
def test_a_job_that_has_not_failed_is_left_alone(world: World, state: str) -> None:
    run = make_run(team=world.team, state=Run.State.FAILED)
    job = make_failed_job(run)
    Job.objects.filter(pk=job.pk).update(state=state)
    assert "no longer failed" in retry(world, job)
    job.refresh_from_db()
    run.refresh_from_db()
    assert (job.state, run.state) == (state, Run.State.FAILED)


def test_a_job_is_not_retried_while_a_newer_one_is_live(world: World) -> None:
    run = make_run(team=world.team, state=Run.State.FAILED)
    failed, newer = make_failed_job(run), make_failed_job(run)
    Job.objects.filter(pk=newer.pk).update(state=Job.State.WAITING)
    assert overview.retry(failed, actor=None) is False
    failed.refresh_from_db()
    run.refresh_from_db()
    assert (failed.state, run.state) == (Job.State.FAILED, Run.State.FAILED)


def test_a_run_whose_predecessor_was_replaced_again_stays_failed(world: World) -> None:
    """The team replaced the same run again in the meantime, and that replacement counts."""
    old = make_run(team=world.team)
    run = make_run(team=world.team, state=Run.State.FAILED, replaces=old)
    make_run(team=world.team, state=Run.State.ACCEPTED, replaces=old)
    job = make_failed_job(run)
    assert "no longer failed" in retry(world, job)
    run.refresh_from_db()
    job.refresh_from_db()
    assert (run.state, job.state) == (Run.State.FAILED, Job.State.FAILED)


def test_jobs_done_since_and_jobs_without_a_subject_are_not_shown_as_failed(world: World) -> None:
    make_failed_job(make_run(team=world.team, state=Run.State.ACCEPTED))
    gone = make_failed_job(make_run(team=world.team, state=Run.State.FAILED))
    Job.objects.filter(pk=gone.pk).update(kind=Job.Kind.EVALUATE, subject=10**9)
    twice = make_run(team=world.team, state=Run.State.FAILED)
    _, newest = make_failed_job(twice), make_failed_job(twice)
    assert [each.job for each in failed_jobs(world.campaign)] == [newest]


def test_an_email_that_could_not_be_sent_is_shown_until_it_is_sent(world: World) -> None:
    notice = Notice.objects.create(
        campaign=world.campaign, recipient=world.participant, key="k", subject="Refused", body="-"
    )
    job = make_failed_job(make_run(team=world.team))
    Job.objects.filter(pk=job.pk).update(kind=Job.Kind.NOTIFY, subject=notice.pk)
    assert "Refused" in queue(world).content.decode()
    assert "The job waits for its next attempt" in retry(world, job)
    perform_jobs(Job.Kind.NOTIFY)
    notice.refresh_from_db()
    assert notice.sent_at is not None
    assert failed_jobs(world.campaign) == ()


def test_a_job_of_another_campaign_is_not_found(world: World) -> None:
    elsewhere = make_campaign()
    make_organiser(elsewhere, world.organiser)
    run = make_run(elsewhere, state=Run.State.FAILED)
    job = make_failed_job(run)
    url = reverse("scoring:job-retry", args=[world.campaign.slug, job.pk])
    assert world.organiser_client.post(url).status_code == 404
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "disk is full" not in queue(world).content.decode()


def test_an_error_is_escaped(world: World) -> None:
    run = make_run(team=world.team, state=Run.State.FAILED)
    job = make_failed_job(run)
    Job.objects.filter(pk=job.pk).update(error="<script>alert(1)</script>\nsecond line")
    page = queue(world).content.decode()
    assert "<script>alert(1)" not in page
    assert "second line" in page


def test_a_long_queue_takes_no_more_queries_than_a_short_one(
    world: World, django_assert_max_num_queries: object
) -> None:
    queries = 14
    for number in range(30):
        run = make_run(team=world.team, state=Run.State.FAILED, tag=f"failed{number}")
        make_failed_job(run)
        waits = make_failed_job(make_run(team=world.team, state=Run.State.WAITING))
        Job.objects.filter(pk=waits.pk).update(state=Job.State.WAITING)
    with django_assert_max_num_queries(queries):
        shown = queue(world).context["queue"]
    assert (len(shown.failed), len(shown.live), shown.waiting_count) == (30, 30, 30)


def test_housekeeping_keeps_the_file_of_a_snapshot(world: World) -> None:
    keys = [default_storage.save(f"snapshots/aa/{n}", ContentFile(b"zip")) for n in ("a", "b")]
    Snapshot.objects.create(
        campaign=world.campaign,
        title="As published",
        qrels=world.add_qrels(),
        definitions="0" * 16,
        storage_key=keys[0],
        digest="0" * 64,
        size=3,
    )
    housekeeping.delete_unowned_files(older_than=timedelta(hours=-1))
    assert [default_storage.exists(key) for key in keys] == [True, False]
