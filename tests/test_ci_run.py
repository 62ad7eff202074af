"""`.ci/run`, with stand-ins for what it starts: its verdict, and what is left when it is ended."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE, wait_for

RUN = Path(__file__).resolve().parent.parent / ".ci" / "run"
STEPS = ("lint", "docs-site", "test", "container-test", "test-long", "test-services")
# It fails for the target that RED names. Those that WAITS names go on until SIGINT, and then need a
# moment to end, as pytest does.
MAKE = """#!/bin/bash
echo "made ${1:-}"
[ "$1" != "$RED" ] || exit 2
[[ " $WAITS " == *" $1 "* ]] || exit 0
trap 'sleep 0.5; touch "ended-$1"; exit 2' INT
touch "begun-$1"
until [ -e over ]; do sleep 0.02; done
"""
SECOND_CHANCE = '#!/bin/sh\nshift 2\necho "3 passed" >"$TEST_COUNTS"\nexec "$@"\n'
NOTHING = "#!/bin/sh\n"

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a copy with the stand-ins."""
    for name, program in {
        "bin/make": MAKE,
        ".venv/bin/python": SECOND_CHANCE,
        "bin/sudo": '#!/bin/sh\nshift\necho sudo "$@" >>as-root\nexec "$@"\n',
        "bin/redis-cli": '#!/bin/sh\n[ "$3" = ping ] && exit "$NO_REDIS"\necho "$*" >>redis\n',
        "bin/redis-server": '#!/bin/sh\necho "$*" >>redis\n',
        **{f"bin/{name}": NOTHING for name in ("apt-get", "git", "psql")},
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(program)
        path.chmod(0o755)
    (tmp_path / ".ci").mkdir()
    shutil.copy(RUN, tmp_path / ".ci")
    (tmp_path / ".ci" / "previous-release").write_text("a commit\n")
    (tmp_path / "tmp").mkdir()

    def start(
        *steps: str, red: str = "", waits: str = "", no_redis: int = 0
    ) -> subprocess.Popen[str]:
        environment = {
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "TMPDIR": str(tmp_path / "tmp"),
            "RED": red, "WAITS": waits, "NO_REDIS": str(no_redis),
        }  # fmt: skip
        return subprocess.Popen(
            [tmp_path / ".ci" / "run", *steps], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    yield start
    (tmp_path / "over").touch()


def verdicts(printed: str) -> dict[str, str]:
    """The last column of the table at the end, by step."""
    rows = printed[printed.rindex("\nstep ") :].strip().splitlines()
    return {row[:24].strip(): row[75:].strip() for row in rows[1:]}


def test_all_steps_are_run_and_green(start: Start, tmp_path: Path) -> None:
    printed = start().communicate(timeout=PATIENCE)[0]
    found = verdicts(printed)
    assert {name: found[name] for name in (*STEPS, "all")} == dict.fromkeys(
        (*STEPS, "all"), "green"
    )
    assert printed.index("== container-test") < printed.index("made container-test")
    assert " s in all " in printed
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("red", ["lint", "test", "container-test"])
def test_a_red_step_makes_the_gate_red_and_the_others_are_run(start: Start, red: str) -> None:
    process = start(red=red)
    found = verdicts(process.communicate(timeout=PATIENCE)[0])
    assert process.returncode == 2
    assert found.pop("all") == "red"
    assert found.pop(red) == "red, exit status 2"
    assert {found[name] for name in STEPS if name != red} == {"green"}


def test_containers_are_not_tested_unless_asked(start: Start) -> None:
    process = start("lint", red="container-test")
    printed = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0
    assert "container-test" not in printed


@pytest.mark.parametrize("user", [0, 1000])
def test_an_interrupted_gate_ends_after_the_tests_of_containers(
    start: Start, tmp_path: Path, user: int
) -> None:
    """They stop the containers, which would go on without them."""
    (tmp_path / "bin" / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (tmp_path / "bin" / "id").chmod(0o755)
    process = start(waits="lint container-test")
    begun = [tmp_path / "begun-lint", tmp_path / "begun-container-test"]
    wait_for("both to be begun", lambda: all(path.exists() for path in begun))
    os.killpg(process.pid, signal.SIGINT)
    printed = process.communicate(timeout=PATIENCE)[0]
    assert (tmp_path / "ended-container-test").exists(), printed
    assert process.returncode == 130
    assert (tmp_path / "as-root").exists() is (user != 0)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_two_gates_on_one_machine_start_and_end_a_redis_each(start: Start, tmp_path: Path) -> None:
    processes = [start("lint", no_redis=1) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    words = (tmp_path / "redis").read_text().split()
    started = {words[at + 1] for at, word in enumerate(words) if word == "--port"}
    ended = {word.rpartition(":")[2] for word in words if word.startswith("redis://")}
    assert len(started) == 2
    assert ended == started
