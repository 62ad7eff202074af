"""A whole site in one file, and back: the database first, then every file that a row owns.

Taken while people upload, a file that came after the database was read is left out with its row;
one that was deleted meanwhile (a refused run's) is named, and its row says on restore what it says
after any loss: the file is gone. Restored in the other order, files before rows, so that at no
moment a row points to nothing.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connection, connections

from scoring.housekeeping import OWNERS

DATABASE, FILES, LIST = "database", "files/", "list.json"
FORMAT = 1


class CannotRestore(Exception):
    """The message says why; nothing was changed."""


@dataclass(frozen=True)
class Backup:
    """What a backup holds. `missing` are files that their rows name and the storage lacks."""

    files: int
    missing: tuple[str, ...]


def back_up(path: Path) -> Backup:
    """Writes the site to `path`, whole or not at all."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as folder:
        dump, draft = Path(folder) / DATABASE, Path(folder) / "draft"
        before = set(_keys())
        _dump_database(dump)
        digests: dict[str, str] = {}
        missing = []
        with tarfile.open(draft, "w") as archive:
            archive.add(dump, DATABASE)
            for key in sorted(before | set(_keys())):
                try:
                    digests[key] = _add_file(archive, key)
                except FileNotFoundError:
                    missing.append(key)
            _add_list(archive, Path(folder), digests)
        os.replace(draft, path)
    return Backup(files=len(digests), missing=tuple(missing))


def restore(path: Path) -> int:
    """Puts the site of a backup into an empty database and its storage; how many files. Raises
    `CannotRestore` for a backup of another kind of database, a broken one, and a database in use.
    """
    if connection.introspection.table_names():
        raise CannotRestore("The database is not empty: restore into a new one.")
    with tarfile.open(path) as archive, tempfile.TemporaryDirectory() as folder:
        listed = json.load(_member(archive, LIST))
        if (listed["format"], listed["vendor"]) != (FORMAT, connection.vendor):
            raise CannotRestore(
                f"The backup is of {listed['vendor']}, and the site's database {connection.vendor}."
            )
        for key, digest in listed["files"].items():
            _restore_file(archive, key, digest)
        dump = Path(folder) / DATABASE
        with dump.open("wb") as out:
            shutil.copyfileobj(_member(archive, DATABASE), out)
        _load_database(dump)
    return len(listed["files"])


def _keys() -> Iterator[str]:
    """The files that rows own, now."""
    for owner in OWNERS.values():
        keys = owner.objects.exclude(storage_key="").order_by("pk")
        yield from keys.values_list("storage_key", flat=True).iterator()


def _add_file(archive: tarfile.TarFile, key: str) -> str:
    """Its sha256."""
    with default_storage.open(key) as stored, tempfile.TemporaryFile() as copy:
        digest = hashlib.sha256()
        while block := stored.read(1 << 20):
            digest.update(block)
            copy.write(block)
        entry = tarfile.TarInfo(FILES + key)
        entry.size = copy.tell()
        copy.seek(0)
        archive.addfile(entry, copy)
    return digest.hexdigest()


def _add_list(archive: tarfile.TarFile, folder: Path, digests: dict[str, str]) -> None:
    listed = {"format": FORMAT, "vendor": connection.vendor, "files": digests}
    (folder / LIST).write_text(json.dumps(listed))
    archive.add(folder / LIST, LIST)


def _restore_file(archive: tarfile.TarFile, key: str, digest: str) -> None:
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(_member(archive, FILES + key), copy)
        copy.seek(0)
        if hashlib.file_digest(copy, "sha256").hexdigest() != digest:
            raise CannotRestore(f"The backup is broken: {key} is not what was backed up.")
        copy.seek(0)
        if default_storage.exists(key):  # from an attempt before
            default_storage.delete(key)
        if default_storage.save(key, File(copy)) != key:
            raise CannotRestore(f"The storage would not take {key} by its name.")


def _member(archive: tarfile.TarFile, name: str) -> Any:
    try:
        found = archive.extractfile(name)
    except KeyError:
        found = None
    if found is None:
        raise CannotRestore(f"The backup is broken: it has no {name}.")
    return found


def _dump_database(path: Path) -> None:
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        with sqlite3.connect(facts["NAME"]) as here, sqlite3.connect(path) as there:
            here.backup(there)
        return
    _run_postgres(
        "pg_dump", "--format=custom", "--no-owner", "--file", str(path), str(facts["NAME"])
    )


def _load_database(path: Path) -> None:
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        with sqlite3.connect(path) as here, sqlite3.connect(facts["NAME"]) as there:
            here.backup(there)
    else:
        _run_postgres("pg_restore", "--no-owner", "--exit-on-error", "--single-transaction",
                      "--dbname", str(facts["NAME"]), str(path))  # fmt: skip
    connections.close_all()


def _run_postgres(program: str, *arguments: str) -> None:
    facts = connection.settings_dict
    named = {"PGHOST": facts["HOST"], "PGPORT": facts["PORT"], "PGUSER": facts["USER"]}
    secret = {"PGPASSWORD": facts["PASSWORD"]} if facts["PASSWORD"] else {}
    environment = os.environ | {k: str(v) for k, v in named.items() if v} | secret
    subprocess.run([program, *arguments], env=environment, check=True)  # noqa: S603 - named above
