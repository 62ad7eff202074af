"""A campaign on a running stack, and scripts that hand runs in over HTTP."""

import gzip
import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import chain
from typing import Any, TypeAlias

from tests.patience import PATIENCE
from trackside.processes import HOST
from trackside.stack import Stack

Body: TypeAlias = bytes | Iterable[bytes]
SLUG = "stack"
MEASURES = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "AP")

# Run by manage.py shell: the campaign, its people, and the token that scripts send.
PREPARE = """
from campaigns.qrels import versions
from campaigns.models import Campaign, Membership, Team, Topic, User
from knox.models import AuthToken
campaign = Campaign.objects.create(
    slug="{slug}", name="On the stack", stage="open", is_accepting=True, attempt_quota=30000,
    run_depth=1_000_000, measures=["AP"], {facts}
)
Topic.objects.bulk_create(
    Topic(campaign=campaign, code=str(code), position=code) for code in range({topics})
)
people = [
    User.objects.create_user(f"{{who}}@{slug}.example.org", "x") for who in ("team", "organiser")
]
team = Team.objects.create(campaign=campaign, name="The team")
Membership.objects.create(campaign=campaign, person=people[0], role="participant", team=team)
Membership.objects.create(campaign=campaign, person=people[1], role="organiser")
qrels = "".join(f"{{t}} 0 d{{d}} {{d % 2}}\\n" for t in range({topics}) for d in range(20))
versions.add_qrels(campaign=campaign, data=qrels.encode(), note="", actor=None)
print("\\n".join(AuthToken.objects.create(person)[1] for person in people))
"""


@dataclass(frozen=True)
class Track:
    """Who hands in, and who looks after it."""

    port: int
    team_token: str
    organiser_token: str
    slug: str = SLUG

    def get(self, path: str, *, token: str = "") -> tuple[int, bytes]:
        return self.send("GET", path, token=token or self.organiser_token)

    def send(
        self, method: str, path: str, body: Body = b"", *, token: str = "", **headers: str
    ) -> tuple[int, bytes]:
        """One request on a connection of its own; status and body of the answer."""
        if token:
            headers["Authorization"] = f"Token {token}"
        return fetch(self.port, path, method=method, body=body, headers=headers)

    def submit(
        self, data: bytes, *, key: str = "", replaces: str = ""
    ) -> tuple[int, dict[str, Any]]:
        """The upload that the example client makes; status and answer."""
        return self.submit_parts([data], len(data), key=key, replaces=replaces)

    def submit_parts(
        self, parts: Iterable[bytes], size: int, *, key: str = "", replaces: str = ""
    ) -> tuple[int, dict[str, Any]]:
        """The same of a file that is sent piece by piece."""
        key = key or uuid.uuid4().hex
        head, tail = envelope(key, replaces)
        status, answer = self.send(
            "POST",
            self.door,
            chain([head], parts, [tail]),
            token=self.team_token,
            **{
                "Content-Type": f"multipart/form-data; boundary={key}",
                "Content-Length": str(len(head) + size + len(tail)),
                "Idempotency-Key": key,
            },
        )
        return status, json.loads(answer) if answer[:1] == b"{" else {}

    @property
    def board(self) -> str:
        """The URL of its board, as people open it."""
        return f"/campaigns/{self.slug}/leaderboard/"

    @property
    def door(self) -> str:
        """The URL that takes runs."""
        return f"/api/campaigns/{self.slug}/runs/"

    def scored(self) -> int:
        """How many runs stand on the board, as the organiser's script sees it."""
        status, answer = self.get(f"/api/campaigns/{self.slug}/leaderboard/?measure=AP")
        assert status == 200, answer
        return len(json.loads(answer))


def envelope(key: str, replaces: str = "") -> tuple[bytes, bytes]:
    """What stands before and behind a file in a form."""
    part = f"--{key}\r\nContent-Disposition: form-data; name="
    head = f'{part}"replaces"\r\n\r\n{replaces}\r\n' if replaces else ""
    head += f'{part}"file"; filename="run"\r\n\r\n'
    return head.encode(), f"\r\n--{key}--\r\n".encode()


def fetch(
    port: int,
    path: str,
    *,
    method: str = "GET",
    body: Body = b"",
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """One request on a connection of its own; status and body of the answer."""
    connection = HTTPConnection(HOST, port, timeout=2 * PATIENCE)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def prepare(stack: Stack, *, topics: int = 5, facts: str = "", slug: str = SLUG) -> Track:
    script = PREPARE.format(slug=slug, topics=topics, facts=facts)
    tokens = stack.manage("shell", "--verbosity", "0", "-c", script).split()
    return Track(stack.port, *tokens[-2:], slug=slug)


def run_bytes(tag: str, *, topics: int = 5, documents: int = 50, packed: bool = True) -> bytes:
    """A good run, the same for the same tag."""
    shift = sum(tag.encode()) % 7
    text = "".join(
        f"{topic} Q0 d{(rank * 3 + shift) % max(documents, 20)} {rank} {documents - rank} {tag}\n"
        if documents % 3
        else f"{topic} Q0 d{rank + shift} {rank} {documents - rank} {tag}\n"
        for topic in range(topics)
        for rank in range(documents)
    ).encode()
    return gzip.compress(text, 1) if packed else text
