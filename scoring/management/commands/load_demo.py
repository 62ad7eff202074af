"""Loads three simulated campaigns by the same functions as the pages. One is published, one is
open, and in one two assessors have judged half of a plan. Existing campaigns stay unchanged."""

import gzip
import os
import tomllib
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from campaigns import lifecycle
from campaigns.judging import plans
from campaigns.manage.baselines import change_baselines
from campaigns.models import Campaign, Judgment, Membership, Run, Team, User
from campaigns.people import demo_accounts, membership, teams
from campaigns.people.demo_accounts import MOUNTAINS, REPORTS, TRAINS, DemoAccount
from campaigns.qrels.topics import add_topics
from campaigns.qrels.versions import add_qrels
from campaigns.runs import submission
from campaigns.trec.topics import ParsedTopic, read_topics
from scoring.demo import simulation
from scoring.demo.simulation import Collection, Retrieved, System
from scoring.demo.texts import texts_of
from scoring.management import demo_judging
from scoring.worker import perform_waiting_jobs

PASSWORD = "trackside-demo"  # noqa: S105  printed at every start: the demo has no secrets
ORGANISER, PARTICIPANT = demo_accounts.ORGANISER.email, demo_accounts.PARTICIPANT.email
PARTICIPANT_TEAM, SAMPLE_TAG = "Fennmark", "fenn-ce"
SEED = 2026

GUIDELINES = """\
The collection contains invented reports about railways, tsd-000000 to tsd-199999.
For every topic return up to {depth} documents, best first, in TREC's six columns:

    {code} Q0 tsd-000123 1 17.25 yourtag

Assessors grade documents as not relevant (0), relevant (1) or highly relevant (2). They judge
{judged}. Unjudged documents contribute to the residual.
"""


@dataclass(frozen=True)
class Size:
    """How much is loaded: the first teams, the last topics."""

    teams: int
    topics: int
    depth: int
    candidates: int
    pool_depth: int


SIZES = {
    "full": Size(teams=14, topics=50, depth=1000, candidates=4000, pool_depth=20),
    "small": Size(teams=4, topics=8, depth=100, candidates=500, pool_depth=10),
}
# Small in every demo, so that two assessors can finish it.
JUDGED = Size(teams=9, topics=8, depth=40, candidates=1000, pool_depth=0)


@dataclass(frozen=True)
class DemoRun:
    """A run to simulate: its system, and the team's description of it."""

    system: System
    run_type: str
    is_pooled: bool
    is_baseline: bool
    description: str


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--size",
            choices=SIZES,
            default=os.environ.get("DEMO_SIZE", "full"),
            help="small is for tests (or DEMO_SIZE)",
        )
        parser.add_argument("--password", help="of the demo's accounts, instead of the public one")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["password"] is None and not settings.USES_SQLITE:
            raise CommandError("The demo's password is public. Set another one by --password.")
        password = options["password"] or PASSWORD
        sample = Path(settings.VAR_DIR) / "sample-run.txt.gz"
        if not (_is_loaded() and sample.exists()):
            _load(SIZES[options["size"]], password, sample)
        self._report(password, sample)

    def _report(self, password: str, sample: Path) -> None:
        slugs = [REPORTS, TRAINS, MOUNTAINS]
        for campaign in Campaign.objects.filter(slug__in=slugs).order_by("pk"):
            runs, teams = campaign.runs.count(), campaign.teams.count()
            self.stdout.write(f"{campaign.name}: {campaign.stage}, {runs} runs of {teams} teams")
        for account in demo_accounts.ACCOUNTS:
            team = f"  (team {PARTICIPANT_TEAM})" if account.email == PARTICIPANT else ""
            self.stdout.write(f"{account.email:36}{password}{team}")
        self.stdout.write(f"{'a run to submit':36}{os.path.relpath(sample)}")


def read_demo_runs(size: Size) -> list[DemoRun]:
    """The runs of the first teams, in the order of the file."""
    teams = tomllib.loads(_demo_file("teams.toml").decode())["teams"][: size.teams]
    return [
        DemoRun(
            system=System(
                team=team["name"],
                tag=run["tag"],
                quality=run["quality"],
                form=run.get("form", "bm25"),
                depth=min(run.get("depth", size.depth), size.depth),
                elsewhere=run.get("elsewhere", 0.0),
                first_rank=run.get("first_rank", 1),
            ),
            run_type=run.get("type", Run.Type.AUTOMATIC),
            is_pooled=run.get("pooled", False),
            is_baseline=run.get("baseline", False),
            description=run["description"],
        )
        for team in teams
        for run in team["runs"]
    ]


def _first_runs(entries: Sequence[DemoRun]) -> list[DemoRun]:
    """The first run of each team."""
    return list({entry.system.team: entry for entry in reversed(entries)}.values())[::-1]


def _is_loaded() -> bool:
    """Whether the last steps are done; later changes by people stay. A judgment that somebody
    withdraws stays as a row."""
    judgments = Judgment.objects.filter(campaign__slug=MOUNTAINS)
    is_scored = Campaign.objects.filter(slug=TRAINS, active_qrels__isnull=False).exists()
    return is_scored and judgments.count() >= demo_judging.HALF


def _load(size: Size, password: str, sample: Path) -> None:
    demo_runs = read_demo_runs(size)
    leads, judged_runs = _first_runs(demo_runs), _first_runs(read_demo_runs(JUDGED))
    organiser = _demo_person(demo_accounts.ORGANISER, password, is_approved=True)
    _demo_person(demo_accounts.PARTICIPANT, password)
    reader = _demo_person(demo_accounts.READER, password)
    assessors = [_demo_person(account, password) for account in demo_accounts.ASSESSORS]
    # Runs are submitted, checked and, except those of the last campaign, scored.
    steps = 3 * (len(demo_runs) + len(leads)) + 2 * len(judged_runs) + demo_judging.HALF
    with tqdm(total=steps, desc="Simulating", unit="step", disable=None, leave=False) as bar:
        reports = _campaign(
            REPORTS, "Demo: Rail reports", "topics.xml", size, organiser, closes=-45
        )
        collection = _collection("topics.xml", size, SEED)
        retrieved = _submit(reports, demo_runs, collection, bar)
        if reports.stage == Campaign.Stage.OPEN:
            lifecycle.close_submissions(campaign=reports, actor=organiser)
        _judge(reports, demo_runs, collection, retrieved, size, organiser, bar)
        reports.refresh_from_db()
        if reports.stage != Campaign.Stage.PUBLISHED:
            lifecycle.publish(campaign=reports, actor=organiser)
        _give_role(reports, reader, Membership.Role.READER, organiser)

        trains = _campaign(
            TRAINS, "Demo: Night trains", "open-topics.xml", size, organiser, closes=365
        )
        collection = _collection("open-topics.xml", size, SEED + 1)
        retrieved = _submit(trains, leads, collection, bar)
        system = next(entry.system for entry in demo_runs if entry.system.tag == SAMPLE_TAG)
        sample.write_bytes(_packed(collection, simulation.retrieve(collection, system)))
        _judge(trains, leads, collection, retrieved, size, organiser, bar)
        _load_judged(judged_runs, organiser, assessors, bar)


def _load_judged(
    entries: Sequence[DemoRun], organiser: User, assessors: Sequence[User], bar: tqdm
) -> None:
    """The campaign whose documents have texts, and whose plan is half judged."""
    campaign = _campaign(
        MOUNTAINS, "Demo: Mountain railways", "mountain-topics.xml", JUDGED, organiser, closes=-5
    )
    collection = _collection("mountain-topics.xml", JUDGED, SEED + 2)
    retrieved = _submit(campaign, entries, collection, bar)
    for assessor in assessors:
        _give_role(campaign, assessor, Membership.Role.ASSESSOR, organiser)
    texts = texts_of(collection, retrieved, _demo_file("mountain-documents.toml"))
    demo_judging.add_texts(campaign, texts, organiser)
    if campaign.stage == Campaign.Stage.OPEN:
        lifecycle.start_judging(campaign=campaign, actor=organiser)
    plan = plans.latest_plan(campaign) or demo_judging.start_plan(campaign, organiser)
    demo_judging.judge_half(plan, collection, assessors, on_judged=bar.update)


def _demo_person(account: DemoAccount, password: str, **facts: Any) -> User:
    return _person(account.email, account.name, password, **facts)


def _give_role(campaign: Campaign, person: User, role: str, organiser: User) -> None:
    """By an invitation that the person accepts. Accepting twice changes nothing."""
    if not campaign.memberships.filter(person=person, role=role).exists():
        invitation, _ = membership.invite(campaign=campaign, by=organiser, role=role)
        membership.accept_invitation(invitation=invitation, person=person)


def _person(email: str, name: str, password: str | None, **facts: Any) -> User:
    existing = User.objects.filter(email=email).first()
    return existing or User.objects.create_user(email, password, name=name, **facts)


def _campaign(
    slug: str, name: str, topics: str, size: Size, organiser: User, *, closes: int
) -> Campaign:
    """The campaign, created if there is none; submissions close in this many days."""
    existing = Campaign.objects.filter(slug=slug).first()
    if existing is not None:
        return existing
    parsed = _topics(topics, size)
    today = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0)
    campaign = Campaign(
        slug=slug,
        name=name,
        guidelines=GUIDELINES.format(
            depth=size.depth,
            code=parsed[0].code,
            judged=f"the first {size.pool_depth} documents of each pooled run"
            if size.pool_depth
            else "the documents that method B selects from the runs",
        ),
        opens_at=today + timedelta(days=min(closes, 0) - 30),
        closes_at=today + timedelta(days=closes),
        highest_grade=2,
        run_depth=size.depth,
        run_quota=8,
    )
    campaign.full_clean()
    lifecycle.create_campaign(campaign=campaign, organiser=organiser)
    add_topics(campaign=campaign, topics=parsed, actor=organiser)
    lifecycle.open_submissions(campaign=campaign, actor=organiser)
    return campaign


def _submit(
    campaign: Campaign, entries: Sequence[DemoRun], collection: Collection, bar: tqdm
) -> list[Retrieved]:
    """Retrieves every run, submits those that do not exist, and has them checked."""
    all_retrieved = []
    opened = campaign.opens_at
    for number, entry in enumerate(entries, start=1):
        retrieved = simulation.retrieve(collection, entry.system)
        all_retrieved.append(retrieved)
        team, person = _team(campaign, entry.system.team)
        tag = entry.system.tag
        if not team.runs.filter(idempotency_key=tag).exists():
            packed = ContentFile(_packed(collection, retrieved), name=f"{tag}.txt.gz")
            with submission.stored_upload(packed) as file:
                submission.submit_run(
                    campaign=campaign,
                    team=team,
                    person=person,
                    file=file,
                    submitted_at=opened + timedelta(days=29) * (number / len(entries)),
                    run_type=entry.run_type,
                    description=entry.description,
                    is_pooled=entry.is_pooled,
                    idempotency_key=tag,
                    is_past_deadline_allowed=True,
                )
        bar.update()
    perform_waiting_jobs(campaign, on_done=bar.update)
    tags = [entry.system.tag for entry in entries if entry.is_baseline]
    marked = campaign.runs.live().filter(tag__in=tags).values_list("public_id", flat=True)
    organiser = User.objects.get(email=ORGANISER)
    change_baselines(campaign=campaign, mark=list(marked), unmark=(), actor=organiser)
    return all_retrieved


def _team(campaign: Campaign, name: str) -> tuple[Team, User]:
    """The team of this name and its submitter. Only the demo participant can log in."""
    if name == PARTICIPANT_TEAM:
        person = User.objects.get(email=PARTICIPANT)
    else:
        local = name.lower().replace(" ", "-")
        person = _person(f"{local}@teams.example", f"{name} (simulated)", None)
    member = Membership.objects.filter(campaign=campaign, person=person).first()
    if member is not None and member.team is not None:
        return member.team, person
    organiser = User.objects.get(email=ORGANISER)  # may create teams after submissions have closed
    team = teams.create_team(campaign=campaign, name=name, actor=organiser)
    invitation, _ = membership.invite(
        campaign=campaign, by=organiser, role=Membership.Role.PARTICIPANT, team=team
    )
    membership.accept_invitation(invitation=invitation, person=person)
    return team, person


def _judge(
    campaign: Campaign,
    entries: Sequence[DemoRun],
    collection: Collection,
    retrieved: Sequence[Retrieved],
    size: Size,
    organiser: User,
    bar: tqdm,
) -> None:
    """Pools the runs chosen for it, adds the qrels, and has every run scored."""
    pooled = [run for entry, run in zip(entries, retrieved, strict=True) if entry.is_pooled]
    data = simulation.qrels_file(collection, pooled, pool_depth=size.pool_depth)
    note = f"Pool of {len(pooled)} runs to depth {size.pool_depth}."
    add_qrels(campaign=campaign, data=data, note=note, actor=organiser)
    perform_waiting_jobs(campaign, on_done=bar.update)


def _collection(topics: str, size: Size, seed: int) -> Collection:
    codes = [topic.code for topic in _topics(topics, size)]
    return simulation.draw_collection(codes, seed=seed, candidates=size.candidates)


def _topics(name: str, size: Size) -> tuple[ParsedTopic, ...]:
    return read_topics(_demo_file(name))[-size.topics :]


def _packed(collection: Collection, retrieved: Retrieved) -> bytes:
    return gzip.compress(simulation.run_file(collection, retrieved), compresslevel=1, mtime=0)


def _demo_file(name: str) -> bytes:
    return (files("scoring") / "demo" / name).read_bytes()
