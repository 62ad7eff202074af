"""A whole campaign imported into a new site without servers, and scored again under other qrels:
`python -m tools.bench.importing RUNS QRELS TOPICS [RUNS_TABLE]` prints where the time goes.

RUNS is a folder. Processor time tells more than wall time where others use the machine.
"""

import gzip
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GZIP = b"\x1f\x8b"
TURNED_ROUND = 50  # judgments that differ in the other qrels
SLUG = "imported"


@dataclass
class Statements:
    """The statements that this process sends to the database, and how many write on their own or
    begin a transaction."""

    all: int = 0
    commits: int = 0

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        context = rest[-1]
        verb = sql.lstrip()[:6].upper()
        self.all += 1
        is_alone = verb in {"INSERT", "UPDATE", "DELETE"}
        self.commits += verb.startswith("BEGIN") or (
            is_alone and not context["connection"].in_atomic_block
        )
        return execute(sql, *rest)


def main(runs: str, qrels: str, topics: str, *table: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = _folder(Path(place) / "campaign", Path(runs), Path(qrels), Path(topics))
        (Path(place) / "site").mkdir()
        _set_up(Path(place) / "site")
        time_import(folder, Path(table[0]) if table else None)
        time_rescoring(_turned_round(Path(qrels)))


def time_import(folder: Path, table: Path | None) -> None:
    from django.core.management import call_command

    with _timed("import"):
        call_command("import_campaign", str(folder), slug=SLUG, runs_table=table)


def time_rescoring(qrels: bytes) -> None:
    from campaigns.models import Campaign
    from campaigns.qrels.versions import add_qrels
    from scoring.worker import perform_waiting_jobs

    campaign = Campaign.objects.get(slug=SLUG)
    with _timed("request of new scores"):
        add_qrels(campaign=campaign, data=qrels, note="", actor=None)
    with _timed("new scores"):
        perform_waiting_jobs(campaign)


def _set_up(place: Path) -> None:
    """A new site of the default settings: SQLite, and a folder of messages."""
    for name in ("DATABASE_URL", "BROKER_URL", "FILES_DIR", "S3_BUCKET"):
        os.environ.pop(name, None)
    os.environ |= {"DJANGO_SETTINGS_MODULE": "trackside.settings", "VAR_DIR": str(place)}
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _folder(folder: Path, runs: Path, qrels: Path, topics: Path) -> Path:
    """The files as the command expects them."""
    folder.mkdir()
    (folder / "runs").symlink_to(runs.resolve())
    (folder / "qrels").symlink_to(qrels.resolve())
    (folder / "topics").symlink_to(topics.resolve())
    return folder


def _turned_round(qrels: Path) -> bytes:
    """The qrels with some judgments turned round, spread over the file."""
    data = qrels.read_bytes()
    plain = gzip.decompress(data) if data.startswith(GZIP) else data
    lines = plain.decode().splitlines()
    for number in range(0, len(lines), max(len(lines) // TURNED_ROUND, 1)):
        head, _, grade = lines[number].rpartition(" ")
        lines[number] = f"{head} {0 if int(grade) > 0 else 1}"
    return "\n".join(lines).encode() + b"\n"


@contextmanager
def _timed(what: str) -> Iterator[None]:
    from django.db import connection

    statements = Statements()
    wall, processor = time.perf_counter(), time.process_time()
    with connection.execute_wrapper(statements):
        yield
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(
        f"{what}: {wall:.2f} s, {processor:.2f} s of processor time; "
        f"{statements.all:,} statements, {statements.commits:,} commits; "
        f"load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
