"""What a crash leaves behind: files that no row owns, and jobs without a message or a worker."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import islice

from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from campaigns.clock import database_now
from campaigns.models import PendingUpload, Qrels, Run
from scoring.jobs import queue
from scoring.models import Job, Snapshot, StoredGrades, StoredRanking, StoredTable

OWNERS = {
    "runs": Run,
    "qrels": Qrels,
    "rankings": StoredRanking,
    "grades": StoredGrades,
    "snapshots": Snapshot,
    "tables": StoredTable,
    # In backups too: a restored site goes on with what waited, and every row has its file.
    "uploads": PendingUpload,
}
KEYS_AT_ONCE = 500  # a site may have millions
PROBES_FOLDER = "health"  # what probes of the storage write, and delete at once


def delete_unowned_files(*, older_than: timedelta = timedelta(hours=1)) -> int:
    """Returns how many it deleted."""
    deleted = 0
    for key in unowned_files(older_than=older_than):
        with suppress(FileNotFoundError):  # another worker was faster
            default_storage.delete(key)
            deleted += 1
    return deleted


def delete_old_uploads(*, older_than: timedelta = timedelta(days=1)) -> int:
    """Deletes pending uploads that nobody has confirmed in this time, and the outcomes of those
    that were stored or refused. `delete_unowned_files` then deletes their files. Returns how many
    it deleted. Uploads that wait for a worker stay, however long it takes."""
    live = (PendingUpload.State.WAITING, PendingUpload.State.READING)
    old = PendingUpload.objects.filter(state_changed_at__lt=Now() - older_than)
    deleted, _ = old.exclude(state__in=live).delete()
    return deleted


def unowned_files(*, older_than: timedelta = timedelta(hours=1)) -> Iterator[str]:
    """Skips recent files: their row may be about to be written."""
    limit = database_now() - older_than  # not the machine's clock, which may be ahead
    for folder in (*OWNERS, PROBES_FOLDER):
        # No row owns a file of a probe, so each is deleted once it is old.
        owner, keys = OWNERS.get(folder), _keys(folder)
        while batch := list(islice(keys, KEYS_AT_ONCE)):
            owned: set[str] = set()
            if owner:
                rows = owner.objects.filter(storage_key__in=batch)
                owned |= {*rows.values_list("storage_key", flat=True)}
            for key in batch:
                # Another worker may have deleted it since it was listed.
                with suppress(FileNotFoundError):
                    if key not in owned and default_storage.get_modified_time(key) < limit:
                        yield key


def _keys(folder: str) -> Iterator[str]:
    try:
        # Storages create a folder with its first file.
        subfolders, _ = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for subfolder in subfolders:
        for name in default_storage.listdir(f"{folder}/{subfolder}")[1]:
            yield f"{folder}/{subfolder}/{name}"


MESSAGES_PER_SWEEP = 100  # a worker must consume them all before the next sweep


def sweep() -> None:
    """Requeues jobs whose lease expired and sends messages for jobs that nobody has claimed."""
    expired = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=Now())
    for job in expired:
        error = job.error or "The worker stopped without reporting an error."
        if queue.requeue_or_fail(job, error, has_lost_lease=True):
            queue.wake_worker(job.pk, job.kind)
    due = _due_for_message()
    for job in due.order_by("priority", "pk")[:MESSAGES_PER_SWEEP]:
        # By the condition and not by equality: SQLite stores fewer digits than are read.
        if due.filter(pk=job.pk).update(rung_at=Now()):
            queue.wake_worker(job.pk, job.kind)


def _due_for_message() -> QuerySet[Job]:
    """Jobs that need another message: after two sweeps, then after as long as they had waited at
    the last message, and at the latest after ten sweeps. So a long queue does not get a message for
    each job in each sweep."""
    sweep_seconds = settings.SWEEP_SECONDS
    since_last = ExpressionWrapper(Now() - F("rung_at"), output_field=DurationField())
    until_last = ExpressionWrapper(F("rung_at") - F("waiting_since"), output_field=DurationField())
    waiting = Job.objects.annotate(since_last=since_last, until_last=until_last).filter(
        state=Job.State.WAITING, rung_at__lt=Now() - timedelta(seconds=2 * sweep_seconds)
    )
    overdue = Q(rung_at__lt=Now() - timedelta(seconds=10 * sweep_seconds))
    return waiting.filter(overdue | Q(since_last__gt=F("until_last")))
