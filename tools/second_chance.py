"""Runs a tier of the tests, and each test that failed in it once more, alone:

    python -m tools.second_chance make test

On a busy machine a test can fail beside others although nothing is wrong. The tier is green if each
failed test passes when all failed tests are run again, one after another in one process. They are
listed under "Passed when rerun alone", each with its first error: they are defects to mend.

There is no second run if more than MOST_FAILURES tests failed, a test reached its time limit, a
collected test was not run, pytest ended otherwise than with failed tests, or the time
SECOND_CHANCES_UNTIL of the environment (seconds since 1970) has passed. The second run is ended
after SECONDS_ALONE.

The command names a target of make, and perhaps TESTS; the target hands TESTS and ARGS to pytest. As
a plugin of pytest this module writes the results of a run to a file. Where TEST_COUNTS of the
environment names a file, it gets a line with the number of tests and one for each reason why tests
were skipped.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

MOST_FAILURES = 10
MOST_CHARACTERS = 300  # of an error
SECONDS_ALONE = 20 * 60  # a thread that a failed test has left can keep pytest from ending


@dataclass
class Results:
    """The results of one run of pytest; tests are named by their node ids."""

    exit_status: int | None = None  # None if it did not come to its end
    collected: int = 0  # without deselected tests
    finished: int = 0  # passed, failed or skipped
    passed: list[str] = field(default_factory=list)  # each part of them
    errors: dict[str, str] = field(default_factory=dict)  # the first error of each failed test
    skipped: dict[str, str] = field(default_factory=dict)  # why, of each skipped test or file
    timed_out: list[str] = field(default_factory=list)
    lost_workers: int = 0  # died, and no test failed for it


# --- the plugin ---------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--results", type=Path, required=True, help="file for the results, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # pytest-xdist reports everything to its controller
        config.pluginmanager.register(_Recorder(config.getoption("results")))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "_Scheduling":
    return _Scheduling(config, log)


class _Scheduling(LoadGroupScheduling):
    """When a worker dies, pytest-xdist 3.8 runs all its tests again: also the one that ended it,
    and groups without any test left, for which it then waits (its issues 1323 and 1378). This
    scheduler hands out only the tests that have not begun."""

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """A worker that collects other tests than the first ones did would never get one."""
        super().add_node_collection(node, collection)
        if node not in self.registered_collections:
            raise RuntimeError(f"{node} collects other tests than the worker that it replaces")

    def remove_node(self, node: WorkerController) -> str | None:
        groups = self.assigned_work.pop(node)
        left = [
            (group, test)
            for group, tests in groups.items()
            for test, done in tests.items()
            if not done
        ]
        if not left:
            return None
        (group, crashed), *_ = left
        groups[group][crashed] = True
        self.workqueue.update(
            {name: tests for name, tests in groups.items() if not all(tests.values())}
        )
        for other in self.nodes:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: WorkerController) -> None:
        """Not before it has collected the tests (pytest-xdist's issue 1189)."""
        if node in self.registered_collections:
            super()._reschedule(node)


class _Recorder:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._results = Results()
        self._finished: set[str] = set()
        self._passed: dict[str, bool] = {}  # False if a part of the test failed or was skipped

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = _without_group(report.nodeid)
        if report.when not in {"setup", "call"}:
            self._finished.add(test)
        if report.when == "call" or not report.passed:
            self._passed[test] = report.passed and self._passed.get(test, True)
        if report.skipped:
            self._results.skipped[test] = _reason(report)
        if report.failed:
            self._results.errors.setdefault(test, _first_error(report))
            if "Failed: Timeout (>" in report.longreprtext:  # of pytest-timeout
                self._results.timed_out.append(test)
        if report.when == "???":  # it failed because its worker died
            self._results.lost_workers -= 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._results.skipped[report.nodeid] = _reason(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object) -> None:
        self._results.lost_workers += error is not None

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self._results.exit_status = int(exitstatus)
        self._results.collected = session.testscollected
        self._results.finished = len(self._finished)
        self._results.passed = [test for test, passed in self._passed.items() if passed]
        self._path.write_text(json.dumps(asdict(self._results)))


def _without_group(test: str) -> str:
    """Without the "@group" that pytest-xdist appends for `--dist loadgroup`."""
    at = test.rfind("@")
    return test[:at] if at > max(test.rfind("]"), test.rfind("::")) else test


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why it was skipped; for a test that was expected to fail, why it was."""
    place = report.longrepr
    why = place[2] if isinstance(place, tuple) else f"expected: {getattr(report, 'wasxfail', '')}"
    return why.removeprefix("Skipped: ").partition("\n")[0][:MOST_CHARACTERS]


def _first_error(report: pytest.TestReport) -> str:
    crash: Any = getattr(report.longrepr, "reprcrash", None)
    lines = (crash.message if crash else str(report.longrepr)).strip().splitlines()
    return lines[0][:MOST_CHARACTERS] if lines else "without a message"


# --- the two runs -------------------------------------------------------------------------------


def main(command: Sequence[str]) -> int:
    """Runs the command and returns the verdict as an exit status."""
    with tempfile.TemporaryDirectory() as folder:
        status, first = _run(command, Path(folder, "first.json"))
        if status == 0 and not fault_of(first):
            _write_counts(first, {})
            return 0
        if refusal := fault_of(first) or refusal_of(first):
            _write_counts(first, {})
            print(f"\n== No second run: {refusal}", flush=True)
            return 1
        tests = Path(folder, "tests")
        tests.write_text("".join(f"{test}\n" for test in first.errors))
        print(f"\n== The failed tests alone, {len(first.errors)}", flush=True)
        alone = ["timeout", "--kill-after=10", str(SECONDS_ALONE), *command, f"TESTS=@{tests}"]
        status, second = _run(alone, Path(folder, "second.json"), "-n 0")
    passed = {test: error for test, error in first.errors.items() if test in second.passed}
    others = {
        test: second.errors.get(test, "not passed") for test in first.errors if test not in passed
    }
    _write_counts(first, passed)
    _print("Passed when rerun alone", passed)
    _print("Did not pass when rerun alone", others)
    if fault := fault_of(second) or (status and f"the command ended with exit status {status}"):
        print(f"\n== The second run: {fault}", flush=True)
    return 1 if others or fault else 0


def _write_counts(results: Results, passed_alone: Collection[str]) -> None:
    if not (file := os.environ.get("TEST_COUNTS")):
        return
    counts = {
        "passed": len(results.passed),
        "failed": len(results.errors) - len(passed_alone),
        "passed when rerun alone": len(passed_alone),
        "skipped": len(results.skipped),
    }
    told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    reasons = Counter(results.skipped.values()).most_common()
    lines = (told or "none", *(f"{count} for this reason: {reason}" for reason, count in reasons))
    Path(file).write_text("".join(f"{line}\n" for line in lines))


def _run(command: Sequence[str], file: Path, *options: str) -> tuple[int, Results]:
    """The exit status of the command, and the results of pytest if it came to write them. After
    SIGINT this waits: pytest got it too, and stops what its tests have started."""
    arguments = " ".join([*options, "-p tools.second_chance", f"--results={file}"])
    with subprocess.Popen([*command, f"ARGS={arguments}"]) as process:  # noqa: S603 - as we were told
        try:
            status = process.wait()
        except KeyboardInterrupt:
            if process.poll() is None and os.getpgid(process.pid) != os.getpgrp():  # of `timeout`
                process.send_signal(signal.SIGINT)
            process.wait()
            raise
    return status, Results(**json.loads(file.read_text())) if file.exists() else Results()


def fault_of(results: Results) -> str:
    """What is wrong besides failed tests; empty if nothing is."""
    if results.exit_status is None:
        return "pytest did not come to its end"
    if results.exit_status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        return f"the exit status of pytest is {results.exit_status}"
    if results.finished != results.collected:
        return f"{results.finished} of {results.collected} collected tests were run"
    if results.lost_workers:
        return "a worker died outside a test"
    return ""


def refusal_of(results: Results) -> str:
    """Why the failed tests are not run again; empty if they are."""
    if not results.errors:
        return "the command failed, and no test did"
    if len(results.errors) > MOST_FAILURES:
        return f"{len(results.errors)} tests failed, more than {MOST_FAILURES}"
    if results.timed_out:
        return f"a test reached its time limit: {', '.join(results.timed_out)}"
    if time.time() > float(os.environ.get("SECOND_CHANCES_UNTIL", "inf")):
        return "too much time has passed"
    return ""


def _print(heading: str, errors: dict[str, str]) -> None:
    if errors:
        lines = (f"{test}: {error}" for test, error in errors.items())
        print(f"\n== {heading}", *lines, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
