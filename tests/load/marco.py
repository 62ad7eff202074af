"""A campaign of MS MARCO's size: every page of it, its analyses, and many who compare two of its
runs. Also the analyses of a campaign of many runs."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.clients import Answers, Memory, closed_loop, processes_of
from tests.load.costs import settle
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.load.marco_files import Size, write_campaign
from tests.load.pages import Page, WebProcesses, paths_of, walk
from trackside.stack import Stack

SLUG = "marco"
READERS, SECONDS = 16, 20
ROLES = ("organiser", "participant", "public")
LARGEST_PAGE, LARGEST_PROCESS, LARGEST_WORKER = 500_000, 600, 1000  # bytes, megabytes

# Run by manage.py shell: published to everybody, with an organiser, a member of the best team, and
# a reader.
PUBLISH = """
from django.test import Client
from campaigns.models import Campaign, Membership, Team, User
campaign = Campaign.objects.get(slug="{slug}")
for name in ("runs", "board", "per_topic", "qrels", "run_files"):
    setattr(campaign, name + "_audience", 2)
campaign.stage, campaign.shows_own_scores = "published", True
campaign.save()
run = campaign.runs.ranked().order_by("-tag").first()
names = ("organiser", "team", "reader")
people = [User.objects.create_user(name + "@{slug}.example.org", "x") for name in names]
Membership.objects.create(campaign=campaign, person=people[0], role="organiser")
Membership.objects.create(campaign=campaign, person=people[1], role="participant", team=run.team)
Membership.objects.create(campaign=campaign, person=people[2], role="reader")
print(run.public_id, run.team.public_id, campaign.topics.order_by("-position")[5].code)
for person in people:
    client = Client()
    client.force_login(person)
    print(client.cookies["sessionid"].value)
"""
# For each analysis that is done: kind, estimated seconds and seconds taken.
TIMES = """
from scoring.analyses.costs import size_of
from scoring.analyses.studies import study_of
from scoring.models import Analysis, Job
done = Analysis.objects.filter(campaign__slug="{slug}", state="done").select_related("campaign")
for analysis in done.order_by("kind", "pk"):
    job = Job.objects.filter(kind="analyse", subject=analysis.pk, state="done").last()
    taken = (job.finished_at - job.claimed_at).total_seconds()
    kind = analysis.kind
    study = study_of(kind)
    estimate = study.seconds(size_of(analysis.campaign), study.question(**analysis.question))
    print(kind, estimate, taken)
"""
# What the forms of its pages ask for.
CHOICES = [
    "leaderboard/?p=0.7",
    "leaderboard/?p=0.73&measure=RBP(p%3D0.5)",
    "leaderboard.csv?p=0.71",
    "leaderboard/?ties=on",
    "leaderboard/?page=1&sort=team",
    "topics/?order=likeness",
    "topics/?order=file",
    "topics/?page=2",
    "runs/{run}/?order=score",
    "runs/{run}/curves/?topic={topic}",
    "runs/{run}/documents/?topic={topic}",
    "compare/?measure=RR",
    "compare/?page=2",
    "significance/?test=randomisation",
    "agreement/?page=2",
    "judging/plan/?budget=1000",
    "report/?p=0.6",
]


def marco(stack: Stack) -> Figures:
    size = Size(
        topics=int(os.environ.get("MARCO_TOPICS", Size.topics)),
        runs=int(os.environ.get("MARCO_RUNS", Size.runs)),
    )
    yield from _every_page(stack, SLUG, size, ROLES)
    yield from _many_compare(stack)


def analyses(stack: Stack) -> Figures:
    """Two thousand runs. The pages of the organiser request every analysis."""
    size = Size(topics=50, documents=100, runs=2_000, teams=300)
    yield from _every_page(stack, "analyses", size, (*ROLES, "reader"))


def _every_page(stack: Stack, slug: str, size: Size, roles: Sequence[str]) -> Figures:
    began = time.monotonic()
    run, team, topic, *sessions = _place(stack, slug, size)
    yield Figure(f"{size.runs} runs of {size.topics} topics, served after",
                 f"{time.monotonic() - began:.0f} s")  # fmt: skip
    cookies = dict(zip(("organiser", "participant", "reader"), [f"sessionid={s}" for s in sessions],
                       strict=True)) | {"public": ""}  # fmt: skip
    values = {"slug": [slug], "public_id": [run], "team": [team], "code": [topic],
              "topic": [topic], "p": ["0.6"]}  # fmt: skip
    choices = [each.format(run=run, topic=topic) for each in CHOICES]
    pages: list[Page] = []
    with Memory(*processes_of(stack, "worker")) as worker:
        for who in roles:
            walk(stack, who, cookies[who], paths_of(slug, values, choices), _teller(pages))
        settle(stack)
    found = [page for page in pages if page.status not in (302, 403, 404, 405)]
    yield none_of("pages that failed", sum(p.status in (0, 500, 502, 503, 504) for p in found))
    html = [page for page in found if page.is_page]
    largest = max(html, key=lambda page: page.bytes)
    yield at_most(f"largest page {largest.path}", largest.bytes / 1e3, LARGEST_PAGE / 1e3, "kB")
    slowest = max(found, key=lambda page: page.seconds)
    yield Figure(f"slowest answer {slowest.path}", f"{slowest.seconds:.1f} s")
    deepest = max(found, key=lambda page: page.peak)
    yield at_most(f"web process at {deepest.path}", deepest.peak, LARGEST_PROCESS, "MB")
    yield at_most("largest worker process", worker.most, LARGEST_WORKER, "MB")
    for line in _shell(stack, TIMES, slug).splitlines():
        kind, estimated, taken = line.split()
        value = f"{float(estimated):.0f}, {float(taken):.0f} s"
        yield Figure(f"{kind}: estimated, taken", value)


def _place(stack: Stack, slug: str, size: Size) -> list[str]:
    """The campaign in the site, by the command that operators use."""
    with TemporaryDirectory(prefix="trackside-marco-") as scratch:
        folder = Path(scratch) / "campaign"
        write_campaign(folder, size)
        stack.manage("import_campaign", str(folder), "--slug", slug, "--name", "Passage ranking",
                     "--runs-table", str(folder / "runs.csv"))  # fmt: skip
    settle(stack)
    return _shell(stack, PUBLISH, slug).split()


def _shell(stack: Stack, script: str, slug: str) -> str:
    return stack.manage("shell", "--verbosity", "0", "-c", script.replace("{slug}", slug))


def _teller(pages: list[Page]) -> Callable[[Page], None]:
    def told(page: Page) -> None:
        pages.append(page)
        line = (
            f"{page.who:<12}{page.status:>4}{page.seconds:>8.2f}{page.waited:>8.2f} s"
            f"{page.bytes / 1e3:>10.0f} kB{page.peak:>8.0f} MB  {page.path}"
        )
        print(line, flush=True)

    return told


def _many_compare(stack: Stack) -> Figures:
    """So many readers of a comparison at once, and four of the board meanwhile."""
    board: list[Answers] = []

    def read() -> None:
        board.append(closed_loop(stack.port, f"/campaigns/{SLUG}/leaderboard/", users=4,
                                 seconds=SECONDS, pause=0.5))  # fmt: skip

    beside = threading.Thread(target=read)
    with WebProcesses(stack) as web:
        web.reset()
        beside.start()
        compared = closed_loop(stack.port, f"/campaigns/{SLUG}/compare/", users=READERS,
                               seconds=SECONDS)  # fmt: skip
        beside.join()
        yield Figure(f"{READERS} readers of the comparison, p95", f"{compared.p95:.2f} s")
        yield none_of("other than 200", sum(status != 200 for status in compared.statuses))
        yield at_most("largest web process", web.peak, LARGEST_PROCESS, "MB")
        yield at_most("the board meanwhile, p95", 1000 * board[0].p95, 1000, "ms")
        yield none_of("other than 200", sum(status != 200 for status in board[0].statuses))
        yield none_of("web processes killed", web.killed)
