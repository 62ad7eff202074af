"""What the bell calls: claim the job, do the act. Keys only; any of them may come twice."""

from celery import shared_task
from django.utils import timezone

from campaigns import notices
from scoring import analyses, checking, delivery, evaluation, housekeeping, jobs, laying_out


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


@shared_task(name="scoring.deliver_notice")
def deliver_notice(job_id: int) -> None:
    with jobs.attempt(job_id) as held:
        if held is not None:
            delivery.deliver_notice(held)


@shared_task(name="scoring.answer")
def answer(job_id: int) -> None:
    with jobs.attempt(job_id) as held:
        if held is not None:
            analyses.answer(held)


@shared_task(name="scoring.lay_out")
def lay_out(job_id: int) -> None:
    with jobs.attempt(job_id) as held:
        if held is not None:
            laying_out.lay_out(held)


@shared_task(name="scoring.tell_due")
def tell_due() -> None:
    notices.tell_due(timezone.now())


@shared_task(name="scoring.tidy")
def tidy() -> None:
    housekeeping.delete_unowned_files()
