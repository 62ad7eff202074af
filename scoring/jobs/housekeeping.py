"""Deletes files that no row owns: what a crash between storing and deciding leaves behind."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from django.core.files.storage import default_storage

from campaigns.clock import database_now
from campaigns.models import Qrels, Run
from scoring.models import Snapshot, StoredGrades, StoredRanking

OWNERS = {
    "runs": Run,
    "qrels": Qrels,
    "rankings": StoredRanking,
    "grades": StoredGrades,
    "snapshots": Snapshot,
}


def delete_unowned_files(*, older_than: timedelta = timedelta(hours=1)) -> int:
    """How many were deleted."""
    deleted = 0
    for key in unowned_files(older_than=older_than):
        with suppress(FileNotFoundError):  # another worker was quicker
            default_storage.delete(key)
            deleted += 1
    return deleted


def unowned_files(*, older_than: timedelta = timedelta(hours=1)) -> Iterator[str]:
    """Young files are left out: their row may be about to be written."""
    limit = database_now() - older_than  # a machine whose clock is ahead deletes nothing young
    for folder, owner in OWNERS.items():
        owned = set(owner.objects.exclude(storage_key="").values_list("storage_key", flat=True))
        for key in _keys(folder):
            with suppress(FileNotFoundError):
                if key not in owned and default_storage.get_modified_time(key) < limit:
                    yield key


def _keys(folder: str) -> Iterator[str]:
    try:
        shelves, _ = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for shelf in shelves:
        for name in default_storage.listdir(f"{folder}/{shelf}")[1]:
            yield f"{folder}/{shelf}/{name}"
