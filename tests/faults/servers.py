"""Redis and PostgreSQL of the fault suite's own, from installed packages: there to be stopped.

Both keep their data between a stop and the next start, as those of a real site do.
"""

import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg
import redis

from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, free_port
from trackside.stack import program

PASSWORD = "word"


class Redis:
    """With a password, an append-only file and no eviction, as docker-compose.yml has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "redis"
        self.folder.mkdir()
        self.port = free_port()
        self.url = f"redis://:{PASSWORD}@{HOST}:{self.port}/0"
        self._program = program("redis-server")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                *[self._program, "--port", str(self.port), "--bind", HOST, "--dir", self.folder],
                *["--requirepass", PASSWORD, "--appendonly", "yes", "--save", ""],
                *["--maxmemory-policy", "noeviction", "--logfile", self.folder / "log"],
            ]
        )
        wait_for("Redis", self.answers)

    def stop(self, *, gently: bool = True) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM if gently else signal.SIGKILL)
            self._process.wait(PATIENCE)
            self._process = None

    @property
    def process(self) -> int:
        assert self._process is not None
        return self._process.pid

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url, socket_timeout=PATIENCE)

    def answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.RedisError:  # not there yet, or still reading its file
            return False

    def forget_everything(self) -> None:
        """FLUSHALL, and every connection dropped."""
        broker = self.client()
        broker.flushall()
        me = broker.client_id()
        for client in broker.client_list():
            if int(client["id"]) != me:
                broker.client_kill_filter(_id=client["id"])


class Postgres:
    """A cluster in a folder to which its own user finds the way: PostgreSQL refuses root."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="trackside-faults-")
        self.port = free_port()
        self.url = f"postgresql://postgres@{HOST}:{self.port}/postgres"
        self._as_owner: list[str] = []
        try:
            shutil.chown(self.folder, "postgres")
            self._as_owner = ["runuser", "-u", "postgres", "--"]
        except (LookupError, PermissionError):
            pass  # not root: whoever runs the tests owns the cluster
        self._control = [
            *(program("pg_ctl"), "--silent", "--wait", "--timeout", f"{PATIENCE:.0f}"),
            *("--pgdata", self.folder),
        ]
        self._run(program("initdb"), "--pgdata", self.folder, "--username", "postgres",
                  "--auth", "trust", "--no-sync")  # fmt: skip

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses={HOST} -c unix_socket_directories="
            " -c fsync=off -c max_connections=200"
        )
        self._run(*self._control, "start", "--log", f"{self.folder}/log", "-o", options)
        wait_for("PostgreSQL", self.answers)

    def stop(self, mode: str = "fast") -> None:
        self._run(*self._control, "stop", "--mode", mode)

    @property
    def process(self) -> int:
        return int((Path(self.folder) / "postmaster.pid").read_text().split()[0])

    def throw_away(self) -> None:
        if self.answers():
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=round(PATIENCE)).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, *command: str) -> None:
        done = subprocess.run([*self._as_owner, *command], capture_output=True, check=False)
        assert done.returncode == 0, (command, done.stderr.decode())
