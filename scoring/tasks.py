"""The Celery tasks. A message wakes a worker, which claims the next job and performs it. Every
message may be delivered twice."""

from celery import shared_task

from campaigns.clock import database_now
from campaigns.mail import notices
from scoring import worker
from scoring.jobs import housekeeping, mail, periodic, queue
from scoring.jobs.periodic import TELL_SECONDS, TIDY_SECONDS
from scoring.output import stored_tables


def _perform_next(job_id: int) -> None:
    """`job_id` is the job that the message was sent for; the next job may be another one."""
    worker.perform()


perform_next = shared_task(name=queue.TASK)(_perform_next)
# During an upgrade, web servers of the previous release send these.
for name in queue.PREVIOUS_TASKS.values():
    shared_task(name=name)(_perform_next)


@shared_task(name="scoring.tell_due")
def tell_due() -> None:
    if periodic.claim("tell_due", TELL_SECONDS):
        notices.notify_of_dates(database_now())


@shared_task(name="scoring.tidy")
def tidy() -> None:
    if periodic.claim("tidy", TIDY_SECONDS):
        mail.enqueue_unsent_mails()
        stored_tables.delete_outdated()
        housekeeping.delete_old_uploads()
        housekeeping.delete_unowned_files()
