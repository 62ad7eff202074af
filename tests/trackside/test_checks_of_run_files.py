"""The hook of pre-commit and the action of GitHub that check run files."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GOOD, BAD = "1 Q0 A 1 3.0 good\n", "1 Q0 A 1 nan bad\n"
TOPICS = "1\tone\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runs" / "of a team").mkdir(parents=True)
    (tmp_path / "runs" / "good.run").write_text(GOOD)
    (tmp_path / "runs" / "of a team" / "bad.run").write_text(BAD)
    (tmp_path / "topics.txt").write_text(TOPICS)
    command = tmp_path / "bin" / "trackside"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trackside "$@"\n')
    command.chmod(0o755)
    return tmp_path


def run(command: list[str], folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)} | inputs
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.mark.parametrize(
    ("runs", "depth", "status", "said"),
    [
        ("runs/*.run", "", 0, "runs/good.run: accepted"),
        ("runs/**/*.run", "", 2, "runs/of a team/bad.run: line 1: SCORE"),
        ("runs/good.run runs/*.run", "10", 0, "runs/good.run: accepted"),
        ("runs/*.gz", "", 2, "::error::no file is called runs/*.gz"),
    ],
)
def test_the_action_checks_the_files_of_a_pattern(
    folder: Path, runs: str, depth: str, status: int, said: str
) -> None:
    step = action()["runs"]["steps"][-1]
    found = run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        folder,
        RUNS=runs,
        TOPICS="topics.txt",
        DEPTH=depth,
    )
    assert found.returncode == status
    assert said in found.stdout + found.stderr


def test_the_inputs_of_the_action_reach_its_commands_as_variables_only() -> None:
    """An input inside of a command would be run as shell code."""
    described = action()
    for step in described["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    used = re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text())
    assert sorted(used) == sorted(described["inputs"])


def test_the_hook_checks_the_files_of_a_commit(folder: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    command = [*hook["entry"].split(), "--topics", "topics.txt"]
    assert run([*command, "runs/good.run"], folder).returncode == 0
    found = run([*command, "runs/good.run", "runs/of a team/bad.run"], folder)
    assert found.returncode == 2
    assert "runs/of a team/bad.run: line 1: SCORE" in found.stderr
    assert [bool(re.search(hook["files"], name)) for name in ("a.run", "b.run.gz", "c.txt")] == [
        True,
        True,
        False,
    ]
