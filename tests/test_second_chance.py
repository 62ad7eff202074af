"""A tier is green only if each test that failed beside others passes alone. Each case is a folder
with a Makefile, run as `.ci/run` runs a tier."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE, wait_for
from tools.second_chance import MOST_FAILURES, Results, fault_of

ROOT = Path(__file__).resolve().parent.parent
PASSES = "def test_passes(): pass\n"
FAILS = "def test_fails(): assert 1 == 2\n"
IMPORTS = "import os, signal, time, uuid\nimport pytest\n"
BESIDE = 'BESIDE = "PYTEST_XDIST_WORKER" in os.environ\n'
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
PLUGINS = "-p xdist.plugin -p pytest_timeout"
MAKEFILE = f"""
test:
	{sys.executable} -m pytest {PLUGINS} -n 2 --dist loadgroup $(TESTS) $(ARGS)
"""


@dataclass(frozen=True)
class Verdict:
    is_green: bool
    printed: str

    @property
    def runs(self) -> int:
        return self.printed.count("test session starts")

    def lines_after(self, heading: str) -> list[str]:
        _, _, after = self.printed.partition(f"\n== {heading}\n")
        return after.split("\n\n")[0].splitlines()


def started(
    folder: Path,
    *modules: str,
    makefile: str = MAKEFILE,
    program: tuple[str, str] = ("-m", "tools.second_chance"),
    **environment: str,
) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    for number, source in enumerate(modules):
        (folder / f"test_{number}.py").write_text(IMPORTS + BESIDE + source)
    (folder / "Makefile").write_text(makefile)
    (folder / "pytest.ini").write_text("[pytest]\n")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(
            ("MAKE", "MFLAGS", "PYTEST_", "SECOND_CHANCES", "TEST_COUNTS", "TESTS", "ARGS")
        )
    }
    alone = {
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_DEBUG_TEMPROOT": str(folder),  # else it deletes the files of earlier runs
        **environment,
    }
    return subprocess.Popen(
        [sys.executable, *program, "make", "--silent", "test"], start_new_session=True,
        cwd=folder, env=kept | alone, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def verdict(folder: Path, *modules: str, **settings: Any) -> Verdict:
    process = started(folder, *modules, **settings)
    printed, _ = process.communicate()
    return Verdict(process.returncode == 0, printed)


def test_tests_that_pass_are_run_once(tmp_path: Path) -> None:
    passing = verdict(tmp_path, PASSES)
    assert (passing.is_green, passing.runs) == (True, 1)


def test_a_test_that_fails_beside_others_and_passes_alone_is_green_and_listed(
    tmp_path: Path,
) -> None:
    """Its id has what make, a shell and pytest-xdist read as their own."""
    name = "/a/{slug}/?m={m}&b=$HOME 'c' \"d\" [e] @f #g é"
    source = f"""
@pytest.mark.xdist_group("crowd")
@pytest.mark.parametrize("at", [1, 2], ids=[{name!r}, "other"])
def test_beside(at):
    assert not (BESIDE and at == 1), "first line\\nsecond line"
"""
    beside = verdict(tmp_path, PASSES, source, PASSES)
    assert (beside.is_green, beside.runs) == (True, 2)
    (line,) = beside.lines_after("Passed when rerun alone")
    assert line.startswith("test_1.py::test_beside[/a/{slug}/?m={m}&b=$HOME 'c'")
    assert line.endswith("]: AssertionError: first line")
    assert "1 passed" in beside.printed.partition("== The failed tests alone")[2]


@pytest.mark.long
def test_an_error_in_a_fixture_has_a_second_chance_too(tmp_path: Path) -> None:
    source = """
@pytest.fixture(params=["before", "after"])
def part(request):
    assert not (BESIDE and request.param == "before")
    yield
    assert not BESIDE
def test_with_it(part): pass
"""
    beside = verdict(tmp_path, source)
    assert (beside.is_green, len(beside.lines_after("Passed when rerun alone"))) == (True, 2)


def test_a_test_that_fails_again_is_red(tmp_path: Path) -> None:
    failing = verdict(tmp_path, FAILS, "def test_beside(): assert not BESIDE\n")
    assert (failing.is_green, failing.runs) == (False, 2)
    assert failing.lines_after("Did not pass when rerun alone") == [
        "test_0.py::test_fails: assert 1 == 2"
    ]
    assert len(failing.lines_after("Passed when rerun alone")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def test_skips():\n    assert not BESIDE\n    pytest.skip('alone')\n",
        "@pytest.mark.parametrize('id', [uuid.uuid4().hex if not BESIDE else 'x'])\n"
        "def test_has_another_name(id): assert False\n",
        "def test_skips_after_a_part(subtests):\n    with subtests.test(): pass\n"
        "    assert not BESIDE\n    pytest.skip('alone')\n",
        "@pytest.mark.xfail(not BESIDE, reason='alone')\ndef test_is_expected(): assert False\n",
    ],
    ids=["skipped", "missing", "skipped in part", "expected to fail"],
)
@pytest.mark.long
def test_a_test_that_does_not_pass_alone_is_red(tmp_path: Path, source: str) -> None:
    lost = verdict(tmp_path, PASSES, source)
    assert (lost.is_green, lost.runs) == (False, 2)
    assert len(lost.lines_after("Did not pass when rerun alone")) == 1


def test_the_counts_and_the_reasons_of_skips_are_written(tmp_path: Path) -> None:
    source = """
@pytest.mark.parametrize("n", [1, 2])
def test_without_data(n): pytest.skip("TRACKSIDE_DATA names no folder")
@pytest.mark.xfail(reason="not built")
def test_is_expected(): assert False
def test_beside(): assert not BESIDE
"""
    module = "pytest.importorskip('no_such_package', reason='no package')\n"
    counts = tmp_path / "counts"
    told = verdict(tmp_path / "tests", PASSES, FAILS, source, module, TEST_COUNTS=str(counts))
    assert not told.is_green
    assert counts.read_text().splitlines() == [
        "1 passed, 1 failed, 1 passed when rerun alone, 4 skipped",
        "2 for this reason: TRACKSIDE_DATA names no folder",
        "1 for this reason: no package",
        "1 for this reason: expected: not built",
    ]
    whole = verdict(tmp_path / "whole", PASSES, TEST_COUNTS=str(counts))
    assert (whole.is_green, counts.read_text()) == (True, "1 passed\n")


@pytest.mark.long
def test_so_many_failing_tests_are_not_run_again(tmp_path: Path) -> None:
    source = "@pytest.mark.parametrize('n', range({}))\ndef test_beside(n): assert not BESIDE\n"
    most = verdict(tmp_path / "most", source.format(MOST_FAILURES))
    assert (most.is_green, most.runs) == (True, 2)
    more = verdict(tmp_path / "more", source.format(MOST_FAILURES + 1))
    assert (more.is_green, more.runs) == (False, 1)
    assert "== No second run: 11 tests failed, more than 10" in more.printed


@pytest.mark.long
def test_a_time_limit_that_was_reached_is_red(tmp_path: Path) -> None:
    source = "@pytest.mark.timeout(1)\ndef test_hangs():\n    while BESIDE: time.sleep(0.1)\n"
    hanging = verdict(tmp_path, PASSES, source)
    assert (hanging.is_green, hanging.runs) == (False, 1)
    assert "reached its time limit: test_1.py::test_hangs" in hanging.printed


@pytest.mark.long
def test_nothing_is_run_again_when_too_much_time_has_passed(tmp_path: Path) -> None:
    source = "def test_beside(): assert not BESIDE\n"
    late = verdict(tmp_path, source, SECOND_CHANCES_UNTIL="1000")
    assert (late.is_green, late.runs) == (False, 1)
    assert "too much time has passed" in late.printed


def test_a_command_that_runs_no_tests_is_red(tmp_path: Path) -> None:
    assert not verdict(tmp_path, PASSES, makefile="test:\n\ttrue $(ARGS)\n").is_green


@pytest.mark.long
def test_a_command_that_fails_after_its_tests_is_red(tmp_path: Path) -> None:
    failing = verdict(tmp_path / "passing", PASSES, makefile=f"{MAKEFILE}\tfalse\n")
    assert (failing.is_green, failing.runs) == (False, 1)
    beside = "def test_beside(): assert not BESIDE\n"
    failing = verdict(tmp_path / "beside", beside, makefile=f"{MAKEFILE}\tfalse\n")
    assert (failing.is_green, failing.runs) == (False, 2)


@pytest.mark.long
def test_a_second_run_that_does_not_come_to_its_end_is_red(tmp_path: Path) -> None:
    source = """
@pytest.fixture
def ending():
    yield
    if not BESIDE: pytest.exit("early", returncode=0)
def test_beside(ending): assert not BESIDE
"""
    early = verdict(tmp_path, source)
    assert (early.is_green, early.runs) == (False, 2)


@pytest.mark.long
def test_a_second_run_that_never_ends_is_ended_and_red(tmp_path: Path) -> None:
    source = """
def test_leaves_a_thread():
    import threading
    threading.Thread(target=time.sleep, args=(3600,)).start()
    assert not BESIDE
"""
    code = (
        "import sys; from tools import second_chance as script; script.SECONDS_ALONE = 5; "
        "sys.exit(script.main(sys.argv[1:]))"
    )
    assert not verdict(tmp_path, source, program=("-c", code)).is_green


def test_nothing_collected_is_red(tmp_path: Path) -> None:
    assert not verdict(tmp_path, "").is_green


@pytest.mark.long
def test_a_module_that_cannot_be_imported_is_red(tmp_path: Path) -> None:
    broken = verdict(tmp_path, PASSES, "assert not BESIDE\n")
    assert (broken.is_green, broken.runs) == (False, 1)


@pytest.mark.long
def test_a_worker_that_is_killed_beside_others_has_a_second_chance(tmp_path: Path) -> None:
    source = f"def test_is_killed():\n    if BESIDE: {KILLED}\n"
    killed = verdict(tmp_path, PASSES, source, PASSES)
    assert (killed.is_green, killed.runs) == (True, 2)
    (line,) = killed.lines_after("Passed when rerun alone")
    assert line.startswith("test_1.py::test_is_killed: worker 'gw")


@pytest.mark.parametrize(
    "source",
    [
        f"def test_is_killed(): {KILLED}\n",
        "def test_kills_pytest(): os.kill(os.getppid(), signal.SIGKILL)\n",
        "@pytest.fixture(autouse=True, scope='session')\n"
        f"def at_the_end():\n    yield\n    {KILLED}\n{PASSES}",
    ],
    ids=["again", "pytest itself", "after its last test"],
)
@pytest.mark.long
def test_a_killed_process_is_red(tmp_path: Path, source: str) -> None:
    assert not verdict(tmp_path, PASSES, source).is_green


@pytest.mark.long
def test_workers_that_are_killed_leave_no_test_unrun(tmp_path: Path) -> None:
    """pytest-xdist alone would run the first one again, and then wait for nothing."""
    source = f"""
@pytest.mark.parametrize("n", range(50))
def test_is_killed(n):
    if BESIDE and n % 20 == 0: {KILLED}
"""
    killed = verdict(tmp_path, source)
    assert (killed.is_green, killed.runs) == (True, 2)
    assert len(killed.lines_after("Passed when rerun alone")) == 3
    assert "3 failed, 47 passed" in killed.printed


@pytest.mark.long
def test_a_worker_that_collects_other_tests_than_the_one_that_it_replaces_is_red(
    tmp_path: Path,
) -> None:
    """As where its memory does not suffice for an import: it would wait for ever."""
    source = f"""
FIRST = os.environ.get("PYTEST_XDIST_WORKER") in {{"gw0", "gw1"}}
@pytest.mark.parametrize("n", range(8 if FIRST else 7))
def test_is_killed(n):
    if n < 2: {KILLED}
"""
    assert not verdict(tmp_path, source).is_green


def test_a_run_that_left_tests_unrun_is_red() -> None:
    """As when pytest-xdist has replaced so many workers that it gives up."""
    results = Results(exit_status=1, collected=3, finished=2, errors={"test_a": "no"})
    assert fault_of(results) == "2 of 3 collected tests were run"
    results.finished = 3
    assert fault_of(results) == ""


@pytest.mark.parametrize("run", [1, 2])
def test_an_interrupted_run_ends_after_what_its_tests_have_started(
    tmp_path: Path, run: int
) -> None:
    """As containers, which need longer to stop than the quarter of a second that Python gives to
    a program."""
    source = f"""
@pytest.fixture
def service():
    yield
    time.sleep(0.5)
    open("stopped", "a").close()
def test_of_it(service, runs=open("runs", "a")):
    print(file=runs, flush=True)
    assert len(open("runs").readlines()) == {run}
    open("begun", "w").close()
    while not os.path.exists("over"): time.sleep(0.02)
"""
    makefile = MAKEFILE.replace("-n 2 --dist loadgroup", "")
    process = started(tmp_path, source, makefile=makefile)
    try:
        wait_for("the test to begin", (tmp_path / "begun").exists)
        (tmp_path / "stopped").unlink(missing_ok=True)  # of the first run
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE) != 0
        if run == 2:  # `timeout` sends it to make once more, which then does not wait for pytest
            wait_for("the service to stop", (tmp_path / "stopped").exists)
        assert (tmp_path / "stopped").exists()
    finally:
        (tmp_path / "over").touch()
        printed, _ = process.communicate(timeout=PATIENCE)
    assert "KeyboardInterrupt" in printed


@pytest.mark.parametrize("tier", ["test", "test-long", "test-all", "container-test"])
def test_each_tier_takes_tests_and_options(tier: str) -> None:
    """What is chosen replaces what a tier runs by default, and a later -n the earlier one."""
    command = ["make", "--dry-run", tier, "TESTS=tests/one.py", "TESTS=@tests", "ARGS=-n 0"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("M")}
    printed = subprocess.check_output(command, cwd=ROOT, env=kept, text=True)
    (line,) = (line for line in printed.splitlines() if "-m pytest" in line)
    assert line.endswith(" @tests -n 0")
    assert "tests/" not in line


def test_no_test_has_a_time_limit_of_its_own() -> None:
    """A tier has one, in the Makefile: it ends what hangs, and is no measure of speed."""
    mark = "mark." + "timeout"
    marked = [path for path in ROOT.glob("tests/**/*.py") if mark in path.read_text()]
    assert marked == [Path(__file__)]  # where pytest-timeout itself is tested
