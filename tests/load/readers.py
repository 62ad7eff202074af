"""Readers of leaderboards."""

import time

from tests.load.clients import Memory, Processor, closed_loop, processes_of
from tests.load.figures import Figure, Figures, at_least, at_most, none_of
from tests.stack.submissions import fetch
from trackside.stack import Stack

USERS, SECONDS = 16, 20
CROWD, PAUSE = 200, 2.0
PATIENCE = 180

# Run by manage.py shell: a published board, its scores stored as evaluations store them.
PLACE = """
import random, numpy as np
from django.test import Client
from tests.making import *
from tests.scoring.leaderboard.test_board_page import SHOWN
from scoring.models import Score
campaign = make_campaign(slug={slug!r}, topics=tuple(map(str, range({topics}))), **SHOWN)
make_qrels(campaign)
people = [make_user(f"{slug}{{n}}@example.org") for n in range(max({runs} // 8, 1))]
teams = [make_team(campaign, person, name=f"Team {{n}}") for n, person in enumerate(people)]
draw = np.random.default_rng(1)
for n in range({runs}):
    bases = np.clip(draw.normal(0.2 + 0.4 * n / {runs}, 0.2, {topics}), 0, 1)
    found = make_scores(make_run(campaign, teams[n % len(teams)], tag=f"system-{{n:03d}}"),
        {{"RBP(p=0.5)": (float(bases.mean()), 0.04), "AP": (float(bases.mean() / 2), None),
          "Judged@10": (0.8, None)}})
    Score.objects.filter(evaluation=found).update(bases=pack_vector(bases))
reader = Client()
reader.force_login(teams[0].memberships.get().person)
print(reader.cookies["sessionid"].value)
"""


def board(stack: Stack) -> Figures:
    """As many as two cores bear, and a URL beside it that only says hello."""
    session = place(stack, "kept", runs=143, topics=50)
    path = "/campaigns/kept/leaderboard/"
    web = processes_of(stack, "web")
    figures = {}
    for who, url, cookie in (
        ("anonymous", path, ""),
        ("logged in", path, f"sessionid={session}"),
        ("hello", "/hello/", ""),
    ):
        closed_loop(stack.port, url, users=USERS, seconds=3, cookie=cookie)  # warm
        with Processor(*web) as spent:
            found = closed_loop(stack.port, url, users=USERS, seconds=SECONDS, cookie=cookie)
        figures[who] = found, 1000 * spent.seconds / len(found.seconds)
    read, spent_reading = figures["anonymous"]
    own, spent_on_own = figures["logged in"]
    said, spent_saying = figures["hello"]
    yield at_least(f"board of 143 runs, {USERS} users, requests/s", read.per_second, 100)
    yield Figure("its answers, median", f"{1000 * read.median:.0f} ms")
    yield at_most("its answers, p95", 1000 * read.p95, 250, "ms")
    yield none_of("5xx or nothing", read.faults + own.faults + said.faults)
    yield at_least("the same, logged in, requests/s", own.per_second, 100)
    yield at_most("its answers, p95", 1000 * own.p95, 250, "ms")
    yield Figure("hello by the same processes, requests/s", f"{said.per_second:.0f}")
    yield at_least("board / hello, requests/s", read.per_second / said.per_second, 0.25, 2)
    yield Figure(
        "web processor time a request: board, logged in, hello",
        f"{spent_reading:.1f}, {spent_on_own:.1f}, {spent_saying:.1f} ms",
    )


def crowd(stack: Stack) -> Figures:
    """Many who read, with a pause between; and scripts that take the whole table."""
    place(stack, "crowd", runs=500, topics=100)
    here = "/campaigns/crowd/leaderboard"
    api = "/api/campaigns/crowd/leaderboard/"
    asked = {"pages": (f"{here}/", 500), "API": (api, 300), "CSV": (f"{here}.csv", 500)}
    with Memory(*processes_of(stack, "web")) as web:
        for name, (path, bound) in asked.items():
            users = CROWD if name == "pages" else 20
            found = closed_loop(stack.port, path, users=users, seconds=SECONDS, pause=PAUSE)
            yield Figure(f"{name} of 500 runs, {users} users, requests/s",
                         f"{found.per_second:.0f}")  # fmt: skip
            yield at_most("its answers, p95", 1000 * found.p95, bound, "ms")
            yield none_of("other than 200", sum(status != 200 for status in found.statuses))
    yield at_most("largest web process, more than before", web.most - web.before, 50, "MB")


def place(stack: Stack, slug: str, *, runs: int, topics: int) -> str:
    """A board, drawn whole; the session of somebody of the first team on it."""
    script = PLACE.format(slug=slug, runs=runs, topics=topics)
    session = stack.manage("shell", "--verbosity", "0", "-c", script).split()[-1]
    until = time.monotonic() + PATIENCE
    while b"bars-key" not in fetch(stack.port, f"/campaigns/{slug}/leaderboard/")[1]:
        if time.monotonic() > until:
            raise TimeoutError(f"No bars on the board of {runs} runs within {PATIENCE} s.")
        time.sleep(0.5)
    return session
