"""`make gate` tries what is committed, hands on the real runs, and notes only a whole green run."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE, wait_for
from tools import gate

ROOT = Path(__file__).resolve().parent.parent
GREEN = '#!/bin/sh\necho "steps: $*"\necho "data: $TRACKSIDE_DATA"\ncat measured\n'


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a gate of one line, beside real runs."""
    monkeypatch.delenv("TRACKSIDE_DATA", raising=False)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "A. Person")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    (tmp_path / "shared" / "data").mkdir(parents=True)
    folder = tmp_path / "trackside"
    (folder / ".ci").mkdir(parents=True)
    (folder / ".gitignore").write_text("var/\n")
    (folder / "measured").write_text("committed\n")
    git(folder, "init", "--quiet")
    commit(folder, GREEN)
    return folder


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, program: str) -> str:
    (folder / ".ci" / "run").write_text(program)
    (folder / ".ci" / "run").chmod(0o755)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A change")
    return git(folder, "rev-parse", "HEAD")


def test_a_whole_green_run_is_noted(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert gate.main([], checkout) == 0
    head = git(checkout, "rev-parse", "HEAD")
    assert (checkout / "var" / "gate").read_text() == f"{head}\n"
    printed = capfd.readouterr().out
    assert f"data: {checkout.parent}/shared/data\n" in printed
    assert "NOT TRIED" not in printed
    assert "SKIPPED" not in printed
    assert (checkout / "var" / "gate.log").read_text() in printed


def test_a_red_run_is_not_noted_and_its_clone_is_kept(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commit(checkout, f"{GREEN}exit 3\n")
    assert gate.main([], checkout) == 3
    assert not (checkout / "var" / "gate").exists()
    kept = capfd.readouterr().out.splitlines()[-1].removeprefix("The clone is kept: ")
    assert (Path(kept) / "measured").is_file()


def test_a_part_is_not_noted(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert gate.main(["lint", "test"], checkout) == 0
    assert "steps: lint test\n" in capfd.readouterr().out
    assert not (checkout / "var" / "gate").exists()


def test_what_is_not_committed_is_not_tried_and_named(
    checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (checkout / "measured").write_text("not committed\n")
    (checkout / "another").write_text("new\n")
    assert gate.main([], checkout) == 0
    printed = capfd.readouterr().out
    assert "NOT TRIED: 2 files with changes" in printed
    assert "\ncommitted\n" in printed


def test_missing_real_runs_are_named(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (checkout.parent / "shared" / "data").rmdir()
    assert gate.main([], checkout) == 0
    assert "SKIPPED: all tests of real runs" in capfd.readouterr().out


def test_it_is_not_misled_by_the_git_or_make_that_calls_it(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As from a hook of git, and by `make gate STEPS=...`."""
    monkeypatch.setenv("GIT_DIR", str(ROOT / ".git"))
    monkeypatch.setenv("MAKEFLAGS", " -- TESTS=tests/test_gate.py")
    (checkout / ".ci" / "run").write_text("")
    assert gate.main([], checkout) == 0
    monkeypatch.undo()
    assert (checkout / "var" / "gate").read_text().strip() == git(checkout, "rev-parse", "HEAD")
    assert "steps:" in capfd.readouterr().out


def test_an_interrupted_gate_ends_after_what_it_has_started(checkout: Path, tmp_path: Path) -> None:
    """As containers and servers, which need longer than the quarter of a second that Python gives
    to a program."""
    begun, stopped, over = (tmp_path / name for name in ("begun", "stopped", "over"))
    stops = f"trap 'sleep 0.5; touch {stopped}; exit 130' INT"
    commit(
        checkout, f"#!/bin/sh\n{stops}\ntouch {begun}\nuntil [ -e {over} ]; do sleep 0.02; done\n"
    )
    (checkout / "tools").mkdir()
    shutil.copy(gate.__file__, checkout / "tools")
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.gate"], cwd=checkout, start_new_session=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    try:
        wait_for("the gate to begin", begun.exists)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE) != 0
        assert stopped.exists()
        assert not (checkout / "var" / "gate").exists()
    finally:
        over.touch()


def test_an_unknown_step_is_an_error_before_anything_is_done() -> None:
    done = subprocess.run([ROOT / ".ci/run", "tests"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no step tests. The steps are: lint docs-site test ")
