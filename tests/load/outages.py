"""Database, store, mail server and Redis stopped one after the other, while people upload, read and
sign up: what each of them was answered, and what was lost or done twice."""

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlencode

from tests.faults.unresponsive import stopped
from tests.load.clients import Answers, closed_loop
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.load.mail_sink import recipients_file
from tests.load.restarts import DOUBLED
from tests.stack.submissions import Track, run_bytes
from trackside.processes import HOST, wait_for
from trackside.stack import Stack

SECONDS, UPLOADS, READERS, SIGNUPS = 60, 20, 10, 5
AGAIN_SECONDS, PATIENCE = 5, 300
PART = {"PostgreSQL": "database", "the store": "storage", "Redis": "broker", "mail": "mail"}


def outages(stack: Stack, track: Track) -> Figures:
    """A client that is told to come again does, with the same key."""
    pages = _pages(track)
    for name in ("the store", "PostgreSQL", "Redis", "mail"):
        processes = {"the store": "store", "Redis": "redis", "mail": "mail"}
        process = stack.processes[processes[name]].pid if name in processes else stack.postgres
        yield from _outage(stack, track, name, process, pages)
    expected = [_address(name, number) for name in PART for number in range(SIGNUPS)]
    wait_until = time.monotonic() + PATIENCE
    while not (mails := Counter(recipients_file(stack).read_text().split())) >= Counter(expected):
        if time.monotonic() > wait_until:
            break
        time.sleep(1)
    yield none_of("sign-ups without a mail", sum(not mails[each] for each in expected))
    yield none_of("mails sent twice", sum(mails[each] > 1 for each in expected))


def _outage(
    stack: Stack, track: Track, name: str, process: int, pages: dict[str, str]
) -> Iterator[Figure]:
    known = track.scored()
    before = {page: fetch(track.port, path)[0] for page, path in pages.items()}
    assert set(before.values()) == {200}, before
    is_over = threading.Event()
    health: list[tuple[float, int, str]] = []
    people = UPLOADS + SIGNUPS + len(pages) + 1
    with ThreadPoolExecutor(people) as pool:
        with stopped(process):
            watcher = pool.submit(_watch, stack, is_over, health)
            readers = {
                page: pool.submit(
                    closed_loop, track.port, path, users=READERS, seconds=SECONDS, pause=1
                )
                for page, path in pages.items()
            }
            uploads = [pool.submit(_upload, track, name, number) for number in range(UPLOADS)]
            signups = [pool.submit(_sign_up, track.port, name, n) for n in range(SIGNUPS)]
            time.sleep(SECONDS)
        is_over.set()
        watcher.result()
    began = time.monotonic()
    answers = [answer for upload in uploads for answer in upload.result()]
    yield Figure(f"{name} stopped for {SECONDS} s: uploads", _told(_gathered(answers)))
    for page, loop in readers.items():
        yield Figure(f"{name}: {page}", _told(loop.result()))
    signed = [answer for signup in signups for answer in signup.result()]
    yield Figure(f"{name}: sign-up", _told(_gathered(signed)))
    named = Counter(what for _, status, what in health if status == 503)
    yield at_most(f"{name}: /healthz, slowest", max(each[0] for each in health), 2.5, "s", 1)
    yield Figure(f"{name}: /healthz names", ", ".join(named) or "nothing")
    wanted = known + UPLOADS
    while (scored := track.scored()) < wanted and time.monotonic() < began + PATIENCE:
        time.sleep(1)
    yield Figure(f"{name}: all scored after it is back", f"{time.monotonic() - began:.0f} s")
    yield none_of(f"{name}: runs lost or doubled", abs(wanted - scored))
    doubled = stack.manage("shell", "--verbosity", "0", "-c", DOUBLED)
    yield none_of(f"{name}: scored twice", int(doubled.split()[-1]))


def fetch(port: int, path: str, **options: object) -> tuple[int, bytes]:
    """Status 0 where there is no answer within a minute."""
    connection = HTTPConnection(HOST, port, timeout=SECONDS)
    try:
        connection.request(options.get("method", "GET"), path, options.get("body"),
                           options.get("headers", {}))  # fmt: skip
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, HTTPException):
        return 0, b""
    finally:
        connection.close()


def _pages(track: Track) -> dict[str, str]:
    """Three pages that need no store, and a run's own that reads its ranking."""
    status, _ = track.submit(run_bytes("first", topics=50, documents=100))
    assert status == 202, status
    wait_for("the first run", lambda: track.scored() > 0)
    site = f"/campaigns/{track.slug}/"
    _, board = fetch(track.port, track.board)
    run = re.search(rb'href="(/campaigns/[^"]+/runs/[a-z0-9]+/)"', board)
    assert run is not None
    return {"board": track.board, "overview": site, "run": run[1].decode()}


def _upload(track: Track, name: str, number: int) -> list[tuple[float, int]]:
    """Every answer until the run was accepted."""
    tag = f"{PART[name]}{number}"
    time.sleep(number * SECONDS / UPLOADS / 2)
    answers: list[tuple[float, int]] = []
    until = time.monotonic() + SECONDS + PATIENCE
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            status, _ = track.submit(run_bytes(tag, topics=50, documents=100), key=f"{tag:0>32}")
        except (OSError, HTTPException):
            status = 0
        answers.append((time.monotonic() - began, status))
        if status in {200, 202}:
            break
        time.sleep(AGAIN_SECONDS)
    return answers


def _sign_up(port: int, name: str, number: int) -> list[tuple[float, int]]:
    time.sleep(number * 2)
    answers: list[tuple[float, int]] = []
    until = time.monotonic() + SECONDS + PATIENCE
    while time.monotonic() < until and not any(status == 302 for _, status in answers):
        began = time.monotonic()
        answers.append((0.0, _post_sign_up(port, _address(name, number))))
        answers[-1] = (time.monotonic() - began, answers[-1][1])
        time.sleep(AGAIN_SECONDS)
    return answers


def _post_sign_up(port: int, address: str) -> int:
    status, page = fetch(port, "/accounts/signup/")
    found = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    if found is None:
        return status
    token = found[1].decode()
    form = {
        "name": "Ann",
        "email": address,
        "password1": "a-long-pass-phrase-7",
        "csrfmiddlewaretoken": token,
    }
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"csrftoken={token}",
    }
    body = urlencode(form | {"password2": form["password1"]})
    return fetch(port, "/accounts/signup/", method="POST", body=body, headers=headers)[0]


def _address(name: str, number: int) -> str:
    return f"{PART[name]}{number}@example.org"


def _watch(stack: Stack, is_over: threading.Event, health: list[tuple[float, int, str]]) -> None:
    """Asks web processes themselves, as their health checks do."""
    port = int(next(p for p in stack.commands["web0"][0] if p.startswith(f"{HOST}:")).split(":")[1])
    while not is_over.wait(1):
        began = time.monotonic()
        status, body = fetch(port, "/healthz")
        silent = ", ".join(re.findall(r'"(\w+)": false', body.decode()))
        health.append((time.monotonic() - began, status, silent))


def _gathered(answers: list[tuple[float, int]]) -> Answers:
    return Answers([status for _, status in answers], [seconds for seconds, _ in answers])


def _told(answers: Answers) -> str:
    statuses = ", ".join(f"{count} x {status}" for status, count in
                         sorted(Counter(answers.statuses).items()))  # fmt: skip
    return f"{statuses}; p95 {answers.p95:.1f} s, slowest {max(answers.seconds):.1f} s"
