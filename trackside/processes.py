"""Supervises processes on this machine: starts each as the leader of a session, waits until they
respond, and ends them in order.

A signal reaches only the supervisor. It ends the others with SIGTERM (a worker that gets SIGINT
exits with status 1) and then exits with status 0.
"""

import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, ClassVar

from scoring.cli.exit_status import BAD_INPUT, FAILED
from trackside.folders import BASE_DIR, IS_INSTALLED

HOST = "127.0.0.1"  # passwords are known or missing, so only this machine may connect
READY_SECONDS = 60
PATIENCE_SECONDS = 20  # an idle worker needs about 6 to stop
FOREVER = float("inf")
_keepers: list[socket.socket] = []  # of ports
SHOWN_LOG_LINES = 15
GUNICORN = (
    *(sys.executable, "-m", "gunicorn", "trackside.wsgi", "--no-control-socket"),
    *("--config", "python:trackside.gunicorn_settings"),
)
WEB = (*GUNICORN, "--workers", "1", "--threads", "8")
SERVE = (
    *GUNICORN,
    *("--worker-class", "trackside.web_worker.WebWorker", "--workers", "2", "--threads", "8"),
    *("--keep-alive", "30", "--access-logfile", "-"),
)
WORKER = (
    *(sys.executable, "-m", "celery", "-A", "trackside.celery", "worker", "--loglevel", "INFO"),
    *("--without-gossip", "--without-mingle"),
)


class Stopped(Exception):
    """The user or a signal requested the end."""


class Broken(Exception):
    """The message says what failed."""


class Refused(Broken):
    """The message says what to change in the command or in the settings."""


class StopRequest:
    """Counts requests to stop, by signal or at the keyboard."""

    def __init__(self) -> None:
        self.times = 0
        self.keyboard: subprocess.Popen[bytes] | None = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._hear)

    def _hear(self, *_: object) -> None:
        self.times += 1

    @property
    def is_to_stop(self) -> bool:
        return self.times > 0 or (self.keyboard is not None and self.keyboard.poll() is not None)


@dataclass
class Supervisor:
    """The running processes by name, in the order in which they were started. Each writes to its
    log."""

    folder: Path  # of the logs
    environment: dict[str, str]
    wish: StopRequest | None = None  # none: the end is an exception
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    commands: dict[str, tuple[tuple[str, ...], dict[str, str]]] = field(default_factory=dict)

    ready_seconds: ClassVar[float] = READY_SECONDS  # until a process responds

    def start(self, name: str, *command: str, **settings: str) -> None:
        self.commands[name] = (command, settings)
        with self.log_of(name).open("ab") as log:
            self.processes[name] = self._open(name, command, settings, log, subprocess.STDOUT)

    def start_again(self, name: str) -> None:
        """Restarts a stopped process with the same command."""
        command, settings = self.commands[name]
        self.start(name, *command, **settings)

    def stop(self, *names: str) -> None:
        """Ends these processes; see `_end`."""
        self._end([self.processes.pop(name) for name in names])

    def manage(self, *arguments: str, **settings: str) -> str:
        """Runs a command of Django to its end and returns its output. Its errors and its progress
        are shown immediately."""
        command = (sys.executable, "-m", "django", *arguments)
        with TemporaryFile() as out:
            process = self._open("manage", command, settings, out, None)
            try:
                wait_for("", lambda: process.poll() is not None, FOREVER, self._refuse_to_stop)
            finally:
                self._end([process])
            if process.returncode:
                raise Broken(f"{arguments[0]} failed (exit status {process.returncode}).")
            out.seek(0)
            return out.read().decode()

    def wait_for(
        self, what: str, is_reached: Callable[[], bool], seconds: float | None = None
    ) -> None:
        """Raises `Stopped` or, where a process ends by itself or time is up, `Broken`."""
        try:
            wait_for(what, is_reached, seconds or self.ready_seconds, self._refuse_ended)
        except TimeoutError as error:
            raise Broken(f"{error}{''.join(map(self._last_words, self.processes))}") from error

    def watch(self) -> None:
        """Waits until the end is requested."""
        self.wait_for("", lambda: False, FOREVER)

    def is_ready(self, worker: str) -> bool:
        return b" ready." in self.log_of(worker).read_bytes()

    def log_of(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def environment_of(self, name: str) -> dict[str, str]:
        return self.environment

    def _open(
        self, name: str, command: tuple[str, ...], settings: dict[str, str],
        out: IO[bytes], errors: int | None,
    ) -> subprocess.Popen[bytes]:  # fmt: skip
        return subprocess.Popen(  # noqa: S603 - our own programs
            command, cwd=None if IS_INSTALLED else BASE_DIR,
            env=self.environment_of(name) | settings,
            stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=True,
        )  # fmt: skip

    def _end(self, processes: list[subprocess.Popen[bytes]]) -> None:
        """Asks all to end and waits for all. Kills those that do not end or have left children. A
        second request to stop ends the wait."""
        asked_before = self.wish.times if self.wish else 0
        for process in processes:
            process.terminate()
        until = time.monotonic() + PATIENCE_SECONDS
        while any(process.poll() is None for process in processes) and time.monotonic() < until:
            if self.wish and self.wish.times > asked_before:
                break
            time.sleep(0.05)
        for process in processes:
            # Also where the process itself has ended, since its group may have children.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _refuse_to_stop(self) -> None:
        if self.wish and self.wish.is_to_stop:
            raise Stopped

    def _refuse_ended(self) -> None:
        self._refuse_to_stop()
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise Broken(
                    f"The {name} ended by itself (exit status {process.returncode})."
                    + self._last_words(name)
                )

    def _last_words(self, name: str) -> str:
        lines = self.log_of(name).read_text(errors="replace").splitlines()[-SHOWN_LOG_LINES:]
        return "\n".join(["", f"The end of {shown(self.log_of(name))}:", *lines])


def supervise(run: Callable[[StopRequest], None]) -> int:
    """Runs it until the end is requested or it ends by itself. Returns the exit status."""
    wish = StopRequest()
    try:
        with keyboard() as wish.keyboard:
            run(wish)
    except Stopped:
        say("  Stopped; nothing is left running.")
    except Broken as error:
        sys.stdout.flush()
        print(f"\n{error}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, Refused) else FAILED
    return 0


def wait_for(
    what: str,
    is_reached: Callable[[], bool],
    seconds: float = READY_SECONDS,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Raises `Stopped` or, if a process ends by itself or time is up, `Broken`."""
    until = time.monotonic() + seconds
    while not is_reached():
        check()
        if time.monotonic() > until:
            raise TimeoutError(f"Waited {seconds:.0f} s for {what}.")
        time.sleep(0.1)


def free_port() -> int:
    """A port for a server that this process starts, perhaps several times. On Linux nobody else
    gets it while this process lives: a socket stays bound to it, and beside that only a server may
    bind that names the port and sets SO_REUSEADDR, as all do. Other systems would refuse it."""
    keeper = socket.socket()
    keeper.bind((HOST, 0))  # without SO_REUSEADDR, with which it could get a port that is kept
    port = int(keeper.getsockname()[1])
    if sys.platform == "linux":
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _keepers.append(keeper)
    else:
        keeper.close()
    return port


def unusable_port(host: str, port: int) -> str:
    """Why a server cannot be bound to the port, or ""."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
        try:
            probe.bind((host, port))
        except OSError as error:
            why = {errno.EADDRINUSE: "taken", errno.EACCES: "not allowed"}.get(error.errno or 0)
            return f"Port {port} is {why or error}."
    return ""


def listens(port: int, host: str = HOST) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def keyboard() -> Iterator[subprocess.Popen[bytes] | None]:
    """A process that ends when Ctrl-C is pressed; None without a terminal.

    A terminal sends Ctrl-C to its whole foreground process group, and GNU make then exits with
    status 130, whatever its recipe returns. While the supervisor runs, the foreground group is
    therefore a single `cat`, which ends at Ctrl-C, at Ctrl-D, and when the terminal is closed.
    """
    with ExitStack() as stack:
        try:
            terminal = os.open("/dev/tty", os.O_RDWR)
            stack.callback(os.close, terminal)
            foreground = os.tcgetpgrp(terminal)
        except OSError:
            foreground = -1
        if foreground != os.getpgrp():
            yield None
            return

        def step_forward() -> None:
            os.setpgid(0, 0)
            os.tcsetpgrp(terminal, os.getpid())
            signal.signal(signal.SIGTSTP, signal.SIG_IGN)  # it could not receive Ctrl-C

        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # sent when the group changes
        listener = subprocess.Popen(
            ["/bin/cat"], stdin=terminal, stdout=subprocess.DEVNULL, preexec_fn=step_forward
        )
        try:
            yield listener
        finally:
            with suppress(OSError):
                os.tcsetpgrp(terminal, foreground)
            listener.kill()
            listener.wait()


def say(text: str) -> None:
    with suppress(OSError):  # the terminal may be closed
        print(text, flush=True)


def shown(path: Path) -> str:
    """The path relative to the current folder, if that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)
