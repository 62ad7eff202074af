"""Rules, measures and qrels change, or something breaks, while a run is checked or scored."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest
from django.db import connection

from campaigns import lifecycle
from campaigns.models import Campaign, Run
from campaigns.runs import decisions
from scoring.evaluation import check, score
from scoring.jobs import queue, test_hooks
from scoring.jobs.housekeeping import sweep
from scoring.models import Evaluation, Job, Score
from tests.flow_world import QRELS, World, perform_jobs, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")

Meanwhile = Callable[[str, Callable[[], object]], None]


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """`meanwhile(point, act)`: the act is done when work first comes to that point."""

    def arrange(point: str, act: Callable[[], object]) -> None:
        pending = [act]

        def reach(name: str, job_id: int | None = None) -> None:
            if name == point and pending:
                pending.pop()()

        monkeypatch.setattr(test_hooks, "point", reach)

    return arrange


def change_settings(world: World, **facts: object) -> None:
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    for name, value in facts.items():
        setattr(campaign, name, value)
    lifecycle.change_settings(campaign=campaign, fields=list(facts), actor=world.organiser)


def scored_measures(run: Run) -> set[str]:
    scores = Score.objects.filter(evaluation__run=run, evaluation__state=Evaluation.State.SCORED)
    return set(scores.values_list("measure", flat=True))


def test_a_measure_added_while_a_run_is_scored_is_scored_too(
    world: World, meanwhile: Meanwhile
) -> None:
    world.add_qrels()
    meanwhile("before-commit", lambda: change_settings(world, measures=["AP", "Judged@10", "P@10"]))
    run = world.submitted_run(run_file())
    assert "P@10" in scored_measures(run)
    assert world.answer_on(run, browser=world.organiser_client)["status"] == "scored"
    assert not Job.objects.exclude(state=Job.State.DONE).exists()


def test_a_running_job_stays_scoring_if_its_scores_are_requested_again(
    world: World, meanwhile: Meanwhile
) -> None:
    world.add_qrels()
    seen = []

    def ask_again() -> None:
        change_settings(world, guidelines="Be brief.")
        seen.append(Evaluation.objects.get().state)

    meanwhile("before-commit", ask_again)
    world.submitted_run(run_file())
    assert seen == [Evaluation.State.SCORING]


def test_rules_that_change_while_a_run_is_scored_score_it_again(
    world: World, meanwhile: Meanwhile
) -> None:
    world.change(highest_grade=2)
    world.add_qrels()
    meanwhile("before-commit", lambda: change_settings(world, rel=2))
    run = world.submitted_run(run_file())
    states = [e.state for e in run.evaluations.order_by("pk")]
    assert states == [Evaluation.State.SCORED, Evaluation.State.SCORED]
    assert "AP(rel=2)" in scored_measures(run)


def test_scores_requested_under_old_rules_are_not_computed(world: World) -> None:
    world.change(highest_grade=2)
    world.add_qrels()
    world.submit(run_file())
    perform_jobs(Job.Kind.CHECK)
    change_settings(world, rel=2)
    perform_jobs()
    (evaluation,) = Run.objects.get().evaluations.all()
    assert evaluation.state == Evaluation.State.SCORED
    assert "AP(rel=2)" in scored_measures(evaluation.run)


def test_rules_that_change_there_and_back_while_a_job_starts_leave_the_run_scored(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job reads the rules in between, finds itself superseded, and is not any more."""
    world.change(highest_grade=2)
    world.add_qrels()
    world.submit(run_file())
    perform_jobs(Job.Kind.CHECK)
    read = score.rules_of
    pending = [True]

    def read_in_between(campaign: Campaign):
        if not pending:
            return read(campaign)
        pending.clear()
        change_settings(world, rel=2)
        changed = read(Campaign.objects.get(pk=campaign.pk))
        change_settings(world, rel=1)
        return changed

    monkeypatch.setattr(score, "rules_of", read_in_between)
    perform_jobs()
    assert "AP" in scored_measures(Run.objects.get())
    assert world.answer_on(Run.objects.get(), browser=world.organiser_client)["status"] == "scored"


def test_scores_that_exist_outlive_a_change_of_rules_while_they_are_completed(
    world: World,
) -> None:
    """A measure is added, and before anybody scores it the rules change."""
    world.change(highest_grade=2)
    world.add_qrels()
    run = world.submitted_run(run_file())
    kept = set(Score.objects.values_list("pk", flat=True))
    change_settings(world, measures=["AP", "Judged@10", "P@10"])
    change_settings(world, rel=2)
    perform_jobs()
    assert set(Score.objects.filter(pk__in=kept).values_list("pk", flat=True)) == kept
    assert {e.state for e in run.evaluations.all()} == {Evaluation.State.SCORED}
    assert run.evaluations.count() == 2


def test_qrels_that_come_while_a_run_is_checked_score_it(
    world: World, meanwhile: Meanwhile
) -> None:
    meanwhile("after-parse", world.add_qrels)
    run = world.submitted_run(run_file())
    assert world.answer_on(run, browser=world.organiser_client)["status"] == "scored"


def test_qrels_that_come_while_a_run_is_scored_score_it_under_both(
    world: World, meanwhile: Meanwhile
) -> None:
    world.add_qrels()
    meanwhile("before-commit", lambda: world.add_qrels(QRELS + b"1 0 d3 1\n"))
    run = world.submitted_run(run_file())
    assert [e.state for e in run.evaluations.all()] == [Evaluation.State.SCORED] * 2


def test_a_run_withdrawn_while_it_is_checked_takes_no_tag(
    world: World, meanwhile: Meanwhile
) -> None:
    def withdraw() -> None:
        Run.objects.update(withdrawn_at=Run.objects.get().submitted_at)

    meanwhile("after-parse", withdraw)
    withdrawn = world.submitted_run(run_file("same"))
    assert withdrawn.withdrawn_at is not None
    assert world.submitted_run(run_file("same")).state == Run.State.ACCEPTED


def test_two_runs_of_a_team_checked_at_once_do_not_both_get_the_name(
    world: World, meanwhile: Meanwhile
) -> None:
    world.submit(run_file("same"))
    world.submit(run_file("same", documents=("d3", "d1")))
    second = Job.objects.latest("pk")
    meanwhile("after-parse", lambda: perform(second))
    perform_jobs()
    assert sorted(Run.objects.values_list("state", "name")) == [
        ("accepted", "same"),
        ("accepted", "same-2"),
    ]


@pytest.fixture
def at_once(own_connections: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`at_once(act, other)`: the other begins after the act has found its name free."""
    free_name = decisions.free_name

    def arrange(act: Callable[[], object], other: Callable[[], object]) -> None:
        begun = list[Future[None]]()

        def do_other() -> None:
            try:
                other()
            finally:
                connection.close()  # that of its thread

        def name_before_the_other(run: Run, wished: str) -> str:
            name = free_name(run, wished)
            if not begun:
                begun.append(threads.submit(do_other))
                wait(begun, timeout=1)
            return name

        monkeypatch.setattr(decisions, "free_name", name_before_the_other)
        with ThreadPoolExecutor() as threads:
            act()
        begun[0].result()

    return arrange


@pytest.mark.parametrize("asks_acceptance", [False, True])
def test_two_checks_of_a_team_that_end_at_once_give_two_names(
    world: World, at_once: Callable[..., None], asks_acceptance: bool
) -> None:
    Campaign.objects.update(asks_acceptance=asks_acceptance)
    world.submit(run_file("same"))
    world.submit(run_file("same", documents=("d3", "d1")))
    first, second = Job.objects.order_by("pk")
    at_once(lambda: perform(first), lambda: perform(second))
    state = "checked" if asks_acceptance else "accepted"
    runs = Run.objects.order_by("pk").values_list("state", "name")
    assert list(runs) == [(state, "same"), (state, "same-2")]


def test_a_check_that_ends_while_a_run_is_renamed_gives_another_name(
    world: World, at_once: Callable[..., None]
) -> None:
    Campaign.objects.update(asks_acceptance=True)
    earlier = world.submitted_run(run_file("earlier"))
    world.submit(run_file("same", documents=("d3", "d1")))
    job = Job.objects.latest("pk")
    at_once(
        lambda: decisions.rename_run(run=earlier, name="same", actor=world.organiser),
        lambda: perform(job),
    )
    assert list(Run.objects.order_by("pk").values_list("name", flat=True)) == ["same", "same-2"]


def perform(job: Job) -> None:
    with queue.job_attempt(job.pk) as attempt:
        assert attempt is not None
        check.check_run(attempt)


# --- attempts that fail --------------------------------------------------------------------------


def break_once(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
    whole = getattr(module, name)
    pending = [True]

    def broken(*args: object, **kwargs: object) -> object:
        if pending:
            pending.clear()
            raise OSError("the disk is gone")
        return whole(*args, **kwargs)

    monkeypatch.setattr(module, name, broken)


def test_the_sweeper_sends_the_message_of_a_failed_attempt_later(
    world: World, monkeypatch: pytest.MonkeyPatch, wake_ups: list[int], settings: object
) -> None:
    """Three attempts in a second would not outlast a disk that is away for two."""
    break_once(monkeypatch, check, "parsed_run")
    world.submit(run_file())
    job = Job.objects.get()
    assert wake_ups == [job.pk]
    perform_jobs_once()
    job.refresh_from_db()
    assert (job.state, job.attempts, wake_ups) == (Job.State.WAITING, 1, [job.pk])
    sweep()
    assert wake_ups == [job.pk]
    settings.SWEEP_SECONDS = 0
    time.sleep(0.002)
    sweep()
    assert wake_ups == [job.pk, job.pk]
    perform_jobs()
    assert Run.objects.get().state == Run.State.ACCEPTED


def perform_jobs_once() -> None:
    for job in Job.objects.filter(state=Job.State.WAITING):
        perform(job)


def test_the_sweeper_sends_a_lost_message_again_every_time(
    world: World, wake_ups: list[int], settings: object
) -> None:
    world.submit(run_file())
    settings.SWEEP_SECONDS = 0
    for times in (1, 2, 3):
        assert len(wake_ups) == times
        time.sleep(0.002)
        sweep()
    assert set(wake_ups) == {Job.objects.get().pk}


def test_an_upload_is_kept_though_ringing_breaks_in_a_way_nobody_foresaw(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*args: object, **kwargs: object) -> None:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(queue.current_app, "send_task", break_down)
    assert world.submit(run_file()).status_code == 302
    perform_jobs()
    assert Run.objects.get().state == Run.State.ACCEPTED


def test_an_unresponsive_broker_is_tried_once_for_a_hundred_jobs(
    world: World, monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    asked = []

    def refuse(name: str, args: list[int]) -> None:
        asked.append(args[0])
        raise OSError("connection refused")

    settings.SWEEP_SECONDS = 600
    monkeypatch.setattr(queue.current_app, "send_task", refuse)
    for number in range(100):
        queue.wake_worker(number)
    assert asked == [0]
    monkeypatch.setattr(queue, "_silent_until", queue._silent_until - 600)  # as time passes
    queue.wake_worker(100)
    assert asked == [0, 100]
