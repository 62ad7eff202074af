"""Runs that are scored again are scored together: one claim, one transaction, few statements."""

from collections.abc import Callable

import pytest
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import LogEntry, Run
from scoring.evaluation.requests import request_evaluation, request_evaluations
from scoring.jobs import order, queue
from scoring.models import Evaluation, Job, Score, StoredGrades, StoredRanking
from scoring.worker import perform, perform_waiting_jobs
from tests.flow_world import World, perform_jobs
from tests.making import give_file, make_campaign, make_qrels, make_run
from tests.ranked_runs import ranked_run

pytestmark = pytest.mark.usefixtures("wake_ups")


def checked_runs(world: World, count: int) -> list[Run]:
    """Accepted runs of different rankings, with nothing to score them by yet."""
    return [
        ranked_run(
            world.campaign,
            {"1": [f"d{1 + number % 3}", "d2x", f"x{number}"], "2": [f"x{number}", "d2"]},
            tag=f"r{number}",
        )
        for number in range(count)
    ]


def stored_scores() -> dict[tuple[object, ...], tuple[object, ...]]:
    return {
        (score.evaluation.run.tag, score.evaluation.qrels.version, score.measure): (
            score.definition,
            score.mean_base,
            score.mean_residual,
            score.topic_count,
            bytes(score.bases),
            None if score.residuals is None else bytes(score.residuals),
        )
        for score in Score.objects.select_related("evaluation__run", "evaluation__qrels")
    }


def statements(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        act()
    return len(captured)


def test_one_attempt_scores_many_runs_and_each_as_if_it_were_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked_runs(world, 5)
    world.add_qrels()
    assert len(perform()) == 5
    together = stored_scores()
    assert len(together) == 5 * 5
    assert LogEntry.objects.filter(verb="scored").count() == 5
    Score.objects.all().delete()
    StoredGrades.objects.all().delete()
    monkeypatch.setattr(order, "BATCH_RUNS", 1)
    request_evaluations(world.campaign)
    assert [len(perform()) for _ in range(5)] == [1] * 5
    assert stored_scores() == together


def test_more_runs_take_no_more_statements(world: World) -> None:
    def again() -> tuple[int, int]:
        Score.objects.all().delete()
        return (
            statements(lambda: request_evaluations(world.campaign)),
            statements(lambda: perform()),
        )

    checked_runs(world, 3)
    world.add_qrels()
    perform()
    few = again()
    checked_runs(world, 9)
    request_evaluations(world.campaign)
    perform_waiting_jobs(world.campaign)
    assert again() == few
    assert Evaluation.objects.filter(state=Evaluation.State.SCORED).count() == 12


def test_uploads_are_scored_one_by_one(world: World) -> None:
    runs = checked_runs(world, 3)
    give_file(make_qrels(world.campaign))
    for run in runs:
        request_evaluation(run)
    assert [len(perform()) for _ in runs] == [1, 1, 1]


@pytest.mark.parametrize(("bound", "value"), [("BATCH_RUNS", 2), ("BATCH_DOCUMENTS", 11)])
def test_an_attempt_has_a_limit_of_runs_and_one_of_documents(
    bound: str, value: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, bound, value)
    checked_runs(world, 5)  # of five documents each
    world.add_qrels()
    assert [len(perform()) for _ in range(4)] == [2, 2, 1, 0]


def test_runs_of_another_campaign_and_running_jobs_stay_where_they_are(world: World) -> None:
    checked_runs(world, 3)
    world.add_qrels()
    other = make_campaign()
    make_run(other)
    make_qrels(other)
    request_evaluations(other)
    first, second, third = Job.objects.filter(campaign=world.campaign).order_by("pk")
    Job.objects.filter(pk=second.pk).update(attempts=1)  # one that failed is performed alone
    attempt = queue.claim(first.pk)
    assert attempt is not None
    assert attempt.job_ids == [first.pk, third.pk]
    again = queue.claim(second.pk)
    assert again is not None
    assert again.job_ids == [second.pk]


def test_a_run_that_cannot_be_scored_fails_alone(world: World) -> None:
    good, bad, other = checked_runs(world, 3)
    default_storage.delete(StoredRanking.objects.get(run=bad).storage_key)
    Run.objects.filter(pk=bad.pk).update(storage_key="runs/lo/st")
    world.add_qrels()
    assert len(perform()) == 3
    states = dict(Evaluation.objects.values_list("run", "state"))
    assert states == {good.pk: "scored", bad.pk: "waiting", other.pk: "scored"}
    job = Job.objects.get(state=Job.State.WAITING)
    assert "FileLost" in job.error
    perform_jobs()
    assert Evaluation.objects.get(run=bad).state == Evaluation.State.FAILED


@pytest.mark.parametrize("moment", ["in-transaction", "before-commit"])
def test_an_attempt_that_ends_early_stores_nothing_and_its_runs_are_scored_alone(
    moment: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(name: str, job_id: int | None = None) -> None:
        if name == moment:
            raise DatabaseError("the disk is full")

    checked_runs(world, 3)
    world.add_qrels()
    with monkeypatch.context() as patch:
        patch.setattr("scoring.jobs.test_hooks.point", break_down)
        assert len(perform()) == 3
    assert not Score.objects.exists()
    assert not StoredGrades.objects.exists()
    assert not LogEntry.objects.filter(verb="scored").exists()
    assert list(Job.objects.values_list("state", "attempts")) == [("waiting", 1)] * 3
    Job.objects.update(due_at=None)
    assert [len(perform()) for _ in range(3)] == [1, 1, 1]
    assert len(stored_scores()) == 3 * 5


def test_an_attempt_that_lost_one_lease_stores_nothing(world: World) -> None:
    checked_runs(world, 2)
    world.add_qrels()
    attempt = queue.claim_next()
    assert attempt is not None
    Job.objects.filter(pk=attempt.job_ids[1]).update(owner="another worker")
    with pytest.raises(queue.LeaseLost):
        queue.finish(*attempt.all)


def test_a_request_for_many_runs_sends_few_messages_and_each_attempt_one_if_runs_wait(
    world: World, wake_ups: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "BATCH_DOCUMENTS", 11)
    runs = checked_runs(world, 5)
    world.add_qrels()
    jobs = list(Job.objects.order_by("pk").values_list("pk", flat=True))
    assert (len(jobs), wake_ups) == (len(runs), jobs[:1])
    perform()
    assert wake_ups == [jobs[0], jobs[2]]
    perform()
    perform()
    assert wake_ups == [jobs[0], jobs[2], jobs[4]]
