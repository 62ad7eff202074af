"""The last ten minutes before the deadline of three campaigns whose leaderboards everybody sees:
225 teams submit 800 runs ever faster, while people read and download."""

import gzip
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from tests.load import PUBLISHED
from tests.load.clients import Answers, Memory, closed_loop
from tests.load.costs import connected, failed, settle, work_left
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.stack.submissions import Track, prepare
from trackside.stack import Stack

CAMPAIGNS, TEAMS, UPLOADS = 3, 225, 800
SECONDS = float(os.environ.get("DEADLINE_SECONDS", "600"))
TOPICS, DOCUMENTS, COLLECTION = 50, 1000, 3000
PAUSE, PAUSE_OF_DOWNLOADS = 3.0, 15.0  # seconds between two requests of a client
CLIENTS_AT_ONCE = 100
# Of each campaign: path, clients, and whether it is a download. Together 24 readers and one
# whose page is computed for each request.
READ = (
    ("leaderboard/", 4, False),
    ("significance/", 1, False),
    ("agreement/", 1, False),
    ("topics/", 1, False),
    ("report/", 1, False),
    ("scores.csv", 1, True),
    ("package.zip", 1, True),
)
ONE_MORE = "leaderboard/?p=0.7"

# Run by manage.py shell: teams beside the first one of the campaign, and the token of each.
MORE_TEAMS = """
from knox.models import AuthToken
from campaigns.models import Campaign, Membership, Team, User
campaign = Campaign.objects.get(slug="{slug}")
for number in range({teams}):
    person = User.objects.create_user(f"{{number}}@{slug}.example.org", "x")
    team = Team.objects.create(campaign=campaign, name=f"Team {{number}}")
    Membership.objects.create(campaign=campaign, person=person, role="participant", team=team)
    print(AuthToken.objects.create(person)[1])
"""
# Seconds from the last byte of an upload to its scores under the first active qrels.
TO_SCORE = """
SELECT extract(epoch FROM min(job.finished_at) - run.received_at)::float
FROM campaigns_run run
JOIN scoring_evaluation evaluation ON evaluation.run_id = run.id
JOIN scoring_job job ON job.kind = 'evaluate' AND job.subject = evaluation.id
JOIN campaigns_campaign campaign ON campaign.id = run.campaign_id
WHERE campaign.slug LIKE 'deadline%' AND job.state = 'done'
GROUP BY run.id ORDER BY 1
"""
ANALYSES = """
SELECT count(*) FILTER (WHERE job.state = 'done'), count(*) FILTER (WHERE job.state = 'waiting')
FROM scoring_job job JOIN campaigns_campaign campaign ON campaign.id = job.campaign_id
WHERE job.kind = 'analyse' AND campaign.slug LIKE 'deadline%'
"""


def deadline(stack: Stack) -> Figures:
    tracks = _tracks(stack)
    files = [_run(number) for number in range(UPLOADS)]
    yield Figure("uploads, of kB each, packed", f"{UPLOADS} x {len(files[0]) / 1e3:.0f}")
    with ExitStack() as watched, ThreadPoolExecutor(CLIENTS_AT_ONCE) as clients:
        memory = {
            name: watched.enter_context(Memory(process.pid))
            for name, process in stack.processes.items()
        }
        reading = {path: clients.submit(read) for path, read in _readers(stack)}
        uploads, most_waiting = _submit(stack, clients, tracks, files)
        answers = {path: each.result() for path, each in reading.items()}
        computed, waiting = _row(stack, ANALYSES)
        left = work_left(stack)
        began = time.monotonic()
        settle(stack)
        yield Figure("work left at the deadline, done after",
                     f"{left} jobs, {time.monotonic() - began:.0f} s")  # fmt: skip
    yield none_of("uploads not answered 202", UPLOADS - uploads.statuses.count(202))
    yield Figure("upload, median / most", f"{uploads.median:.2f} / {max(uploads.seconds):.2f} s")
    yield at_most("upload, p95", uploads.p95, 3, "s", 2)
    last = Answers(seconds=uploads.seconds[-UPLOADS // 10 :])
    yield Figure("the last tenth, p95", f"{last.p95:.2f} s")
    with connected(stack) as database:
        to_score = [seconds for (seconds,) in database.execute(TO_SCORE)]
    yield none_of("runs without scores", UPLOADS - len(to_score))
    scored = Answers(seconds=to_score)
    yield Figure("upload to score, median / p95 / most",
                 f"{scored.median:.1f} / {scored.p95:.1f} / {to_score[-1]:.1f} s")  # fmt: skip
    yield none_of("jobs that failed", failed(stack))
    yield Figure("analyses computed / waiting at the end / at most",
                 f"{computed} / {waiting} / {most_waiting}")  # fmt: skip
    for path in dict.fromkeys(each for each, _, _ in (*READ, (ONE_MORE, 1, False))):
        parts = [found for read, found in answers.items() if read.split("/", 3)[3] == path]
        yield from _read(path, parts)
    for name, each in memory.items():
        yield Figure(f"{name}, before / at most", f"{each.before:.0f} / {each.most:.0f} MB")


def _tracks(stack: Stack) -> list[Track]:
    """One for each team: who submits to which campaign."""
    tracks: list[Track] = []
    for number in range(CAMPAIGNS):
        facts = "run_quota=None, " + PUBLISHED
        track = prepare(stack, topics=TOPICS, facts=facts, slug=f"deadline{number}")
        teams = TEAMS // CAMPAIGNS
        script = MORE_TEAMS.format(slug=track.slug, teams=teams)
        tokens = stack.manage("shell", "--verbosity", "0", "-c", script).split()[-teams:]
        tracks += [replace(track, team_token=token) for token in tokens]
    return [tracks[place] for place in np.random.default_rng(1).permutation(len(tracks))]


def _run(number: int) -> bytes:
    """A packed run that finds the first documents, which are judged, as well as its number says."""
    draw = np.random.default_rng((2, number))
    lines: list[str] = []
    for topic in range(TOPICS):
        scores = draw.standard_normal(COLLECTION)
        scores[:20] += 1 + number % 97 / 40
        best = np.argsort(-scores)[:DOCUMENTS]
        lines += [f"{topic} Q0 d{doc} {rank} {scores[doc]:.6f} system{number}\n"
                  for rank, doc in enumerate(best, 1)]  # fmt: skip
    return gzip.compress("".join(lines).encode(), 1)


def _readers(stack: Stack) -> list[tuple[str, Callable[[], Answers]]]:
    every = [(f"/campaigns/deadline{number}/{path}", users, is_download)
             for number in range(CAMPAIGNS) for path, users, is_download in READ]  # fmt: skip
    every.append((f"/campaigns/deadline0/{ONE_MORE}", 1, False))
    return [
        (path, lambda path=path, users=users, is_download=is_download: closed_loop(
            stack.port, path, users=users, seconds=SECONDS,
            pause=PAUSE_OF_DOWNLOADS if is_download else PAUSE))
        for path, users, is_download in every
    ]  # fmt: skip


def _submit(
    stack: Stack, clients: ThreadPoolExecutor, tracks: list[Track], files: list[bytes]
) -> tuple[Answers, int]:
    """Each upload at its time, whether or not the earlier ones were answered: their rate grows
    evenly until the deadline. Returns the answers, and how many analyses waited at most."""
    began, most_waiting = time.monotonic(), 0
    sent: list[Future[tuple[int, float]]] = []
    for number, data in enumerate(files):
        due = SECONDS * (number / len(files)) ** 0.5
        time.sleep(max(0.0, began + due - time.monotonic()))
        sent.append(clients.submit(_upload, tracks[number % len(tracks)], data))
        if number % 20 == 0:
            most_waiting = max(most_waiting, _row(stack, ANALYSES)[1])
    found = [each.result() for each in sent]
    answers = Answers([status for status, _ in found], [seconds for _, seconds in found])
    return answers, most_waiting


def _upload(track: Track, data: bytes) -> tuple[int, float]:
    began = time.monotonic()
    try:
        status, _ = track.submit(data)
    except OSError:
        status = 0
    return status, time.monotonic() - began


def _read(path: str, parts: list[Answers]) -> Figures:
    seconds = [each for part in parts for each in part.seconds]
    statuses = [each for part in parts for each in part.statuses]
    found = Answers(statuses, seconds)
    bound = 1 if path == "leaderboard/" else None
    what = f"{path}: {len(seconds)} requests, "
    if bound is not None:
        yield at_most(f"{what}p95", found.p95, bound, "s", 2)
    else:
        yield Figure(f"{what}p95", f"{found.p95:.2f} s")
    yield Figure(f"{path}: median / most", f"{found.median:.2f} / {max(seconds):.2f} s")
    others = sum(status not in (200, 202, 429) for status in statuses)
    yield none_of(f"{path}: other than 200, 202, 429", others)
    if refused := statuses.count(429):
        yield Figure(f"{path}: 429", str(refused))


def _row(stack: Stack, statement: str) -> tuple[int, ...]:
    with connected(stack) as database:
        return database.execute(statement).fetchone() or ()
