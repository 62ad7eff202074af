"""What the bell calls: claim the job, do the act. Keys only; any of them may come twice."""

from celery import shared_task

from scoring import checking, evaluation, housekeeping, jobs


@shared_task(name="scoring.check_run")
def check_run(job_id: int) -> None:
    with jobs.attempt(job_id) as held:
        if held is not None:
            checking.check_run(held)


@shared_task(name="scoring.evaluate_run")
def evaluate_run(job_id: int) -> None:
    with jobs.attempt(job_id) as held:
        if held is not None:
            evaluation.evaluate_run(held)


@shared_task(name="scoring.tidy")
def tidy() -> None:
    housekeeping.delete_unowned_files()
