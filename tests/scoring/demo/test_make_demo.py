"""The demo as people start and stop it: `python -m trackside.demo`, alone and under make."""

import http.client
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.patience import PATIENCE, wait_for
from trackside.processes import free_port

ROOT = Path(__file__).resolve().parents[3]
OPENING = 2 * PATIENCE  # seconds, until campaigns are simulated and scored
COMMAND = [sys.executable, "-m", "trackside.demo"]

# They share one demo folder, which only one demo may use at a time.
pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture
def environment(folder: Path) -> dict[str, str]:
    ours = {"DEMO_DIR": str(folder), "DEMO_SIZE": "small", "PORT": str(free_port())}
    return {**os.environ, **ours}


class Demo:
    """A demo in a process group of its own, without a terminal."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.port, self.log = int(environment["PORT"]), log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                COMMAND,
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def wait_until_open(self) -> None:
        is_open = lambda: "Ctrl-C stops" in self.said  # noqa: E731
        wait_for("the URL", is_open, explain=lambda: self.said, patience=OPENING)

    def family(self) -> list[psutil.Process]:
        main = psutil.Process(self.process.pid)
        return [main, *main.children(recursive=True)]

    def page(self) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def end_for_sure(self) -> None:
        if self.process.poll() is None:
            for process in self.family():
                process.kill()
            self.process.wait()


Start = Callable[..., Demo]


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    demos: list[Demo] = []

    def start(**settings: str) -> Demo:
        demos.append(Demo(environment | settings, tmp_path / f"said-{len(demos)}"))
        return demos[-1]

    yield start
    for demo in demos:
        demo.end_for_sure()


@pytest.mark.long
def test_it_opens_and_ctrl_c_ends_everything_with_status_0(start: Start) -> None:
    elsewhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", "DEBUG": "true"}
    demo = start(**elsewhere)  # the settings of another site, which it must not heed
    demo.wait_until_open()
    status, page = demo.page()
    assert status == 200
    assert "Demo: Rail reports" in page
    assert "Log in as organiser" in page
    assert "organiser@trackside.example" in demo.said
    family = demo.family()
    assert len(family) > 4  # web and worker have children
    links = {each.environ().get("SITE_URL") for each in family[1:]}  # in the emails of all
    assert links == {f"http://127.0.0.1:{demo.port}"}
    os.killpg(demo.process.pid, signal.SIGINT)
    assert demo.process.wait(timeout=PATIENCE) == 0
    assert [process for process in family if process.is_running()] == []


@pytest.mark.long
def test_one_demo_at_a_time_which_ends_with_its_worker(start: Start) -> None:
    demo = start()
    demo.wait_until_open()
    second = start(PORT=str(free_port()))
    assert second.process.wait(timeout=PATIENCE) == 2
    assert "A demo is running in" in second.said
    family = demo.family()
    next(p for p in family if "celery" in p.cmdline()).kill()
    assert demo.process.wait(timeout=PATIENCE) == 1
    assert "The worker ended by itself" in demo.said
    assert psutil.wait_procs(family, timeout=PATIENCE)[1] == []


def test_a_taken_port_is_named_with_the_way_out(start: Start) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        demo = start(PORT=str(taken.getsockname()[1]))
        assert demo.process.wait(timeout=PATIENCE) == 2
    assert "is taken. Choose another: make demo PORT=" in demo.said


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_ctrl_c_at_a_terminal_leaves_make_with_status_0(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """Make would die of the Ctrl-C it gets, so the demo sees to it that it gets none."""
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"demo:\n\t@exec {' '.join(COMMAND)}\n")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execvpe("make", ["make", "-f", str(makefile), "demo"], environment)
    said = read_until(terminal, b"Ctrl-C stops")
    family = psutil.Process(process).children(recursive=True)
    os.write(terminal, b"\x03")
    said += read_until(terminal, None)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, said.decode()
    assert [process for process in family if process.is_running()] == []


def read_until(terminal: int, text: bytes | None) -> bytes:
    """What the terminal shows up to this text, or to its end."""
    said = bytearray()

    def is_read() -> bool:
        if not select.select([terminal], [], [], 0.2)[0]:
            return False
        try:
            said.extend(os.read(terminal, 65536))
        except OSError:  # nobody has it open any more
            return True
        return text is not None and text in said

    wait_for(f"{text!r} at the terminal", is_read, explain=said.decode, patience=OPENING)
    return bytes(said)
