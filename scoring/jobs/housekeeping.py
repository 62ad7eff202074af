"""Deletes files that no row owns, which a crash can leave in the storage."""

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
    """Returns how many it deleted."""
    deleted = 0
    for key in unowned_files(older_than=older_than):
        with suppress(FileNotFoundError):  # another worker was faster
            default_storage.delete(key)
            deleted += 1
    return deleted


def unowned_files(*, older_than: timedelta = timedelta(hours=1)) -> Iterator[str]:
    """Skips recent files: their row may be about to be written."""
    limit = database_now() - older_than  # not the machine's clock, which may be ahead
    for folder, owner in OWNERS.items():
        owned = set(owner.objects.exclude(storage_key="").values_list("storage_key", flat=True))
        for key in _keys(folder):
            with suppress(FileNotFoundError):
                if key not in owned and default_storage.get_modified_time(key) < limit:
                    yield key


def _keys(folder: str) -> Iterator[str]:
    try:
        subfolders, _ = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for subfolder in subfolders:
        for name in default_storage.listdir(f"{folder}/{subfolder}")[1]:
            yield f"{folder}/{subfolder}/{name}"
