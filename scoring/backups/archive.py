"""Backs up a site to one file and restores it: the database first, then every file that a row owns.

A backup can be made while people upload: it leaves out files stored after the database was read,
and files that no row owns. A missing or damaged file does not end the backup; it is listed, as are
files deleted in the meantime (of refused runs). Stored tables are left out with their rows, because
they are written again when somebody asks for them. A restore writes the files before the rows, so
that no row ever points to a missing file.
"""

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connection, connections, transaction
from django.db.models.functions import Now
from django.utils import timezone

from scoring.backups import postgres
from scoring.jobs.housekeeping import OWNERS
from scoring.models import Backup, StoredTable

BACKED_UP = [owner for owner in OWNERS.values() if owner is not StoredTable]
DATABASE, FILES, LIST = "database", "files/", "list.json"
FORMAT = 1
NAME = "site-%Y-%m-%dT%H%M%SZ.tar"  # of a backup that is named by its time
NAMED = "site-????-??-??T??????Z.tar"
AT_ONCE = 4  # parallel reads: no more than trackside/bulkhead.py allows


class CannotBackUp(Exception):
    """The message says why; nothing was written."""


class CannotRestore(Exception):
    """The message says why; nothing was changed in the database."""


@dataclass(frozen=True)
class Report:
    """What a backup contains. `faults` lists files that are missing or damaged; `deleted` lists
    files of runs that were refused during the backup."""

    path: Path
    files: int
    faults: tuple[str, ...]
    deleted: tuple[str, ...]


def back_up(path: Path) -> Report:
    """Writes the site to `path`, completely or not at all, and records that it did. In a folder, it
    is named by the time. Raises `CannotBackUp` if the database cannot be dumped or another backup
    is being written to the folder, OSError if the folder or the storage fails."""
    if path.is_dir():
        path /= timezone.now().strftime(NAME)
    with _workspace(path.parent) as folder:
        dump, draft = folder / DATABASE, folder / "draft"
        try:
            owned = _dump_database(dump)
        except postgres.ProgramFailed as error:
            raise CannotBackUp(str(error)) from None
        digests: dict[str, str] = {}
        missing, damaged = [], []
        draft.touch(0o640)  # password hashes, unpublished qrels
        with tarfile.open(draft, "w") as archive:
            archive.add(dump, DATABASE)
            for key, copy in _copies(list(owned), folder):
                if copy is None:
                    missing.append(key)
                    continue
                with copy.open("rb") as file:
                    digests[key] = hashlib.file_digest(file, "sha256").hexdigest()
                archive.add(copy, FILES + key)
                if digests[key] != owned[key]:
                    damaged.append(f"{key} differs from the file that was stored")
            _add_list(archive, folder, digests)
        # In one step: under this name there is a complete backup or none.
        os.replace(draft, path)
    # A missing file whose row is gone as well was deleted while the backup was made.
    still_owned = set(_digests())
    faults = [f"{key} is missing from the storage" for key in missing if key in still_owned]
    deleted = tuple(key for key in missing if key not in still_owned)
    report = Report(path, files=len(digests), faults=(*faults, *damaged), deleted=deleted)
    size = path.stat().st_size
    Backup.objects.create(
        finished_at=Now(), bytes=size, files=report.files, faults=len(report.faults)
    )
    return report


def delete_older(folder: Path, keep: int) -> list[str]:
    """Deletes all backups that are named by their time, except the latest `keep`; their names."""
    older = sorted(folder.glob(NAMED), reverse=True)[keep:]
    for path in older:
        path.unlink()
    return [path.name for path in older]


def restore(path: Path) -> int:
    """Restores a backup into an empty database and the storage; returns the number of files. Raises
    `CannotRestore` if there is no such backup, it is of another kind of database or damaged, or the
    database is not empty.
    """
    if connection.introspection.table_names():
        raise CannotRestore("The database is not empty. Restore into a new database.")
    _refuse_unreadable(path)
    with tarfile.open(path) as archive, tempfile.TemporaryDirectory() as folder:
        listed = json.load(_member(archive, LIST))
        if (listed["format"], listed["vendor"]) != (FORMAT, connection.vendor):
            raise CannotRestore(
                f"The backup is of a {listed['vendor']} database, but the site uses "
                f"{connection.vendor}."
            )
        if dumped_by := listed.get("pg_dump"):  # backups made before November 2026 do not say it
            try:
                postgres.refuse_unfit(dumped_by)
            except postgres.ProgramFailed as error:
                raise CannotRestore(str(error)) from None
        for key, digest in listed["files"].items():
            _restore_file(archive, key, digest)
        dump = Path(folder) / DATABASE
        with dump.open("wb") as out:
            shutil.copyfileobj(_member(archive, DATABASE), out)
        _load_database(dump)
    return len(listed["files"])


@contextmanager
def _workspace(folder: Path) -> Iterator[Path]:
    """A folder for what a backup consists of. What a killed backup left is deleted."""
    with (folder / ".backup.lock").open("w") as lock:
        try:
            # The system releases it when the process ends, so a killed backup blocks none.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotBackUp(f"Another backup is being written to {folder}.") from None
        for left in folder.glob(".backup-*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".backup-") as own:
            yield Path(own)


def _digests() -> dict[str, str]:
    """The digest of every file that a row owns, by its key."""
    digests: dict[str, str] = {}
    for owner in BACKED_UP:
        keys = owner.objects.exclude(storage_key="").order_by("pk")
        digests |= dict(keys.values_list("storage_key", "digest"))
    return digests


def _copies(keys: list[str], folder: Path) -> Iterator[tuple[str, Path | None]]:
    """Each key with a copy of its file, made by several threads; None if the file is missing."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for first in range(0, len(keys), AT_ONCE):
            part = keys[first : first + AT_ONCE]
            # The same names for every part, so that only a few copies take room at a time.
            paths = [folder / f"copy{number}" for number in range(len(part))]
            for key, path, exists in zip(part, paths, pool.map(_copy, part, paths), strict=True):
                yield key, path if exists else None


def _copy(key: str, path: Path) -> bool:
    try:
        with default_storage.open(key) as stored, path.open("wb") as copy:
            shutil.copyfileobj(stored, copy, 1 << 20)
    except FileNotFoundError:
        return False
    return True


def _add_list(archive: tarfile.TarFile, folder: Path, digests: dict[str, str]) -> None:
    listed: dict[str, Any] = {"format": FORMAT, "vendor": connection.vendor, "files": digests}
    if connection.vendor == "postgresql":
        listed["pg_dump"] = postgres.major_version("pg_dump")
    (folder / LIST).write_text(json.dumps(listed))
    archive.add(folder / LIST, LIST)


def _restore_file(archive: tarfile.TarFile, key: str, digest: str) -> None:
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(_member(archive, FILES + key), copy)
        # The storage is not changed before the file has been read and compared.
        copy.seek(0)
        if hashlib.file_digest(copy, "sha256").hexdigest() != digest:
            raise CannotRestore(f"The backup is damaged: {key} does not match its digest.")
        copy.seek(0)
        if default_storage.exists(key):  # from an earlier attempt
            default_storage.delete(key)
        if default_storage.save(key, File(copy)) != key:
            raise CannotRestore(f"The storage did not accept the name {key}.")


def _refuse_unreadable(path: Path) -> None:
    try:
        with tarfile.open(path) as archive:
            archive.getnames()  # goes to the end, so that half a file is found before any change
    except OSError as error:
        raise CannotRestore(f"{path} cannot be read: {error.strerror or error}.") from None
    except (tarfile.TarError, EOFError):
        raise CannotRestore(f"{path} is not a backup of a site, or it is damaged.") from None


def _member(archive: tarfile.TarFile, name: str) -> Any:
    try:
        member = archive.extractfile(name)
    except KeyError:
        member = None
    if member is None:
        raise CannotRestore(f"The backup is damaged: {name} is missing.")
    return member


def _dump_database(path: Path) -> dict[str, str]:
    """The digests of the files that its rows own, by key, read from the same state that is dumped:
    so every file of the backup has its row and every row its file."""
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        with sqlite3.connect(name) as here, sqlite3.connect(path) as there:
            here.backup(there)
            there.execute(f"DELETE FROM {StoredTable._meta.db_table}")  # noqa: S608 - our own table
            there.commit()
            there.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # into the file that is archived
            # From the copy, because the database may have changed since.
            digests: dict[str, str] = {}
            for owner in BACKED_UP:
                table = owner._meta.db_table
                query = f"SELECT storage_key, digest FROM {table} WHERE storage_key <> ''"  # noqa: S608 - our own table
                digests |= dict(there.execute(query))
            return digests
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
        # pg_dump sees the exported snapshot only as long as this transaction is open.
        postgres.dump(snapshot, str(path), without_rows_of=StoredTable._meta.db_table)
        return _digests()


def _load_database(path: Path) -> None:
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        with sqlite3.connect(path) as here, sqlite3.connect(name) as there:
            here.backup(there)
    else:
        try:
            postgres.load(str(path))
        except postgres.ProgramFailed as error:
            raise CannotRestore(str(error)) from None
    connections.close_all()
