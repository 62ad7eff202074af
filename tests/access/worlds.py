"""The same campaign in several worlds that differ in nothing but its secrets: what the qrels say,
and what another team does. Everything else is alike to the last byte: ids, times, names."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from unittest.mock import patch

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from campaigns import lifecycle
from campaigns.access import viewer_or_404
from campaigns.judging import tasks as assessing
from campaigns.judging.program_judgments import import_grades
from campaigns.models import Campaign, Document, Membership, Qrels, Run, Team, User, identity
from campaigns.qrels.versions import add_qrels, freeze_judgments
from campaigns.runs import submission
from campaigns.trec.problems import Problem
from campaigns.uploads import Outcome
from scoring.downloads.snapshots import create_snapshot
from scoring.models import Job
from scoring.worker import perform
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.campaigns.judging.programs import make_program
from tests.frozen_clock import frozen
from tests.making import make_campaign, make_organiser, make_team, make_upload, make_user

SLUG = "blind"
BLIND = ("nobody", "stranger", "participant", "bystander", "pending", "reader", "outsider")


@dataclass(frozen=True)
class Secret:
    """What a blind person must not learn of. Every word of it says so: canary."""

    qrels: tuple[str, ...] = ()  # versions; the last one is active
    team: str = ""  # another team's name; "": there is none
    runs: tuple[str, ...] = ()  # what the other team hands in, by the fate of each
    is_scored: bool = True
    is_snapped: bool = False
    is_anonymous: bool = False
    others_grade: int = 0  # of another assessor, for the document that both were given
    has_baselines: bool = False  # an organiser marks all runs that count
    method: str = "A"  # how the documents to be judged were chosen
    program: str = ""  # the name of a program that judges
    has_version_of_program: bool = False  # its judgments are in the active version


FIRST = Secret(
    qrels=("1 0 canary-d7f3a 1\n1 0 d1 1\n2 0 d2 1\n",),
    team="canary-team-7f3a",
    runs=("accepted", "accepted"),
    is_snapped=True,
    program="canary-judge-7f3a",
)
SECOND = Secret(
    qrels=("1 0 d9 1\n2 0 d2 0\n2 0 canary-e7f3a 1\n", "1 0 d3 1\n1 0 d2 1\n2 0 d1 0\n2 0 d9 1\n"),
    team="canary-others-7f3a",
    runs=("accepted", "withdrawn", "accepted", "accepted", "disqualified"),
    is_snapped=True,
    is_anonymous=True,
    others_grade=1,
    has_baselines=True,
    method="C",
    program="canary-program-7f3a",
    has_version_of_program=True,
)
NO_QRELS = Secret()
UNSCORED = Secret(qrels=FIRST.qrels, team="canary-7f3a", runs=("accepted",), is_scored=False)
IN_TROUBLE = Secret(
    qrels=FIRST.qrels,
    team="canary-7f3a",
    runs=("refused", "failed", "waiting", "waiting", "waiting"),
)


@dataclass(frozen=True)
class World:
    campaign: Campaign
    people: dict[str, User | None]  # the blind ones, the organiser and the assessor
    runs: tuple[Run, ...]  # the participant's: accepted, refused, waiting
    hidden: tuple[str, ...]  # ids of a snapshot, of the other team, and of its runs
    upload: str  # the id of large qrels that await confirmation, where there are any


@contextmanager
def world(secret: Secret, stage: str, **facts: object) -> Iterator[World]:
    """The campaign at a stage, until the block ends."""
    with frozen("2026-06-01T12:00:00Z"), transaction.atomic():
        yield _build(secret, stage, facts)
        transaction.set_rollback(True)


@contextmanager
def ids_of(whom: str) -> Iterator[None]:
    """Random names become the first, second, ... of this kind: the same in every world."""
    count = iter(range(1_000_000))

    def token_bytes(size: int) -> bytes:
        return hashlib.sha256(f"{whom} {next(count)}".encode()).digest()[:size]

    with patch.object(identity, "secrets", SimpleNamespace(token_bytes=token_bytes)):
        yield


def _build(secret: Secret, stage: str, facts: dict[str, object]) -> World:
    people: dict[str, User | None] = {
        role: make_user(f"{role}@example.org", name=f"The {role}")
        for role in (*BLIND[1:], "organiser", "assessor", "hidden")
    }
    people["nobody"] = None
    campaign = make_campaign(slug=SLUG, name="Blind", guidelines="*Read* **this**.", **facts)
    make_organiser(campaign, people["organiser"])
    with ids_of("another campaign"):
        make_organiser(make_campaign(slug="another", name="Another"), people["outsider"])
    for role in (Membership.Role.READER, Membership.Role.ASSESSOR):
        Membership.objects.create(campaign=campaign, person=people[role], role=role)
    hidden = _hide(campaign, secret, people["hidden"]) if secret.team else []
    with ids_of("teams"):
        own = make_team(campaign, people["participant"], name="Ours")
        make_team(campaign, people["bystander"], name="Bystanders")
        waiting = make_team(campaign, people["pending"], name="Waiting")
    Team.objects.filter(pk=waiting.pk).update(approved_at=None)
    runs = _own_runs(campaign, own, people["participant"])
    _judge(campaign, secret, people["organiser"])
    _plan(campaign, secret, people)
    if secret.program:
        _judge_by_program(campaign, secret, people["organiser"])
    with ids_of("upload"):
        upload = identity.new_public_id()
    if secret.qrels:
        _upload(campaign, secret, upload, people["organiser"])
    campaign.runs.live().update(is_baseline=secret.has_baselines)
    if secret.is_snapped:
        hidden.insert(0, _snapshot(campaign, people["organiser"]))
    with ids_of("last"):
        runs.append(_submit(campaign, own, people["participant"], "waits", number=4))
    _bring_to(stage, campaign)
    campaign.refresh_from_db()
    del people["hidden"]
    return World(campaign, people, tuple(runs), tuple(hidden), upload)


def run_file(tag: str, *, first: str = "d1") -> bytes:
    return "".join(
        f"{topic} Q0 {document} {rank} {10 - rank} {tag}\n"
        for topic in ("1", "2")
        for rank, document in enumerate((first, "d9", "d0"), start=1)
    ).encode()


def _submit(campaign: Campaign, team: Team, person: User | None, tag: str, *, number: int) -> Run:
    data = run_file(tag, first=f"d{number}")
    with submission.stored_upload(ContentFile(data, name=f"{tag}.txt")) as file:
        return submission.submit_run(
            campaign=campaign,
            team=team,
            person=person,
            file=file,
            submitted_at=timezone.now(),
            description=f"About {tag}.",
        )


def _own_runs(campaign: Campaign, team: Team, person: User | None) -> list[Run]:
    """One that is fine and one that is refused; the first has the tag and the bytes of another
    team's, where there is one."""
    with ids_of("own"):
        good = _submit(campaign, team, person, "same", number=1)
        bad = _submit(campaign, team, person, "bad tag of two", number=2)
        perform_all(Job.Kind.CHECK, good, bad)
    return [good, bad]


def _hide(campaign: Campaign, secret: Secret, person: User | None) -> list[str]:
    """The other team's acts, before ours."""
    with ids_of("hidden team"):
        team = make_team(campaign, person, name=secret.team)
    Team.objects.filter(pk=team.pk).update(is_anonymous=secret.is_anonymous, shares_files=True)
    hidden = [team.public_id]
    for number, fate in enumerate(secret.runs, start=1):
        tag = "same" if number == 1 else f"canary-7f3a-{number}"
        with ids_of(f"hidden run {number}"):
            run = _submit(campaign, team, person, tag, number=number)
            if fate != "waiting":
                perform_all(Job.Kind.CHECK, run)
        _meet(run, fate)
        hidden.append(run.public_id)
    return hidden


def _meet(run: Run, fate: str) -> None:
    now = timezone.now()
    facts = {
        "refused": {"state": Run.State.REFUSED, "problem_count": 3},
        "failed": {"state": Run.State.FAILED},
        "withdrawn": {"withdrawn_at": now},
        "disqualified": {"disqualified_at": now, "disqualified_reason": "canary-7f3a"},
    }
    if fate in facts:
        Run.objects.filter(pk=run.pk).update(**facts[fate])
    if fate == "failed":
        Job.objects.filter(subject=run.pk, kind=Job.Kind.CHECK).update(state=Job.State.FAILED)


def _judge(campaign: Campaign, secret: Secret, organiser: User | None) -> None:
    for number, data in enumerate(secret.qrels):
        with ids_of(f"qrels {number}"):
            add_qrels(
                campaign=campaign, data=data.encode(), note="canary-7f3a", actor=organiser,
                is_confirmed=True,
            )  # fmt: skip
        if secret.is_scored:
            perform_all(Job.Kind.EVALUATE)


def _upload(campaign: Campaign, secret: Secret, identity: str, organiser: User | None) -> None:
    """Each world has another file, and other problems."""
    problem = Problem("UNKNOWN_TOPIC", len(secret.qrels), "canary-7f3a")
    outcome = Outcome(problems=[problem.as_dict()], total=1)
    data = secret.qrels[-1].encode()
    names = {"public_id": identity, "original_name": "canary-7f3a.txt"}
    make_upload(campaign, organiser, data, outcome=asdict(outcome), **names)


def _plan(campaign: Campaign, secret: Secret, people: dict[str, User | None]) -> None:
    """Documents to be judged by two, the same in every world; what the other one said, why they
    were chosen and what the runs had to do with it is secret."""
    plan = make_plan(
        campaign, tasks=("d1", "d2"), wanted=2, method=secret.method, persistence=0.5
        if secret.others_grade else 0.8,
    )  # fmt: skip
    Document.objects.create(campaign=campaign, doc_id="d1", title="One", text="About topic 1.")
    topic = topic_of(plan)
    for role, grade in (("assessor", 1), ("hidden", secret.others_grade)):
        person = make_assessor(campaign, person=people[role])
        assessing.claim_next(assessor=person, topic=topic)
        assessing.judge(
            assessor=person, topic=topic, doc_id="d1", grade=grade, key=f"{role}-1",
            note="" if role == "assessor" else f"canary-7f3a-{grade}",
        )  # fmt: skip


def _judge_by_program(campaign: Campaign, secret: Secret, organiser: User | None) -> None:
    program = make_program(campaign, organiser, name=secret.program, model="canary-7f3a")
    grades = f"1 0 d1 {secret.others_grade}\n1 0 d2 1\n".encode()
    import_grades(program=program, data=grades, actor=organiser)
    if secret.has_version_of_program:
        with ids_of("qrels of a program"):
            freeze_judgments(
                campaign=campaign, note="canary-7f3a", actor=organiser, program=program,
                sources=Qrels.Sources.PEOPLE_THEN_PROGRAM,
            )  # fmt: skip
        if secret.is_scored:
            perform_all(Job.Kind.EVALUATE)


def _snapshot(campaign: Campaign, organiser: User | None) -> str:
    viewer = viewer_or_404(organiser, campaign.slug)
    with ids_of("snapshot"):
        return create_snapshot(viewer=viewer, actor=organiser, title="canary-7f3a").public_id


def perform_all(kind: Job.Kind, *runs: Run) -> None:
    """The waiting jobs of a kind; where runs are given, their checks."""
    waiting = Job.objects.filter(kind=kind, state=Job.State.WAITING).order_by("pk")
    if runs:
        waiting = waiting.filter(subject__in=[run.pk for run in runs])
    for job_id in list(waiting.values_list("pk", flat=True)):
        perform(job_id)


def _bring_to(stage: str, campaign: Campaign) -> None:
    if stage == "draft":  # as nobody can make it any more once there are runs
        row = campaign.stage_switches["draft"]
        Campaign.objects.filter(pk=campaign.pk).update(stage="draft", is_accepting=False, **row)
    if stage in ("closed", "judging", "published"):
        lifecycle.close_submissions(campaign=campaign, actor=None)
    if stage in ("judging", "published"):
        lifecycle.start_judging(campaign=campaign, actor=None)
    if stage == "published":
        lifecycle.publish(campaign=campaign, actor=None)
    perform_all(Job.Kind.NOTIFY)
