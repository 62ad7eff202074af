"""A site of its own for the fault suite: database, broker, files, workers and a helper process.

Nothing here imports Django: the pytest process is bound to the ordinary test database, the site's
is only touched by the processes started here.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from tests.faults.servers import Postgres, Redis
from tests.faults.web import Web
from tests.patience import PATIENCE, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
POINTS = ("after-claim", "after-parse", "before-commit", "in-transaction", "after-commit")


def is_dead(process: psutil.Process) -> bool:
    """Gone, or waiting for its parent to notice that it is."""
    try:
        return process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    except psutil.NoSuchProcess:
        return True


class Worker:
    """A real worker process, the leader of a process group and session of its own."""

    def __init__(self, environment: dict[str, str], log: Path, *, node: str) -> None:
        command = (
            f"-m celery -A trackside.celery worker -c 2 -n {node}@%h"
            " --without-gossip --without-mingle"
        )
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, *command.split(), "-l", "warning"],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.main = psutil.Process(self.process.pid)

    def children(self) -> list[psutil.Process]:
        return self.main.children(recursive=True)

    def kill(self) -> float:
        """kill -9 of the main process and all its children; when that was."""
        everybody = [self.main, *self.children()]
        os.killpg(self.process.pid, signal.SIGKILL)
        killed_at = time.monotonic()
        self.process.wait()
        wait_for("the children to die", lambda: all(map(is_dead, everybody)))
        return killed_at

    def kill_main(self) -> tuple[float, list[psutil.Process]]:
        """kill -9 of the main process only; when that was, and who is left behind."""
        children = self.children()
        self.process.kill()
        killed_at = time.monotonic()
        self.process.wait()
        return killed_at, children

    def stop(self) -> None:
        """Asks it to end, as a new version does, and waits."""
        self.process.terminate()
        self.process.wait(PATIENCE)

    def freeze(self) -> None:
        os.killpg(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.killpg(self.process.pid, signal.SIGCONT)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None


class Site:
    """One deployment: `open`, and at the end `close`. Raises `Missing` where PostgreSQL or Redis is
    not installed: they are the site's own, so that scenarios may stop them."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.gates = folder / "gates"
        self.gates.mkdir()
        self.workers: list[Worker] = []
        self.submitted: list[int] = []
        self.poisoned: list[int] = []
        self.refused: list[int] = []  # not taken in at all
        self.redis = None if self.is_embedded else Redis(folder)
        self.postgres = None if self.is_embedded else Postgres()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "DJANGO_SETTINGS_MODULE": "trackside.settings",
            "VAR_DIR": str(folder),
            "SECRET_KEY": "only-for-tests",
            "LEASE_SECONDS": "8",  # not lost in a stall of five seconds
            "RENEWAL_SECONDS": "1",
            "SWEEP_SECONDS": "1",
            "JOB_ATTEMPTS": "3",
            "LOG_LEVEL": "INFO",
            "OPENBLAS_NUM_THREADS": "1",
            "THROTTLE_UPLOADS": "100000/min",  # the scenarios are one team's script
            "THROTTLE_USER": "100000/min",
            "THROTTLE_ANON": "100000/min",
            **self._services(),
        }
        self._helper: subprocess.Popen[str] | None = None
        self._web: Web | None = None

    # --- its life ---------------------------------------------------------------------------

    def open(self) -> None:
        for server in (self.redis, self.postgres):
            if server is not None:
                server.start()
        self._helper = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.database_helper"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log("helper").open("ab"),
            text=True,
        )
        self.ask("prepare")

    def close(self) -> None:
        for worker in self.workers:
            if worker.is_alive:
                worker.thaw()
                worker.kill()
        if self._web is not None:
            self._web.stop()
        if self._helper is not None:
            self._helper.kill()
            self._helper.wait()
        if self.redis is not None:
            self.redis.stop(gently=False)
        if self.postgres is not None:
            self.postgres.throw_away()

    @property
    def is_embedded(self) -> bool:
        return self.name == "sqlite and folder"

    def _services(self) -> dict[str, str]:
        if self.redis is None or self.postgres is None:
            return {}
        return {"DATABASE_URL": self.postgres.url, "BROKER_URL": self.redis.url}

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    # --- the helper -------------------------------------------------------------------------

    def ask(self, act: str, *arguments: object) -> Any:
        """Calls a function of `database_helper.py` in the helper process."""
        assert self._helper is not None
        assert self._helper.stdin is not None
        assert self._helper.stdout is not None
        print(json.dumps({"act": act, "arguments": arguments}), file=self._helper.stdin, flush=True)
        line = self._helper.stdout.readline()
        assert line, f"the helper died:\n{self._log('helper').read_text()[-4000:]}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def new_runs(self, count: int) -> list[int]:
        """Numbers for runs, noted as handed in."""
        first = len(self.submitted)
        numbers = list(range(first, first + count))
        self.submitted += numbers
        return numbers

    def submit(self, count: int = 1) -> list[int]:
        numbers = self.new_runs(count)
        self.ask("submit", numbers)
        return numbers

    def look(self, number: int) -> dict[str, Any]:
        return self.ask("look", [number])[str(number)]

    def wait_until_scored(self, numbers: list[int]) -> None:
        self.scoring_times(numbers, since=time.monotonic())

    def scoring_times(self, numbers: list[int], *, since: float) -> dict[int, float]:
        """Seconds from `since` until each of these runs was seen scored."""
        times: dict[int, float] = {}
        late = dict.fromkeys(numbers)

        def are_scored() -> bool:
            for number, seen in self.ask("look", list(late)).items():
                late[int(number)] = seen
                if seen["evaluation"] == "scored":
                    times[int(number)] = time.monotonic() - since
                    del late[int(number)]
            return not late

        wait_for("runs to be scored", are_scored, explain=lambda: f"{late}\n{self.log_tail()}")
        return times

    def wait_until_idle(self) -> None:
        """Until no job waits or is performed."""
        wait_for("all jobs to end", lambda: self.ask("open_jobs") == 0)

    def wait_until_quiet(self) -> None:
        """Until no message waits, and whatever was being delivered has been."""
        wait_for("the queue to run empty", lambda: self.message_count() == 0)
        time.sleep(0.5)

    @property
    def web(self) -> Web:
        """Real web processes; started when a scenario first asks for them."""
        if self._web is None:
            self._web = Web(self.environment, self._log("web"), token=self.ask("token"))
        return self._web

    def ledger(self) -> dict[str, Any]:
        numbers = [number for number in self.submitted if number not in self.refused]
        return self.ask("read_ledger", numbers, self.poisoned)

    # --- the broker -------------------------------------------------------------------------

    def message_count(self) -> int:
        if self.redis is None:
            return len(list((self.folder / "broker" / "messages").iterdir()))
        return self.redis.client().llen("celery")

    def lose_messages(self) -> None:
        """The broker forgets all it had, and drops every connection."""
        if self.redis is not None:
            self.redis.forget_everything()
            return
        for message in (self.folder / "broker" / "messages").iterdir():
            message.unlink(missing_ok=True)

    # --- the workers ------------------------------------------------------------------------

    def start_worker(self, faults: str | None = None, *, node: str = "worker") -> Worker:
        """By default a worker that can be met at every point."""
        met = ",".join(f"{point}=meet:{self.gates}" for point in POINTS)
        environment = self.environment | {"TRACKSIDE_FAULTS": faults or met}
        worker = Worker(environment, self._log("worker"), node=node)
        self.workers.append(worker)
        return worker

    @property
    def worker(self) -> Worker:
        """The latest worker; a new one if none is alive."""
        if not self.workers or not self.workers[-1].is_alive:
            self.start_worker()
        return self.workers[-1]

    def hold_at(self, point: str) -> None:
        """The next process to reach this point waits there."""
        (self.gates / point).touch()

    def held_at(self, point: str) -> int:
        """The process that waits at this point, once it does."""
        signs = wait_for(
            f"a worker at {point}",
            lambda: list(self.gates.glob(f"{point}.*")),
            explain=self.log_tail,
        )
        return int(signs[0].suffix[1:])

    def let_go(self, point: str = "") -> None:
        """Nobody is held at this point any more; without one, nobody anywhere."""
        for path in self.gates.glob(f"{point}*"):
            path.unlink()

    def log_tail(self) -> str:
        log = self._log("worker")
        return log.read_text()[-4000:] if log.exists() else ""
