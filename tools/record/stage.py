"""Asks for every URL as every role at one stage."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import quote

from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client, TestCase

from tools.record.answers import Recording, answer_bytes, file_name
from tools.record.compare import write_manifest
from tools.record.queries import queries_for
from tools.record.site import ANONYMOUS, BARE, ROLES, SAMPLED, WHOLE, Site, values
from tools.record.urls import Route, routes

ROUNDS = 4  # an answer may need several computations, one after the other
# Where most is shown: parameters, the methods besides GET, and the other campaigns.
THOROUGH = "published"
THOROUGH_ROLES = (ANONYMOUS, "organiser")
OF_SAMPLES = re.compile("/estimates|/programs/")
OF_THE_MACHINE = ("healthz", "metrics")  # their answers depend on its load
REQUEST_ID = "recorded"


@dataclass(frozen=True)
class Request:
    pattern: str
    path: str
    query: str = ""
    method: str = "GET"
    etag: str = ""  # sent as If-None-Match

    @property
    def url(self) -> str:
        return f"{self.path}?{quote(self.query, safe='=&()@,.')}" if self.query else self.path

    @property
    def file(self) -> str:
        name = file_name(self.method, self.path, self.query)
        return f"{name}.if-none-match" if self.etag else name


@dataclass(frozen=True)
class Asked:
    """What was answered, and whether workers have to compute something for it."""

    content: bytes
    status: int
    etag: str
    is_waiting: bool


class Visitor:
    """The browser of a role. No request changes what the next one sees."""

    def __init__(self, site: Site, role: str) -> None:
        self.site = site
        self.client = Client(raise_request_exception=False)
        if role != ANONYMOUS:
            self.client.force_login(site.people[role])
        self.cookies = self.client.cookies.output(header="", sep=";")

    def ask(self, request: Request) -> Asked:
        with transaction.atomic():
            with TestCase.captureOnCommitCallbacks() as callbacks:
                response = self._send(request)
                content = answer_bytes(response)
            transaction.set_rollback(True)
        etag = response.headers.get("ETag", "")
        return Asked(content, response.status_code, etag, bool(callbacks))

    def have_computed(self, request: Request) -> None:
        """Asks for it, and performs what it asks of workers."""
        answer_bytes(self._send(request))
        self.site.work()

    def _send(self, request: Request) -> HttpResponseBase:
        self.client.cookies = SimpleCookie(self.cookies)
        self.site.seeded.begin(f"{request.method} {request.url}")
        headers = {"host": "localhost", "X-Request-ID": REQUEST_ID}
        if request.etag:
            headers["If-None-Match"] = request.etag
        return self.client.generic(request.method, request.url, headers=headers)


class StageRecorder:
    """Keeps the answers of one stage."""

    def __init__(self, site: Site, folder: Path, stage: str, only: str) -> None:
        self.site, self.folder, self.stage = site, folder, stage
        self.recording = Recording(folder)
        self.values = {slug: values(slug) for slug in (WHOLE, BARE, SAMPLED)}
        self.routes = [
            route
            for route in routes()
            if route.pattern not in OF_THE_MACHINE and re.search(only, route.pattern)
        ]
        self.faults: Counter[str] = Counter()

    def record(self) -> None:
        for role in ROLES:
            self._record_role(role)
        write_manifest(self.folder / self.stage, list(self.recording.answers.values()))
        for pattern, count in self.faults.items():
            print(f"{self.stage}: status 500 at {pattern}, {count} times", file=sys.stderr)

    def _record_role(self, role: str) -> None:
        """First all answers while nothing is computed, then those that were waiting for it. What
        was computed for one role is there for the next ones."""
        visitor = Visitor(self.site, role)
        waiting = []
        for request in self._requests(role):
            asked = visitor.ask(request)
            is_waiting = asked.is_waiting and request.method in ("GET", "HEAD")
            self._keep(role, request, asked, suffix=".waiting" if is_waiting else "")
            if is_waiting:
                waiting.append(request)
            if asked.etag and role == ANONYMOUS:
                conditional = replace(request, etag=asked.etag)
                self._keep(role, conditional, visitor.ask(conditional))
        for request in waiting:
            for _ in range(ROUNDS):
                visitor.have_computed(request)
                asked = visitor.ask(request)
                if not asked.is_waiting:
                    break
            self._keep(role, request, asked)

    def _keep(self, role: str, request: Request, asked: Asked, *, suffix: str = "") -> None:
        file = f"{self.stage}/{role}/{request.file}{suffix}"
        self.recording.add(request.pattern, file, asked.content)
        if asked.status == 500:
            self.faults[request.pattern] += 1

    def _requests(self, role: str) -> Iterator[Request]:
        is_thorough = self.stage == THOROUGH and role in THOROUGH_ROLES
        for route in self.routes:
            paths = list(route.paths(self.values[WHOLE]))
            if "slug" in route.parts or self.stage == THOROUGH:
                yield from (Request(route.pattern, path) for path in paths)
            if is_thorough:
                for method in ("POST", "HEAD", "OPTIONS"):
                    yield Request(route.pattern, paths[0], method=method)
                yield from self._with_parameters(route, WHOLE)
            if is_thorough and "slug" in route.parts:
                for slug in (BARE, SAMPLED):
                    yield Request(route.pattern, next(route.paths(self.values[slug])))
                if OF_SAMPLES.search(route.pattern):
                    yield from self._with_parameters(route, SAMPLED)

    def _with_parameters(self, route: Route, slug: str) -> Iterator[Request]:
        known = self.values[slug]
        run, other, *_ = known["public_id"]
        ids = {"run": run, "other": other, "team": known["team"][0], "program": known["program"][0]}
        path = next(route.paths(known))
        for query in queries_for(route.pattern, {name: str(each) for name, each in ids.items()}):
            yield Request(route.pattern, path, query)
