"""A site with three campaigns, made by requests as organisers, teams and assessors send them.

`whole` goes through all stages and has what pages can show: scored, tied, refused, withdrawn and
disqualified runs, a baseline, two qrels versions, a plan with judgments that disagree, a program
that judges, a snapshot. `sampled` is the same with a stratified sample, so that scores can be
estimated. `bare` has topics and nothing to score.

Where a later commit changes a request of the setup, keep the earlier one too: both commits of a
comparison are recorded with the same recorder.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import time_machine
from celery import Celery, current_app
from django.apps import apps
from django.contrib.messages import ERROR, get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaigns.models import Campaign, Claim, Membership, User
from tools.record.determinism import SeededBytes
from tools.record.urls import Values

WHOLE, BARE, SAMPLED = "whole", "bare", "sampled"
ANONYMOUS = "anonymous"
ROLES = (
    ANONYMOUS,
    "stranger",  # an account without a part in a campaign
    "participant",
    "rival",  # a participant of another team
    "assessor",
    "reader",
    "organiser",
    "operator",  # a superuser
)

MEASURES = ["AP", "nDCG@10", "P@10", "RR", "Rprec", "NumRet", "Judged@10"]
TOPICS = tuple(map(str, range(1, 17)))
TEXTS = "".join(f"{code}\tsubject of topic {code}\n" for code in TOPICS)
DOCUMENTS = [f"doc-{number:02}" for number in range(16)]
JUDGED = DOCUMENTS[:11]
PROGRAM = {
    "name": "A program", "model": "a model", "version": "1", "prompt": "Is it relevant?",
    "run_by": "Ann", "run_on": "2026-05-01",
}  # fmt: skip
DIGITS = str.maketrans("01", "ab")
PLANS = {  # and how many documents of a topic each assessor judges
    WHOLE: ({"method": "A", "amount": "60", "unit": "documents", "overlap": "100"}, 3),
    SAMPLED: ({"method": "RBPsample", "amount": "36", "unit": "documents"}, 36),
}
QUALITIES = {"plain": 3.0, "tied": 0.5, "sparse": 1.0}  # how far relevant documents come first


class SetupFailed(Exception):
    """A request of the setup was refused: the message says how."""


class Site:
    """Sends requests a minute apart, and performs what they ask of workers."""

    def __init__(self, clock: time_machine.Traveller, seeded: SeededBytes) -> None:
        self.clock, self.seeded = clock, seeded
        self.people: dict[str, User] = {}
        self._clients: dict[str, Client] = {}
        self._count = 0
        self._known: Counter[str] = Counter()  # rows with a public id, by model
        self._with_public_id = [
            model
            for model in apps.get_models()
            if any(field.name == "public_id" for field in model._meta.fields)
        ]
        self._messages: list[tuple[str, Any]] = []
        Celery.send_task = self._keep  # no broker: a message is kept until work() delivers it
        current_app.loader.import_default_modules()

    def _keep(self, name: str, args: Any = (), **options: Any) -> None:
        self._messages.append((name, args))

    def work(self) -> None:
        """What workers do with the messages that were sent."""
        while self._messages:
            name, args = self._messages.pop(0)
            current_app.tasks[name](*args)

    def send(
        self, role: str, path: str, data: dict[str, Any] | None = None, *, method: str = "POST"
    ) -> None:
        """Bytes are sent as files, with all else as a form; other data to the API as JSON. Raises
        `SetupFailed`."""
        self._count += 1
        self.clock.shift(60)
        self.seeded.begin(f"{self._count} {path}")
        if role not in self._clients:
            self._clients[role] = Client(headers={"host": "localhost"})
            self._clients[role].force_login(self.people[role])
        client = self._clients[role]
        sent: dict[str, Any] = {"data": data or {}}
        files = {name: value for name, value in sent["data"].items() if isinstance(value, bytes)}
        if files:
            sent["data"] |= {name: SimpleUploadedFile("a.txt", files[name]) for name in files}
        elif path.startswith("/api/"):
            sent = {"data": json.dumps(sent["data"]), "content_type": "application/json"}
        response = getattr(client, method.lower())(path, **sent)
        is_page = "html" in response.headers.get("Content-Type", "")
        is_shown_again = method == "POST" and response.status_code == 200 and is_page
        if response.status_code >= 400 or is_shown_again:
            text = response.content.decode()
            raise SetupFailed(f"{method} {path}: {response.status_code}\n{text}")
        for message in get_messages(response.wsgi_request):
            if message.level >= ERROR:
                raise SetupFailed(f"{method} {path}: {message}")
        self._set_public_ids()
        self.work()
        self._set_public_ids()

    def _set_public_ids(self) -> None:
        """Gives every new row with a random id one that says what it is, as runaaaaaaaaaaaab, so
        that a change of the random bytes that a request draws changes no URL."""
        for model in self._with_public_id:
            rows = model._default_manager.order_by("pk").values_list("pk", flat=True)
            name = str(model._meta.model_name)
            for pk in rows[self._known[name] :]:
                letters = f"{self._known[name]:b}".translate(DIGITS).rjust(16 - len(name), "a")
                model._default_manager.filter(pk=pk).update(public_id=name + letters)
                self._known[name] += 1


def build(site: Site) -> Iterator[str]:
    """Makes the campaigns, and yields at each stage of `whole`."""
    for role in (*ROLES[1:], "second assessor"):
        site.seeded.begin(role)
        site.people[role] = User.objects.create_user(
            f"{role.replace(' ', '-')}@example.org",
            "a-long-password",
            name=f"The {role}",
            is_approved=role == "organiser",
            is_staff=role == "operator",
            is_superuser=role == "operator",
        )
    for slug, preset in ((WHOLE, "trec"), (BARE, "live"), (SAMPLED, "trec")):
        _create(site, slug, preset)
    yield "draft"
    site.send("organiser", f"/api/campaigns/{BARE}/steps/open/")
    for slug in (WHOLE, SAMPLED):
        site.send("organiser", f"/api/campaigns/{slug}/steps/open/")
        _submit(site, slug)
        _add_qrels(site, slug)
        _judge(site, slug)
        if slug == SAMPLED:
            judged = {"note": "the sample", "is_activated": True}
            site.send("organiser", f"/api/campaigns/{slug}/qrels/freeze/", judged)
        _announce(site, slug)
    site.send("organiser", f"/api/campaigns/{SAMPLED}/steps/publish/")
    yield "open"
    for step, stage in (("close", "closed"), ("judge", "judging"), ("publish", "published")):
        site.send("organiser", f"/api/campaigns/{WHOLE}/steps/{step}/")
        yield stage


def values(slug: str) -> Values:
    """The values of the parts of URLs by their names, for a campaign."""
    campaign = Campaign.objects.get(slug=slug)
    runs = list(campaign.runs.order_by("pk").values_list("public_id", flat=True))

    def first(related: str, field: str) -> object:
        return getattr(campaign, related).order_by("pk").values_list(field, flat=True).first()

    return {
        "slug": (slug,),
        # Of our team, of another one, refused, withdrawn.
        "public_id": [runs[at] for at in (0, 4, 2, 3)] if runs else ["no-run", "no-other"],
        "team": (first("teams", "public_id") or "none",),
        "snapshot": (first("snapshots", "public_id") or "none",),
        "program": (first("programs", "pk") or 0,),
        "version": (2, 1, 9),
        "old": (1,),
        "new": (2, 9),
        "code": ("1", "no-topic"),
        "name": ("AP", "nDCG@10", "RBP(p=0.8)", "no-measure"),
        "guide": ("organiser", "participant", "no-guide"),
        "account": ("organiser",),
        "file": ("examples/run.txt", "no-file"),
        "step": ("close",),
        "act": ("pause",),
        "role": ("reader",),
        "decision": ("approve",),
        "token": ("no-token",),
        "key": ("no-key",),
    }


def _create(site: Site, slug: str, preset: str) -> None:
    path = f"/api/campaigns/{slug}"
    new = {"slug": slug, "name": f"The {slug} one", "preset": preset}
    site.send("organiser", "/api/campaigns/", new)
    site.send("organiser", f"{path}/topics/", {"file": TEXTS.encode()})
    settings = {
        "guidelines": "*Read* **this**.",
        "highest_grade": 2,
        "measures": MEASURES,
        "persistences": [0.5, 0.8],
        "closes_at": "2026-12-01T00:00:00Z",
    }
    site.send("organiser", f"{path}/", settings, method="PATCH")
    for role in ("reader", "assessor", "second assessor"):
        Membership.objects.create(
            campaign=Campaign.objects.get(slug=slug),
            person=site.people[role],
            role=Membership.Role.READER if role == "reader" else Membership.Role.ASSESSOR,
        )


def _submit(site: Site, slug: str) -> None:
    path = f"/api/campaigns/{slug}"
    campaign = Campaign.objects.get(slug=slug)
    for role, name in (("participant", "Ours"), ("rival", "Theirs")):
        site.send("organiser", f"{path}/teams/", {"name": name})
        Membership.objects.create(
            campaign=campaign,
            person=site.people[role],
            role=Membership.Role.PARTICIPANT,
            team=campaign.teams.get(name=name),
        )
    submitted = (
        ("participant", "plain", run_file("plain")),
        ("participant", "tied", run_file("tied", is_tied=True)),
        ("participant", "refused", b"1 Q0 doc-01 1 not-a-number refused\n"),
        ("participant", "withdrawn", run_file("withdrawn")),
        ("rival", "sparse", run_file("sparse", topics=TOPICS[:6])),
        ("rival", "usual", run_file("usual")),
        ("rival", "copied", run_file("copied", order="usual")),
        ("rival", "disqualified", run_file("disqualified")),
    )
    for role, tag, data in submitted:
        described = {"file": data, "run_type": "automatic", "description": f"About {tag}."}
        site.send(role, f"{path}/runs/", described)
    ids = dict(campaign.runs.values_list("tag", "public_id"))
    site.send("participant", f"{path}/runs/{ids['withdrawn']}/withdraw/")
    site.send("organiser", f"{path}/runs/{ids['disqualified']}/disqualify/", {"reason": "Why."})
    site.send("organiser", f"{path}/runs/{ids['usual']}/baseline/")


def _add_qrels(site: Site, slug: str) -> None:
    for note, documents in (("a pool", JUDGED[:8]), ("a deeper pool", JUDGED)):
        added = {"file": qrels_file(documents), "note": note}
        site.send("organiser", f"/api/campaigns/{slug}/qrels/", added)


def _judge(site: Site, slug: str) -> None:
    """Two assessors judge the first documents of their topics, and a program judges all."""
    path = f"/campaigns/{slug}/judging"
    plan, count = PLANS[slug]
    texts = [{"doc_id": each, "title": each, "text": f"About {each}."} for each in DOCUMENTS[:9]]
    lines = "".join(f"{json.dumps(each)}\n" for each in texts)
    site.send("organiser", f"{path}/documents/", {"file": lines.encode()})
    site.send("organiser", f"{path}/plan/", plan)
    codes = TOPICS if slug == SAMPLED else TOPICS[:2]
    for role in ("assessor", "second assessor"):
        topics = {"assessor": str(site.people[role].pk), "topics": " ".join(codes)}
        site.send("organiser", f"{path}/assessors/", topics)
    for code in codes:
        for role in ("assessor", "second assessor"):
            _judge_topic(site, slug, code, role, count)
    site.send("organiser", f"{path}/programs/", PROGRAM)
    program = Campaign.objects.get(slug=slug).programs.get().pk
    site.send("organiser", f"{path}/programs/{program}/import/", {"file": qrels_file(DOCUMENTS)})


def _judge_topic(site: Site, slug: str, code: str, role: str, count: int) -> None:
    """The second assessor sometimes disagrees with the qrels."""
    page = f"/campaigns/{slug}/assess/{code}/"
    for number in range(count):
        site.send(role, page, method="GET")
        claims = Claim.objects.filter(assessor=site.people[role], task__topic__code=code, end="")
        claim = claims.order_by("pk").last()
        if claim is None:
            return
        grade = grade_of(code, claim.task.doc_id)
        if role == "second assessor" and number % 2:
            grade = (grade + 1) % 3
        judgment = {"act": "judge", "doc_id": claim.task.doc_id, "grade": str(grade)}
        site.send(role, page, judgment | {"key": f"key-{number}"})


def _announce(site: Site, slug: str) -> None:
    path = f"/api/campaigns/{slug}"
    site.send("organiser", f"{path}/announcements/", {"subject": "News", "body": "*Some*."})
    site.send("organiser", f"{path}/invitations/", {"role": "reader"})
    site.send("organiser", f"{path}/snapshots/", {"title": "A snapshot"})


def run_file(
    tag: str, *, order: str = "", topics: tuple[str, ...] = TOPICS, is_tied: bool = False
) -> bytes:
    """The documents of each topic in an order that depends on `order`, or else on the tag."""
    lines = []

    def place(topic: str, document: str) -> float:
        quality = QUALITIES.get(tag, 0.0)
        return _fraction(order or tag, topic, document) - quality * grade_of(topic, document)

    for topic in topics:
        ranked = sorted(DOCUMENTS, key=lambda document: place(topic, document))[:12]
        for rank, document in enumerate(ranked, start=1):
            score = 12 - rank // 4 * 4 if is_tied else 20 - rank
            lines.append(f"{topic} Q0 {document} {rank} {score} {tag}\n")
    return "".join(lines).encode()


def qrels_file(documents: list[str]) -> bytes:
    return "".join(
        f"{topic} 0 {document} {grade_of(topic, document)}\n"
        for topic in TOPICS
        for document in documents
    ).encode()


def grade_of(topic: str, document: str) -> int:
    return (0, 0, 1, 2)[int(4 * _fraction("qrels", topic, document))]


def _fraction(*words: str) -> float:
    """From 0 to 1, the same for the same words."""
    return int.from_bytes(hashlib.sha256(" ".join(words).encode()).digest()[:4]) / 2**32
