"""An answer as bytes that are equal for equal answers, and the files of a recording."""

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import quote

from django.http import HttpResponseBase

from tools.record.compare import Answer

# Values without a meaning of their own, in what precedes and follows them.
PASSING = (
    re.compile(rb'(name="csrfmiddlewaretoken" value=")[^"]*(")', re.IGNORECASE),
    re.compile(rb'(name="(?:idempotency_)?key" value=")[^"]*(")'),
    re.compile(rb"""(csrf[-\w]*(?:["']|&quot;)?\]?(?::| =) (?:"|&quot;))[\w-]*("|&quot;)""", re.I),
)
PASSING_COOKIES = ("csrf", "session")
LONGEST_NAME = 180  # of a file


def answer_bytes(response: HttpResponseBase) -> bytes:
    """Status, sorted headers, cookies and body. Consumes a streamed answer."""
    body = b"".join(response) if response.streaming else response.content
    for passing in PASSING:
        body = passing.sub(rb"\1...\2", body)
    headers = dict(response.headers.items())
    if "ETag" in headers:
        headers["ETag"] = "..."  # a digest of the state of the site
    lines = [str(response.status_code)]
    lines += [f"{name}: {value}" for name, value in sorted(headers.items())]
    for name, cookie in sorted(response.cookies.items()):
        if any(word in name.lower() for word in PASSING_COOKIES):
            cookie.set(name, "...", "...")
        lines.append(cookie.output())
    return "\n".join(lines).encode() + b"\n\n" + body


def file_name(method: str, path: str, query: str) -> str:
    name = f"{method}?{quote(query, safe='=&()@,.')}" if query else method
    if len(name) > LONGEST_NAME:
        digest = hashlib.sha256(name.encode()).hexdigest()[:12]
        name = f"{name[:LONGEST_NAME]}~{digest}"
    return "/".join(part for part in (path.strip("/"), name) if part)


class Recording:
    """The files of a folder. Equal answers are hard links to one file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers: dict[str, Answer] = {}
        self._first: dict[str, Path] = {}

    def add(self, pattern: str, file: str, content: bytes) -> None:
        if file in self.answers:
            raise ValueError(f"{file} is the name of two answers.")
        digest = hashlib.sha256(content).hexdigest()
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if digest in self._first:
            os.link(self._first[digest], path)
        else:
            path.write_bytes(content)
            self._first[digest] = path
        self.answers[file] = Answer(digest, pattern, file)
