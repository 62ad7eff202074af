"""Two releases of the code as processes on one site: the previous one, from git, and this one."""

import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from io import BytesIO
from pathlib import Path

from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, answers, free_port
from trackside.stack import Missing

ROOT = Path(__file__).resolve().parent.parent.parent
NAMED = ROOT / ".ci" / "previous-release"


def previous_release() -> str:
    """Its commit: the one that sites run and upgrade from."""
    return os.environ.get("PREVIOUS_RELEASE") or NAMED.read_text().strip()


def extract(commit: str, folder: Path) -> Path:
    """The tree of this commit. Raises `Missing` where git does not have it."""
    command = ["git", "archive", "--format=tar", commit]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise Missing(
            f"git has no commit {commit}, the previous release: git fetch --depth 1 origin {commit}"
        )
    with tarfile.open(fileobj=BytesIO(done.stdout)) as tree:
        tree.extractall(folder, filter="data")
    return folder


@dataclass
class Release:
    """One release of the code; several share the database, the broker and the files that
    `environment` names."""

    name: str
    tree: Path
    environment: dict[str, str]
    logs: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.environment = self.environment | {"DJANGO_SETTINGS_MODULE": f"{self.site}.settings"}

    @property
    def site(self) -> str:
        """The package of its settings, which was called config before it had the project's name."""
        return "trackside" if (self.tree / "trackside").is_dir() else "config"

    def manage(self, *arguments: str) -> str:
        """One command of manage.py, to its end; what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=self.tree, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{self.name} release, {arguments[0]}:\n{done.stderr}"
        return done.stdout

    def start_web(self) -> "Visitor":
        port = free_port()
        self._start("web", f"gunicorn {self.site}.wsgi --bind {HOST}:{port} --worker-class gthread"
                    " --threads 4 --no-control-socket")  # fmt: skip
        wait_for(f"the web of the {self.name} release", lambda: answers(port, "/accounts/login/"))
        return Visitor(port)

    def start_worker(self, **settings: str) -> None:
        log = self.logs / f"{self.name}-worker.log"
        begin = log.stat().st_size if log.exists() else 0
        self._start("worker", f"celery -A {self.site}.celery worker -c 1 -n {self.name}@%h"
                    " --without-gossip --without-mingle -l info", **settings)  # fmt: skip
        wait_for(f"the {self.name} worker", lambda: b" ready." in log.read_bytes()[begin:])

    def stop(self, part: str) -> None:
        """Asks it to end, as an upgrade does: a worker finishes its job first."""
        process = self.processes.pop(part)
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self) -> None:
        for part in list(self.processes):
            self.stop(part)

    def log_tail(self) -> str:
        texts = [
            f"{log.name}:\n{log.read_text()[-3000:]}" for log in self.logs.glob(f"{self.name}*")
        ]
        return "\n".join(texts)

    def _start(self, part: str, command: str, **settings: str) -> None:
        with (self.logs / f"{self.name}-{part}.log").open("ab") as log:
            self.processes[part] = subprocess.Popen(
                [sys.executable, "-m", *command.split()], cwd=self.tree,
                env=self.environment | settings, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log,
            )  # fmt: skip


class Visitor:
    """A browser without scripts: it keeps cookies and sends forms with their token. The same one
    may look at several web servers, as behind a proxy."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def page(self, path: str) -> str:
        with self.opener.open(f"http://{HOST}:{self.port}{path}", timeout=PATIENCE) as answer:
            return answer.read().decode()

    def send(self, path: str, **fields: str) -> str:
        """Opens the page, fills its form in and sends it; the page that this leads to."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.page(path))
        assert token, f"{path} has no form"
        body = urllib.parse.urlencode(fields | {"csrfmiddlewaretoken": token[1]}).encode()
        url = f"http://{HOST}:{self.port}{path}"
        asked = urllib.request.Request(url, body, {"Referer": url})
        with self.opener.open(asked, timeout=PATIENCE) as answer:
            return answer.read().decode()


def eventually(what: str, look: Callable[[], bool], explain: Callable[[], str]) -> None:
    """Waits until this holds; says what the processes logged if it never does."""

    def holds() -> bool:
        with suppress(OSError, HTTPException):
            return look()
        return False

    wait_for(what, holds, explain=explain)
