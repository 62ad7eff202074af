"""The disk that holds a database of SQLite is full: pages go on, and nothing is lost."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.patience import PATIENCE, wait_for
from tests.stack.submissions import PREPARE, fetch
from trackside.folders import BASE_DIR
from trackside.processes import HOST, SERVE, free_port, listens

pytestmark = [pytest.mark.long, pytest.mark.faults]
BOARD = "/campaigns/stack/leaderboard/"
LOGIN = "/accounts/login/"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    made = ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(tmp_path)]
    mounted = subprocess.run(made, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"only root makes a disk of twenty megabytes: {mounted.stderr.decode()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def test_pages_go_on_while_the_disk_of_the_database_is_full(disk: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "VAR_DIR": str(disk / "var"),
        "DJANGO_SETTINGS_MODULE": "trackside.settings",
    }

    def manage(*words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=BASE_DIR, env=environment, check=True, capture_output=True, text=True
        ).stdout

    manage("migrate", "--verbosity", "0")
    made = PREPARE.format(slug="stack", topics=5, facts="")
    manage("shell", "--verbosity", "0", "-c", made)
    port = free_port()
    with (disk.parent / "web.log").open("ab") as log:
        web = subprocess.Popen(
            [*SERVE, "--bind", f"{HOST}:{port}"], cwd=BASE_DIR, env=environment, stdout=log,
            stderr=log,
        )  # fmt: skip
    try:
        wait_for("the site", lambda: listens(port))
        before = {path: fetch(port, path)[0] for path in ("/", BOARD, LOGIN)}
        with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(bytes(4096))
        for _ in range(4):  # both processes
            assert {path: fetch(port, path)[0] for path in before} == before
        assert fetch(port, "/healthz?of=web")[0] == 503
        (disk / "filler").unlink()
        assert {path: fetch(port, path)[0] for path in before} == before
    finally:
        web.terminate()
        web.wait(PATIENCE)
