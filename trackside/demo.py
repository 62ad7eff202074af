"""The demo: an embedded site with simulated campaigns, with a web process and a worker, until
Ctrl-C.

Its files are in `demo` in the data folder. It ignores the settings of the environment, so that it
never changes another site.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from trackside.folders import IS_INSTALLED, data_folder, unusable
from trackside.processes import (
    HOST,
    WEB,
    WORKER,
    Refused,
    StopRequest,
    Supervisor,
    answers,
    say,
    shown,
    supervise,
    unusable_port,
)

FOLDER = Path(os.environ.get("DEMO_DIR") or data_folder() / "demo").resolve()
KEPT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TERM", "LD_LIBRARY_PATH", "DEMO_SIZE")
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "trackside.settings",
    "VAR_DIR": str(FOLDER),
    "BROKER_URL": "filesystem://localhost",
    "DEMO_LOGINS": "on",
    "LEASE_SECONDS": "15",
    "RENEWAL_SECONDS": "5",
    "SWEEP_SECONDS": "2",
}


def run_demo(wish: StopRequest) -> None:
    port = port_of(os.environ.get("PORT") or "8000")
    if why := unusable(FOLDER):
        raise Refused(why)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    url = f"http://{HOST}:{port}"
    demo = Supervisor(FOLDER, kept | SETTINGS | {"SITE_URL": url}, wish)
    with ExitStack() as ends:
        ends.enter_context(only_demo_in(FOLDER))
        say(bold("Trackside: a demo with simulated runs") + "\n")
        with step("Database"):
            demo.manage("migrate", "--verbosity", "0", LOG_LEVEL="ERROR")
        with step("Campaigns"):
            facts = demo.manage("load_demo", LOG_LEVEL="ERROR")
        # Before the first is started: if one of them fails, the others must not go on.
        ends.callback(lambda: demo.stop(*demo.processes))
        with step("Web and worker"):
            demo.start(
                *("web", *WEB, "--bind", f"{HOST}:{port}", "--worker-class", "gthread"),
                *("--graceful-timeout", "5", "--access-logfile", "-"),
            )
            demo.start("worker", *WORKER, "-c", "2")
            demo.wait_for("web and worker", lambda: demo.is_ready("worker") and answers(port, "/"))
        say("".join(f"\n  {line}" for line in facts.splitlines()))
        say(f"\n  Open {bold(f'{url}/')}\n")
        logs = f"{shown(FOLDER)}/web.log, worker.log (with all emails)"
        say(f"  Ctrl-C stops the demo. Its logs: {logs}")
        ends.callback(say, "\n  Stopping …")
        demo.watch()


def port_of(wanted: str) -> int:
    if not (wanted.isdecimal() and 0 < int(wanted) < 65536):
        raise Refused(f"PORT={wanted} is not a port: choose a number from 1024 to 65535.")
    if why := unusable_port(HOST, int(wanted)):
        way_out = "trackside demo --port 8765" if IS_INSTALLED else "make demo PORT=8765"
        raise Refused(f"{why} Choose another: {way_out}")
    return int(wanted)


@contextmanager
def only_demo_in(folder: Path) -> Iterator[None]:
    """Refuses a second demo in the same folder. Two demos would share one folder of messages and
    one database."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(f"A demo is running in {shown(folder)} already.") from error
        yield


@contextmanager
def step(name: str) -> Iterator[None]:
    began = time.monotonic()
    if sys.stdout.isatty():
        print(f"  {name} …", end="\r", flush=True)
    yield
    say(f"  {name:<34}{time.monotonic() - began:5.1f} s")


def bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("usage: make demo [PORT=8765]")
    sys.exit(supervise(run_demo))
