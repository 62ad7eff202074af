"""Compares stored files with their rows, lists files that are missing, damaged or unused,
and recreates those that can be recreated."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

from django.core.files.storage import default_storage

from campaigns.models import PendingUpload, Qrels, Run
from campaigns.stored_files import FileLost, open_stored
from scoring.evaluation.storage import grades_of, load_table, remake_ranking
from scoring.jobs.housekeeping import OWNERS, unowned_files
from scoring.models import Snapshot, StoredGrades, StoredRanking, StoredTable

AT_ONCE = 3  # files, besides one under repair: no more than trackside/bulkhead.py allows
READ_AHEAD = 64

Owner: TypeAlias = (
    Run | Qrels | StoredRanking | StoredGrades | Snapshot | StoredTable | PendingUpload
)
# What `describe` and `_repair` read of the owner of a file, in the query of the rows.
RELATED = {
    Run: ("campaign", "team"),
    Qrels: ("campaign",),
    StoredRanking: ("run__campaign", "run__team"),
    StoredGrades: ("run__campaign", "run__team", "run__ranking", "qrels__campaign"),
    Snapshot: ("campaign",),
    StoredTable: ("campaign",),
    PendingUpload: ("campaign",),
}


@dataclass(frozen=True)
class FileFault:
    """A file that is missing, damaged or unused."""

    key: str
    fault: str
    owner: str
    is_repaired: bool = False


def verify(*, repair: bool = False) -> Iterator[FileFault]:
    """Reads every file. With `repair`, rankings and grades are recreated from the run's file; rows
    of tables are deleted, since these are written again for the next reader; and so are unused
    files, to which no row of the database refers. Other files can only be restored from a
    backup."""
    for model in OWNERS.values():
        rows = model.objects.exclude(storage_key="").select_related(*RELATED[model]).order_by("pk")
        for row, fault in _faults(rows.iterator(chunk_size=READ_AHEAD)):
            is_repaired = repair and _repair(row)
            yield FileFault(row.storage_key, fault, describe(row), is_repaired)
    for key in unowned_files():
        if repair:
            default_storage.delete(key)
        yield FileFault(key, "unused", "no row of the database", is_repaired=repair)


def describe(row: Owner) -> str:
    """The file's owner by the names that organisers know."""
    if isinstance(row, Run):
        name = row.display_name or row.original_name
        return f"file of run {name} ({row.public_id}) in {row.campaign.slug}"
    if isinstance(row, Qrels):
        return f"qrels version {row.version} of {row.campaign.slug}"
    if isinstance(row, PendingUpload):
        return f"{row}, uploaded to {row.campaign.slug} and not stored yet"
    if isinstance(row, Snapshot):
        return f"snapshot {row.public_id} of {row.campaign.slug}"
    if isinstance(row, StoredTable):
        return f"table {row.url}"
    kind = "ranking" if isinstance(row, StoredRanking) else "grades"
    run = row.run
    name = run.display_name or run.original_name
    return f"{kind} of run {name} ({run.public_id}) in {run.campaign.slug}"


def _faults(rows: Iterable[Owner]) -> Iterator[tuple[Owner, str]]:
    """Reads the database on this thread and the files on others."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        batch = []
        for row in rows:
            batch.append((row, pool.submit(_fault, row.storage_key, row.digest)))
            if len(batch) == READ_AHEAD:
                yield from _results(batch)
                batch = []
        yield from _results(batch)


def _results(batch: list) -> Iterator[tuple[Owner, str]]:
    yield from ((row, check.result()) for row, check in batch if check.result())


def _fault(key: str, digest: str) -> str:
    """Empty if the file is intact."""
    try:
        # It compares the whole file with the digest.
        open_stored(key, digest).close()
    except FileLost as error:
        return "missing" if isinstance(error.__cause__, FileNotFoundError) else "damaged"
    return ""


def _repair(row: Owner) -> bool:
    try:
        if isinstance(row, StoredTable):  # it is written again for the next reader
            row.delete()
            return True
        if isinstance(row, StoredRanking):
            remake_ranking(row)
            return True
        if isinstance(row, StoredGrades):
            grades_of(row.run, row.qrels, load_table(row.qrels, row.run.campaign))
            return True
    except FileLost:  # its source is lost too, and is listed separately
        return False
    return False
