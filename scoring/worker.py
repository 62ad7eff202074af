"""What a worker does: the function for each kind of job.

Jobs are performed in this process: the next one, or all waiting jobs of a campaign.
"""

import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db.models.functions import Now

from campaigns.manage import upload_reading
from campaigns.models import Campaign
from scoring.analyses import requests
from scoring.evaluation import check, score
from scoring.jobs import mail, queue
from scoring.jobs.order import free
from scoring.judging import task_batches
from scoring.models import Job
from scoring.output import stored_tables

POLL_SECONDS = 0.2


def _read_upload(attempt: queue.JobAttempt) -> None:
    upload_reading.read_upload(attempt.subject, partial(queue.finish, attempt))


HANDLERS = {
    Job.Kind.CHECK: check.check_run,
    Job.Kind.EVALUATE: score.evaluate_run,
    Job.Kind.NOTIFY: mail.deliver_notice,
    Job.Kind.MAIL: mail.deliver_mail,
    Job.Kind.ANALYSE: requests.compute_analysis,
    Job.Kind.LAY_OUT: task_batches.create_tasks,
    Job.Kind.WRITE: stored_tables.write_table,
    Job.Kind.READ: _read_upload,
}


def perform_waiting_jobs(
    campaign: Campaign, *, on_done: Callable[[int], None] | None = None
) -> int:
    """Performs the campaign's waiting jobs and those they create, oldest first; returns how many.

    Jobs are claimed as a worker claims them, so workers may perform some of them at the same time.
    This function waits for those too, so that the campaign is complete when it returns. A job that
    fails is tried JOB_ATTEMPTS times. `on_done` gets the number of jobs of each attempt of this
    process.
    """
    tried: Counter[int] = Counter()
    is_moving = True
    running = campaign.jobs.filter(state=Job.State.RUNNING, lease_until__gte=Now())
    while is_moving or running.exists():
        # Only jobs of other workers are left.
        if not is_moving:
            time.sleep(POLL_SECONDS)
        waiting = campaign.jobs.filter(free()).order_by("pk")
        done: set[int] = set()
        for job_id in list(waiting.values_list("pk", flat=True)):
            # Counted here, because the job does not count attempts during an outage.
            if job_id in done or tried[job_id] >= settings.JOB_ATTEMPTS:
                continue
            performed = perform(job_id)
            done.update(performed)
            tried.update(performed)
            if performed and on_done is not None:
                on_done(len(performed))
        is_moving = bool(done)
    return tried.total()


def perform(job_id: int | None = None) -> list[int]:
    """One attempt at this job, or at the next one; returns the jobs that it performed, none if
    there was none to claim."""
    with queue.job_attempt(job_id) as attempt:
        if attempt is None:
            return []
        HANDLERS[Job.Kind(attempt.kind)](attempt)
    return attempt.job_ids
