"""The demo: an embedded site with simulated campaigns, web and worker, until Ctrl-C.

Everything lies in `var/demo` and nothing of the environment's settings is heeded, so that the demo
never touches another site. Web and worker are sessions of their own: a signal for the demo reaches
only this process, which ends them with SIGTERM (a worker that gets SIGINT exits with status 1) and
then exits with status 0.
"""

import errno
import fcntl
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("DEMO_DIR") or BASE_DIR / "var" / "demo").resolve()
HOST = "127.0.0.1"  # its passwords are known: the demo is for this machine alone
KEPT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TERM", "LD_LIBRARY_PATH", "DEMO_SIZE")
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "VAR_DIR": str(FOLDER),
    "BROKER_URL": "filesystem://localhost",
    "LEASE_SECONDS": "15",
    "RENEWAL_SECONDS": "5",
    "SWEEP_SECONDS": "2",
}
READY_SECONDS = 60
PATIENCE_SECONDS = 12  # an idle worker needs some 6 to leave
SHOWN_LOG_LINES = 15


class Stopped(Exception):
    """Somebody asked for the end."""


class Broken(Exception):
    """The message says what, to whoever started the demo."""


class Wish:
    """How often the end was asked for, by signal or at the keyboard."""

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


class Child:
    """One process of the demo, the leader of a session. It writes to its log; one without a log
    is read by us, and its errors show as they come."""

    def __init__(
        self, name: str, *arguments: str, log: Path | None = None, **settings: str
    ) -> None:
        self.name, self.log = name, log
        with ExitStack() as stack:
            out = stack.enter_context(log.open("ab")) if log else subprocess.PIPE
            self.process = subprocess.Popen(  # noqa: S603  our own interpreter and modules
                [sys.executable, *arguments],
                cwd=BASE_DIR,
                env={k: os.environ[k] for k in KEPT if k in os.environ} | SETTINGS | settings,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT if log else None,
                start_new_session=True,
            )

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def last_words(self) -> str:
        if self.log is None:
            return ""
        lines = self.log.read_text(errors="replace").splitlines()[-SHOWN_LOG_LINES:]
        return "\n".join(["", f"The end of {shown(self.log)}:", *lines])

    def kill_session(self) -> None:
        """Its children too, should it have left any behind."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def main() -> int:
    wish = Wish()
    try:
        with ExitStack() as stack:
            wish.keyboard = stack.enter_context(keyboard())
            run_demo(wish, stack)
    except Stopped:
        say("  Stopped; nothing is left running.")
        return 0
    except Broken as error:
        sys.stdout.flush()
        print(f"\n{error}", file=sys.stderr)
        return 1


def run_demo(wish: Wish, stack: ExitStack) -> None:
    port = free_port(os.environ.get("PORT") or "8000")
    FOLDER.mkdir(parents=True, exist_ok=True)
    stack.enter_context(only_demo_in(FOLDER))
    say(bold("Trackside: a demo with simulated runs") + "\n")
    with step("Database"):
        perform(wish, "manage.py", "migrate", "--verbosity", "0")
    with step("Campaigns"):
        facts = perform(wish, "manage.py", "load_demo")
    children: list[Child] = []
    stack.callback(stop, children, wish)
    with step("Web and worker"):
        children += [start_web(port), start_worker()]
        wait(lambda: is_ready(children[1]) and answers(port), children, wish, READY_SECONDS)
    say("".join(f"\n  {line}" for line in facts.splitlines()))
    say(f"\n  Open {bold(f'http://{HOST}:{port}/')}\n")
    say(f"  Ctrl-C stops the demo. Its logs: {shown(FOLDER)}/web.log, worker.log")
    stack.callback(say, "\n  Stopping …")
    wait(lambda: False, children, wish)


def start_web(port: int) -> Child:
    return Child(
        "web server",
        *("-m", "gunicorn", "config.wsgi", "--bind", f"{HOST}:{port}", "--no-control-socket"),
        *("--worker-class", "gthread", "--workers", "1", "--threads", "8"),
        *("--graceful-timeout", "5", "--access-logfile", "-"),
        log=FOLDER / "web.log",
    )


def start_worker() -> Child:
    return Child(
        "worker",
        *("-m", "celery", "-A", "config", "worker", "-c", "2", "--loglevel", "INFO"),
        *("--without-gossip", "--without-mingle"),
        log=FOLDER / "worker.log",
    )


def perform(wish: Wish, *arguments: str) -> str:
    """Runs one command to its end; what it printed. Its errors and progress show as they come."""
    child = Child(arguments[1], *arguments, LOG_LEVEL="ERROR")
    try:
        wait(lambda: child.has_ended, [], wish)
    finally:
        stop([child], wish)
    if child.process.returncode:
        raise Broken(f"{child.name} failed (exit status {child.process.returncode}).")
    assert child.process.stdout is not None
    return child.process.stdout.read().decode()


def wait(
    is_reached: Callable[[], bool],
    children: Sequence[Child],
    wish: Wish,
    seconds: float = float("inf"),
) -> None:
    """Until it is reached. Raises `Stopped` or, where a child ends or time is up, `Broken`."""
    until = time.monotonic() + seconds
    while not is_reached():
        if wish.is_to_stop:
            raise Stopped
        for child in children:
            if child.has_ended:
                status = child.process.returncode
                raise Broken(
                    f"The {child.name} ended by itself (exit status {status}).{child.last_words()}"
                )
        if time.monotonic() > until:
            words = "\n".join(child.last_words() for child in children)
            raise Broken(f"Not ready within {seconds:.0f} seconds.{words}")
        time.sleep(0.1)


def stop(children: Sequence[Child], wish: Wish) -> None:
    """Asks all to end, and ends them after a while, or at a second Ctrl-C."""
    asked_before = wish.times
    for child in children:
        if not child.has_ended:
            child.process.terminate()
    until = time.monotonic() + PATIENCE_SECONDS
    while not all(child.has_ended for child in children):
        if time.monotonic() > until or wish.times > asked_before:
            break
        time.sleep(0.05)
    for child in children:
        child.kill_session()


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def is_ready(worker: Child) -> bool:
    return worker.log is not None and b" ready." in worker.log.read_bytes()


def free_port(wanted: str) -> int:
    if not (wanted.isdecimal() and 0 < int(wanted) < 65536):
        raise Broken(f"PORT={wanted} is not a port: choose a number from 1024 to 65535.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
        try:
            probe.bind((HOST, int(wanted)))
        except OSError as error:
            why = {errno.EADDRINUSE: "taken", errno.EACCES: "not allowed"}.get(error.errno or 0)
            raise Broken(
                f"Port {wanted} is {why or error}. Choose another: make demo PORT=8765"
            ) from error
    return int(wanted)


@contextmanager
def only_demo_in(folder: Path) -> Iterator[None]:
    """Two workers of two demos would share one folder of messages, and two loaders one site."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Broken(f"A demo is running in {shown(folder)} already.") from error
        yield


@contextmanager
def keyboard() -> Iterator[subprocess.Popen[bytes] | None]:
    """A process that ends when Ctrl-C is pressed; None where no terminal is ours.

    A terminal sends Ctrl-C to its whole foreground process group, and GNU make dies of it with
    status 130 however well its recipe ends. So for as long as the demo runs, the foreground is a
    group of one: a `cat`, which ends at Ctrl-C, at Ctrl-D, and when the terminal goes away.
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
            signal.signal(signal.SIGTSTP, signal.SIG_IGN)  # stopped, it would not hear Ctrl-C

        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # sent to whoever moves the foreground
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


@contextmanager
def step(name: str) -> Iterator[None]:
    began = time.monotonic()
    if sys.stdout.isatty():
        print(f"  {name} …", end="\r", flush=True)
    yield
    say(f"  {name:<34}{time.monotonic() - began:5.1f} s")


def say(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone
        print(text, flush=True)


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


def shown(path: Path) -> str:
    """From here, where that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)


if __name__ == "__main__":
    sys.exit(main())
