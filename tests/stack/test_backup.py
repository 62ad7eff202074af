"""A site backed up and restored elsewhere says what it said."""

import fcntl
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent
NOTHING = Path("/nonexistent")  # a PATH without programs
POSTGRES = os.environ.get("FAULT_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
NAMES = [f"trackside_backup_{os.getpid()}_{which}" for which in ("from", "to")]
FILL = """
from tests.flow_world import run_file
from campaigns.qrels import versions
from campaigns.runs import submission
from campaigns.models import Campaign, Team, Topic
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from scoring.worker import perform_waiting_jobs
campaign = Campaign.objects.create(slug="kept", name="Kept", stage="open", is_accepting=True)
Topic.objects.bulk_create(Topic(campaign=campaign, code=c, position=int(c) - 1) for c in "12")
team = Team.objects.create(campaign=campaign, name="The team")
with submission.stored_upload(SimpleUploadedFile("run.txt", run_file())) as file:
    submission.submit_run(campaign=campaign, team=team, person=None, file=file,
                      submitted_at=timezone.now(), description="")
versions.add_qrels(campaign=campaign, data=b"1 0 d1 1\\n2 0 d2 1\\n", note="", actor=None)
perform_waiting_jobs(campaign)
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from scoring.models import StoredTable
key = default_storage.save("tables/aa/table", ContentFile(b"written again when it is needed"))
StoredTable.objects.create(campaign=campaign, url="/", key="0", state="done", storage_key=key)
"""
LOOK = """
from campaigns.models import Run
from django.core.files.storage import default_storage
from scoring.models import Score
run = Run.objects.get()
print(run.public_id, run.state, default_storage.open(run.storage_key).read() == __import__(
    "tests.flow_world").flow_world.run_file())
print(sorted(Score.objects.values_list("measure", "mean_base")))
"""

HARM = """
from campaigns.models import Qrels, Run
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
default_storage.save("runs/zz/nobodys", ContentFile(b"owned by no row"))
default_storage.delete(Run.objects.get().storage_key)
with open(default_storage.path(Qrels.objects.get().storage_key), "ab") as file:
    file.write(b"damaged")
"""


TABLES = """
from scoring.models import StoredTable
print(StoredTable.objects.count())
"""


RECORDS = """
from scoring.models import Backup
print(*Backup.objects.values_list("files", "faults"))
"""


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LOG_LEVEL": "ERROR", "SECRET_KEY": "x"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def on_sqlite(folder: Path) -> dict[str, str]:
    return {"VAR_DIR": str(folder)}


def on_postgres(folder: Path) -> dict[str, str]:
    name = NAMES[0] if folder.name == "from" else NAMES[1]
    return {
        "VAR_DIR": str(folder),
        "DATABASE_URL": f"{POSTGRES.replace('postgresql:', 'postgres:')}/{name}",
        "BROKER_URL": "redis://127.0.0.1:1/0",  # nobody is wake_ups for
    }


@pytest.fixture
def databases() -> Iterator[None]:
    try:
        server = psycopg.connect(
            f"{POSTGRES}/postgres", autocommit=True, connect_timeout=round(PATIENCE)
        )
    except psycopg.OperationalError as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(f"PostgreSQL does not answer: {error}")
        pytest.skip(f"PostgreSQL does not answer: {error}")
    with server:
        for name in NAMES:
            server.execute(f'CREATE DATABASE "{name}"')
    yield
    with psycopg.connect(f"{POSTGRES}/postgres", autocommit=True) as server:
        for name in NAMES:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(params=[on_sqlite, pytest.param(on_postgres, marks=pytest.mark.long)])
def site(request: pytest.FixtureRequest) -> Callable[[Path], dict[str, str]]:
    """Only the site on PostgreSQL needs its databases."""
    if request.param is on_postgres:
        request.getfixturevalue("databases")
    found: Callable[[Path], dict[str, str]] = request.param
    return found


def test_a_restored_site_says_what_it_said(
    tmp_path: Path, site: Callable[[Path], dict[str, str]]
) -> None:
    here, there = site(tmp_path / "from"), site(tmp_path / "to")
    kept = str(tmp_path / "site.backup")
    for command in (
        ["migrate", "--verbosity", "0"],
        ["shell", "-v", "0", "-c", FILL],
        ["backup", kept],
    ):
        done = manage(here, *command)
        assert done.returncode == 0, done.stderr
    assert Path(kept).stat().st_mode & 0o777 == 0o640
    said = manage(here, "shell", "-v", "0", "-c", LOOK).stdout
    assert "accepted True" in said
    assert "('AP', 0.75)" in said
    half, other = tmp_path / "half.backup", tmp_path / "other.backup"
    half.write_bytes(Path(kept).read_bytes()[:20_000])
    other.write_text("a note")
    for path, told in (
        (tmp_path / "nowhere", "nowhere cannot be read: No such file or directory."),
        (half, "half.backup is not a backup of a site, or it is damaged."),
        (other, "other.backup is not a backup of a site, or it is damaged."),
    ):
        refused = manage(there, "restore", str(path))
        assert (refused.returncode, refused.stderr) == (1, f"CommandError: {path.parent}/{told}\n")
    done = manage(there, "restore", kept)
    assert done.returncode == 0, done.stderr
    assert manage(there, "shell", "-v", "0", "-c", LOOK).stdout == said
    counts = [manage(each, "shell", "-v", "0", "-c", TABLES).stdout for each in (here, there)]
    assert counts == ["1\n", "0\n"]
    refused = manage(there, "restore", kept)
    assert (refused.returncode, "not empty" in refused.stderr) == (1, True)
    assert manage(here, "shell", "-v", "0", "-c", HARM).returncode == 0
    second = tmp_path / "second.backup"
    done = manage(here, "backup", str(second))
    assert (done.returncode, second.exists()) == (1, True)
    assert "is missing from the storage" in done.stderr
    assert "differs from the file that was stored" in done.stderr
    with tarfile.open(kept) as whole, tarfile.open(second) as harmed:
        assert len(harmed.getnames()) == len(whole.getnames()) - 1
        assert not [name for name in harmed.getnames() if "nobodys" in name]
        assert not [name for name in whole.getnames() if "tables" in name]


def test_backups_of_a_folder_are_named_by_their_time_and_the_latest_are_kept(
    tmp_path: Path, site: Callable[[Path], dict[str, str]]
) -> None:
    here, folder = site(tmp_path / "from"), tmp_path / "backups"
    assert manage(here, "migrate", "--verbosity", "0").returncode == 0
    refused = manage(here, "backup", str(folder / "site.tar"))
    assert (refused.returncode, "No such file or directory" in refused.stderr) == (1, True)
    assert refused.stderr.startswith("CommandError: No backup was made.")
    folder.mkdir()
    left = folder / ".backup-of-a-killed-one"
    left.mkdir()
    (left / "draft").write_text("half")
    others = [folder / name for name in ("site-2020-01-01T030000Z.tar", "site.tar", "notes.txt")]
    for path in others:
        path.write_text("older, or somebody's own")
    done = manage(here, "backup", str(folder), "--keep", "1")
    assert done.returncode == 0, done.stderr
    assert "site-2020-01-01T030000Z.tar is older and was deleted." in done.stdout
    (made,) = folder.glob("site-*.tar")
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [".backup.lock", "notes.txt", "site.tar", made.name]
    )
    with tarfile.open(made) as archive:
        assert archive.getnames() == ["database", "list.json"]
    assert manage(here, "shell", "-v", "0", "-c", RECORDS).stdout == "(0, 0)\n"
    with (folder / ".backup.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused = manage(here, "backup", str(folder))
    assert refused.stderr == (
        f"CommandError: No backup was made. Another backup is being written to {folder}.\n"
    )
    if "DATABASE_URL" in here:
        refused = manage(here | {"PATH": str(NOTHING)}, "backup", str(folder))
        said = "CommandError: No backup was made. pg_dump is not installed. Install the programs of"
        assert (refused.returncode, refused.stderr[: len(said)]) == (1, said)
    assert list(folder.glob("site-*.tar")) == [made]
