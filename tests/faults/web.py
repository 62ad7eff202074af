"""The web processes of a fault site, and a script that hands runs in to them."""

import json
import os
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.faults import files
from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, answers, free_port

ROOT = Path(__file__).resolve().parent.parent.parent
PATH = "/api/campaigns/faults/runs/"
BOARD = "/api/campaigns/faults/leaderboard/"


@dataclass(frozen=True)
class Answer:
    """What a script hears; `status` 0 where it hears nothing."""

    status: int
    body: dict[str, Any]
    retry_after: str | None = None


class Web:
    """gunicorn with two processes of eight threads."""

    def __init__(self, environment: dict[str, str], log: Path, *, token: str) -> None:
        self.port = free_port()
        self._token = token
        command = f"gunicorn trackside.wsgi --bind {HOST}:{self.port} --worker-class gthread"
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *command.split(), "--workers", "2", "--threads", "8",
                 "--no-control-socket"],
                cwd=ROOT, env=environment, stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        wait_for("the web processes", lambda: answers(self.port, "/healthz?of=web"))

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def submit(self, number: int, *, key: str = "") -> Answer:
        connection = self.send(number, key=key)
        try:
            answer = connection.getresponse()
            body = answer.read()
            said = json.loads(body) if body[:1] == b"{" else {}
            return Answer(answer.status, said, answer.headers["Retry-After"])
        except OSError:
            return Answer(0, {})
        finally:
            connection.close()

    def board(self) -> tuple[int, list[dict[str, Any]]]:
        """What anybody gets for the leaderboard."""
        connection = HTTPConnection(HOST, self.port, timeout=PATIENCE)
        try:
            connection.request("GET", BOARD)
            answer = connection.getresponse()
            rows = json.loads(answer.read())
            return answer.status, rows if answer.status == HTTPStatus.OK else []
        finally:
            connection.close()

    def health(self) -> tuple[int, dict[str, bool]]:
        connection = HTTPConnection(HOST, self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def send(self, number: int, *, key: str = "") -> HTTPConnection:
        """Run `number` on its way; the answer is still to be read."""
        mark = uuid.uuid4().hex
        part = f"--{mark}\r\nContent-Disposition: form-data; name="
        head = f'{part}"description"\r\n\r\n{number}\r\n{part}"file"; filename="run"\r\n\r\n'
        connection = HTTPConnection(HOST, self.port, timeout=PATIENCE)
        connection.request(
            "POST",
            PATH,
            head.encode() + files.run_bytes(number) + f"\r\n--{mark}--\r\n".encode(),
            {
                "Authorization": f"Token {self._token}",
                "Content-Type": f"multipart/form-data; boundary={mark}",
                "Idempotency-Key": key or mark,
            },
        )
        return connection
