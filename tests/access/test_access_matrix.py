"""Every URL × every role × every stage of a campaign: what each gets to see.

A URL that the matrix does not name fails the suite.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cache

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse

from campaigns import lifecycle
from campaigns.judging import gold
from campaigns.models import Campaign, Membership, Run, Team, User
from campaigns.people import announcements, membership
from scoring.models import Job
from tests.access.crawler import urls
from tests.access.matrix import MATRIX
from tests.access.roles import GONE, LOGIN, ROLES, STAGES
from tests.campaigns.judging.making import make_assessor, make_plan
from tests.campaigns.judging.programs import make_program
from tests.making import (
    give_file,
    make_campaign,
    make_failed_job,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_snapshot,
    make_team,
    make_upload,
    make_user,
)

pytestmark = pytest.mark.django_db

SCORES = {"RBP(p=0.5)": (0.5, 0.1), "Judged@10": (0.9, None)}


@dataclass(frozen=True)
class World:
    campaign: Campaign
    run: Run
    team: Team
    people: dict[str, User | None]
    job: Job
    numbers: dict[str, object] = field(default_factory=dict)  # where they are not the first ones


@pytest.fixture
def world() -> World:
    cast: dict[str, User | None] = {role: make_user() for role in ROLES[1:]}
    cast["nobody"] = None
    campaign = make_campaign(slug="the-campaign")
    make_organiser(campaign, cast["organiser"])
    assessor = cast["assessor"]
    assert assessor is not None
    make_assessor(campaign, person=assessor)
    make_plan(campaign)
    team = make_team(campaign, cast["participant"], name="The Team")
    make_team(campaign, cast["rival"], name="The Rivals")
    make_organiser(make_campaign(), cast["organiser of another"])
    run, job = _fill(campaign, team)
    return World(campaign, run, team, cast, job)


def _fill(campaign: Campaign, team: Team) -> tuple[Run, Job]:
    """A scored run with its file, two qrels versions with theirs, and a job that failed."""
    _add_qrels(campaign, 2)
    data = b"1 Q0 d 1 1.0 theirs\n"
    key = default_storage.save("runs/aa/file", ContentFile(data))
    digest = hashlib.sha256(data).hexdigest()
    run = make_run(campaign, team, tag="theirs", storage_key=key, digest=digest, size=len(data))
    make_scores(run, SCORES)
    make_snapshot(campaign)
    make_upload(campaign, make_user(), b"1 0 d 1\n")
    return run, make_failed_job(run)


def _add_qrels(campaign: Campaign, count: int) -> None:
    for number in range(count):
        give_file(make_qrels(campaign), f"1 0 d {number % 2}\n".encode())


def bring_to(stage: str, campaign: Campaign) -> None:
    if stage == "draft":
        campaign.stage, campaign.is_accepting = Campaign.Stage.DRAFT, False
        campaign.save()
    if stage == "closed":
        lifecycle.close_submissions(campaign=campaign, actor=None)
    if stage == "judging":
        lifecycle.start_judging(campaign=campaign, actor=None)
    if stage == "published":
        lifecycle.publish(campaign=campaign, actor=None)


def values_for(name: str, world: World) -> dict[str, object]:
    """What each part of a URL is in this world."""
    return {
        "slug": world.campaign.slug,
        "public_id": world.run.public_id,
        "step": "close",
        "token": "no-such-token",
        "key": "no-such-key",
        "role": "reader",
        "act": "approve",
        "account": "organiser",
        "team": world.team.public_id,
        "membership": world.team.memberships.values_list("pk", flat=True).first() or 0,
        "invitation": 0,
        "announcement": 0,
        "gold_document": 0,
        "program": 0,
        "request_id": 0,
        "decision": "approve",
        "version": 1,
        "old": 1,
        "new": 2,
        "job": world.job.pk,
        "code": "1",
        "name": "RBP",
        "guide": "organiser",
        "file": "examples/run.txt",
        "snapshot": world.campaign.snapshots.values_list("public_id", flat=True).first(),
        "upload": world.campaign.pending_uploads.values_list("public_id", flat=True).first(),
    } | world.numbers


def url_of(name: str, world: World) -> str:
    values = values_for(name, world)
    return reverse(name, kwargs={part: values[part] for part in parts_of(name)})


@cache
def patterns() -> dict[str, URLPattern]:
    """Every URL of the site by its full name."""
    return dict(urls())


def parts_of(entry: str) -> set[str]:
    return set(patterns()[name_of(entry)].pattern.converters)


def name_of(entry: str) -> str:
    """An entry of the matrix is a URL's name; a second one of the same URL says in a
    word after it what it is about."""
    return entry.partition(" ")[0]


def clients_of(people: dict[str, User | None]) -> dict[str, Client]:
    clients = {role: Client(raise_request_exception=False) for role in people}
    for role, person in people.items():
        if person is not None:
            clients[role].force_login(person)
    return clients


def status_of(client: Client, method: str, url: str) -> int:
    """Nothing of what the request changed stays."""
    with transaction.atomic():
        if method == "upload":
            file = SimpleUploadedFile("run.txt", b"1 Q0 d 1 1.0 tag\n")
            status = client.post(url, {"file": file}).status_code
        else:
            status = getattr(client, method)(url).status_code
        transaction.set_rollback(True)
    return status


def test_the_matrix_names_every_url() -> None:
    assert set(patterns()) == {name_of(entry) for entry in MATRIX}


# In the fast tier where the most is shown.
STAGES_BY_TIER = [
    pytest.param(stage, marks=[] if stage == "published" else pytest.mark.long) for stage in STAGES
]


@pytest.mark.parametrize("stage", STAGES_BY_TIER)
def test_each_role_gets_what_the_matrix_says(stage: str, world: World) -> None:
    bring_to(stage, world.campaign)
    clients = clients_of(world.people)
    wrong = {}
    for entry, (method, expected) in MATRIX.items():
        if "slug" not in parts_of(entry) and stage != "published":
            continue  # it is of no campaign
        url = url_of(name_of(entry), world)
        for role in ROLES:
            got, due = status_of(clients[role], method, url), expected(role, stage)
            if got != due:
                wrong[entry, role] = f"{method} gave {got} instead of {due}"
    assert wrong == {}


def test_a_url_that_changes_something_does_not_answer_a_mere_look(world: World) -> None:
    client = clients_of(world.people)["organiser"]
    posts = [name_of(entry) for entry, (method, _) in MATRIX.items() if method == "post"]
    looked = {name_of(entry) for entry, (method, _) in MATRIX.items() if method == "get"}
    answers = {name: status_of(client, "get", url_of(name, world)) for name in {*posts} - looked}
    assert answers == dict.fromkeys(answers, 405)
    assert answers


def test_head_requests_have_the_same_status_as_get_requests(world: World) -> None:
    bring_to("published", world.campaign)
    client = clients_of(world.people)["organiser"]
    answers = {
        entry: (
            status_of(client, "head", url_of(name_of(entry), world)),
            expected("organiser", "published"),  # what a look at all of it is answered
        )
        for entry, (method, expected) in MATRIX.items()
        if method == "get"
    }
    assert {entry: both for entry, both in answers.items() if both[0] != both[1]} == {}
    assert answers["scoring:leaderboard"] == (200, 200)


@pytest.mark.parametrize("role", ["participant", "organiser"])
def test_a_change_without_its_token_is_refused(role: str, world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people[role])
    answers = {}
    for entry, (method, _) in MATRIX.items():
        if method != "get":
            url, verb = url_of(name_of(entry), world), {"upload": "post"}.get(method, method)
            with transaction.atomic():
                answers[entry] = client.generic(verb.upper(), url, **body_for(entry)).status_code
                transaction.set_rollback(True)
    assert answers == dict.fromkeys(answers, 403) | dict.fromkeys(OF_PROGRAMS & answers.keys(), 401)
    assert answers


def body_for(entry: str) -> dict[str, str]:
    """JSON where the API takes nothing else: other bodies are not even looked at."""
    takes_files = "upload" in MATRIX[entry] or entry in TAKING_FILES
    is_json = entry.startswith("api:") and not takes_files
    form = "multipart/form-data; boundary=x"
    return {"content_type": "application/json", "data": "{}"} if is_json else {
        "content_type": form, "data": "--x--\r\n"
    }  # fmt: skip


# Sessions do not count there, and every person is asked for a program's token, whatever exists.
OF_PROGRAMS = {"api:judging-next", "api:judging-grades", "api:judging-progress"}

TAKING_FILES = {"api:topic-list POST", "api:qrels-list POST"}


# --- a private campaign ---------------------------------------------------------------------------

OUTSIDERS = ("nobody", "stranger", "organiser of another")


MEMBERS = ("participant", "rival", "assessor", "organiser")
WITHOUT_A_SAY = (*OUTSIDERS, "reader", "pending")


@pytest.mark.parametrize(
    ("stage", "roles"),
    [
        ("published", WITHOUT_A_SAY),
        pytest.param("published", ("nobody", *MEMBERS), marks=pytest.mark.long, id="for-members"),
        pytest.param("open", (*WITHOUT_A_SAY, *MEMBERS), marks=pytest.mark.long, id="open"),
    ],
)
def test_a_private_campaign_is_its_members_secret(
    stage: str, roles: tuple[str, ...], world: World
) -> None:
    """Outsiders find none of its URLs; a reader gets what a stranger gets of a public one,
    and so does a team that nobody has let in yet, apart from its own page."""
    campaign, reader, pending = world.campaign, make_user(), make_user()
    Membership.objects.create(campaign=campaign, person=reader, role=Membership.Role.READER)
    waiting = make_team(campaign, pending, name="Waiting")
    Team.objects.filter(pk=waiting.pk).update(approved_at=None)
    bring_to(stage, campaign)
    Campaign.objects.filter(pk=campaign.pk).update(is_private=True)
    people = world.people | {"reader": reader, "pending": pending}
    clients = clients_of({role: people[role] for role in roles})
    wrong = {}
    for entry, (method, expected) in MATRIX.items():
        if "slug" not in parts_of(entry):
            continue
        url = url_of(name_of(entry), world)
        got = {role: status_of(client, method, url) for role, client in clients.items()}
        public = {role: expected(role, stage) for role in ROLES}
        due = public | dict.fromkeys(OUTSIDERS, GONE) | {"reader": public["stranger"]}
        if got["nobody"] in (LOGIN, 401):  # asked to log in, as for what is not there
            due["nobody"] = got["nobody"]
        due["pending"] = PENDING.get(entry, public["stranger"])
        if entry in OF_PROGRAMS:
            due = dict.fromkeys(due, 401)
        if entry in THE_SAME_FOR_EVERYBODY:
            due = dict.fromkeys(due, GONE)
        wrong |= {(entry, role): (got[role], due[role]) for role in got if got[role] != due[role]}
    assert wrong == {}


# What other sites show of a public campaign is of no private one, whoever asks.
THE_SAME_FOR_EVERYBODY = {"scoring:badge", "scoring:run-badge"}

# What a team that waits may do: take its leave, accept the terms, and hear why it hands in nothing.
PENDING: dict[str, int] = {
    "campaigns:run-create": 200,
    "campaigns:team-leave": 302,
    "campaigns:terms-accept": 400,
}


# --- ids of other campaigns and other teams -------------------------------------------------------

# Parts of a URL that name a row; the others are words, or the campaign itself.
IDS = {
    "public_id", "team", "membership", "invitation", "announcement", "gold_document", "program",
    "version", "old", "new", "job", "code", "upload",
}  # fmt: skip


def names_with_ids() -> list[tuple[str, str]]:
    return [
        (entry, method)
        for entry, (method, _) in MATRIX.items()
        if "slug" in parts_of(entry) and IDS & parts_of(entry)
    ]


@pytest.mark.parametrize("stage", ["open", "published"])
def test_an_id_of_another_campaign_is_not_found(stage: str, world: World) -> None:
    """Nor is it by who organises both."""
    other = another_campaign(world)
    bring_to(stage, world.campaign)
    bring_to(stage, other.campaign)
    organiser = world.people["organiser"]
    make_organiser(other.campaign, organiser)
    client = clients_of({"organiser": organiser})["organiser"]
    swapped = {}
    for entry, method in names_with_ids():
        name = name_of(entry)
        parts = parts_of(name)
        for swap in sorted(IDS & parts):
            ours, theirs = values_for(name, world), values_for(name, other)
            url = reverse(name, kwargs={k: (theirs if k == swap else ours)[k] for k in parts})
            swapped[entry, swap] = status_of(client, method, url)
    assert swapped == dict.fromkeys(swapped, 404)
    assert swapped


def another_campaign(world: World) -> World:
    """With rows of every kind, and numbers that the first campaign does not have."""
    campaign = make_campaign(slug="the-other", topics=("1", "2", "other-topic"))
    team = make_team(campaign, make_user(), name="Others")
    run, job = _fill(campaign, team)
    _add_qrels(campaign, 3)
    by = make_organiser(campaign)
    invitation, _ = membership.invite(campaign=campaign, by=by, role=Membership.Role.READER)
    said = announcements.announce(campaign=campaign, by=by, subject="News", body="Some.")
    marked = gold.mark(campaign=campaign, topic="1", doc_id="d1", grade=1, actor=by)
    numbers = {
        "version": 4, "old": 4, "new": 5, "code": "other-topic", "invitation": invitation.pk,
        "announcement": said.pk, "gold_document": marked.pk,
        "program": make_program(campaign, by).pk,
    }  # fmt: skip
    return World(campaign, run, team, world.people, job, numbers)
