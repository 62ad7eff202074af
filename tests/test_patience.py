"""What tests wait for, and how long."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests import patience
from tests.patience import wait_for

ROOT = Path(__file__).resolve().parent.parent
WAITS = {"communicate", "join", "settimeout", "wait"}
# `make load` measures how long others wait. The limits of probes are those of the product.
OTHERS = {"Probe"}


def test_the_first_true_answer_is_given() -> None:
    answers = iter([None, [], [3], [4]])
    assert wait_for("an answer", lambda: next(answers)) == [3]


def test_a_wait_in_vain_says_for_what_and_explains_it() -> None:
    with pytest.raises(AssertionError, match=r"^Waited 0 s for a run\. The log is empty$"):
        wait_for("a run", lambda: None, patience=0, explain=lambda: "The log is empty")


def test_a_wait_ends_before_the_time_limit_of_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_no_wait_after", 0.0)
    with pytest.raises(AssertionError, match="for a run"):
        wait_for("a run", lambda: None)


def test_the_time_limit_grows_with_the_patience() -> None:
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "tests/test_caches.py"],
        cwd=ROOT, capture_output=True, text=True,
        env=environment | {"PYTEST_TIMEOUT": "300", "TEST_PATIENCE": "2"},
    )  # fmt: skip
    assert "timeout: 600.0s" in done.stdout


def test_no_wait_has_a_limit_of_its_own() -> None:
    """A second may be shorter than a stall, and is used where a wait is meant to end in vain."""
    files = [path for path in ROOT.glob("tests/**/*.py") if "load" not in path.parts]
    assert [f"{path.relative_to(ROOT)}:{at}" for path in files for at in own_limits(path)] == []


def test_a_stall_of_five_seconds_makes_no_worker_silent_and_ends_no_lease() -> None:
    shortest = min(2 * settings.SWEEP_SECONDS, settings.LEASE_SECONDS)
    assert shortest > 5


def own_limits(path: Path) -> Iterator[int]:
    """The lines of waits with a number of seconds that the patience does not change."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        callee = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else callee
        limits = [each.value for each in node.keywords if (each.arg or "").endswith("timeout")]
        limits += node.args[:1] if callee in WAITS else []
        for limit in limits:
            is_number = isinstance(limit, ast.Constant) and isinstance(limit.value, (int, float))
            if is_number and limit.value > 1 and name not in OTHERS:
                yield node.lineno
