"""An attacker who probes for the qrels with 50 uploads learns nothing from a blind campaign."""

import random
import re

import pytest
import time_machine
from django.core import mail
from django.urls import reverse

from campaigns.models import Campaign, Run
from scoring.models import Score
from tests.flow_world import World, logged_in, perform_jobs
from tests.making import make_campaign, make_team, make_user

pytestmark = pytest.mark.usefixtures("wake_ups")

UPLOADS = 50
DOCUMENTS = [f"d{number}" for number in range(UPLOADS)]
PASSING = re.compile(
    r'data-person="\d+"|'
    r'name="csrfmiddlewaretoken" value="[^"]*"|name="idempotency_key" value="[^"]*"'
)


def qrels_of(relevant: set[str]) -> bytes:
    lines = [f"1 0 {document} {int(document in relevant)}" for document in DOCUMENTS]
    return "\n".join([*lines, "2 0 elsewhere 1", ""]).encode()


def probe(number: int) -> bytes:
    """One document that may be judged, and two that nobody has seen."""
    lines = [f"1 Q0 {document} 1 {9 - place} probe{number}"
             for place, document in enumerate((DOCUMENTS[number], "x", "y"))]  # fmt: skip
    return "\n".join([*lines, ""]).encode()


def answers_under(world: World, qrels: bytes | None, *, uploads: int, **facts: object) -> list[str]:
    """Everything that this many uploads, each looked at when all is done with it, are told."""
    person = make_user()
    campaign = make_campaign(slug="blind", name="Blind", measures=["AP", "Judged@10"], **facts)
    attacker = World(
        campaign=campaign,
        team=make_team(campaign, person, name="Probers"),
        participant=person,
        organiser=world.organiser,
        browser=logged_in(person),
        organiser_client=world.organiser_client,
    )
    if qrels is not None:
        attacker.add_qrels(qrels)
    answers = []
    for number in range(uploads):
        response = attacker.submit(probe(number))
        assert response.status_code == 302
        run = Run.objects.latest("pk")
        answers.append(response.url)
        perform_jobs()
        answers += looks_at(attacker, run)
    scores = Score.objects.filter(evaluation__run__campaign=campaign)
    assert scores.count() == (0 if qrels is None else 5 * uploads)
    answers += [f"{message.to} {message.subject} {message.body}" for message in mail.outbox]
    mail.outbox.clear()
    runs = enumerate(campaign.runs.order_by("pk"))
    own = {person.email: "ME", attacker.team.public_id: "TEAM"}
    own |= {run.public_id: f"RUN{place}" for place, run in runs}
    Campaign.objects.filter(pk=campaign.pk).update(slug=f"done-{campaign.pk}")
    return [without_identities(answer, own) for answer in answers]


def looks_at(attacker: World, run: Run) -> list[str]:
    here = [attacker.campaign.slug]
    urls = [
        *(reverse(f"scoring:{name}", args=[*here, run.public_id])
          for name in ("run-detail", "run-status", "run-csv")),
        reverse("api:run-detail", args=[*here, run.public_id]),
        *(reverse(name, args=here) for name in (
            "campaigns:run-list", "campaigns:campaign-detail", "campaigns:run-create",
            "scoring:leaderboard", "scoring:leaderboard-csv", "scoring:topics-csv",
        )),
        *(reverse(f"scoring:{name}", args=[*here, "1"]) for name in ("topic-detail", "topic-csv")),
    ]  # fmt: skip
    found = [attacker.browser.get(url) for url in urls]
    for answer in found:
        answer.headers.pop("X-Request-ID", None)  # another one each time
    return [
        f"{answer.status_code} {sorted(answer.headers.items())} {answer.content.decode()}"
        for answer in found
    ]


def without_identities(answer: str, own: dict[str, str]) -> str:
    answer = PASSING.sub("", answer)
    for name, instead in own.items():
        answer = answer.replace(name, instead)
    return re.sub(r"'Content-Length', '\d+'", "", answer)


def differing(one: list[str], other: list[str]) -> int:
    return sum(first != second for first, second in zip(one, other, strict=True))


@pytest.mark.parametrize("uploads", [10, pytest.param(UPLOADS, marks=pytest.mark.exhaustive)])
def test_uploads_under_the_default_settings_recover_not_one_bit(
    uploads: int, world: World, clock: time_machine.Traveller
) -> None:
    half = set(random.Random(7).sample(DOCUMENTS, UPLOADS // 2))
    one = answers_under(world, qrels_of(half), uploads=uploads)
    other = answers_under(world, qrels_of(set(DOCUMENTS) - half), uploads=uploads)
    assert len(one) >= uploads * 10
    assert differing(one, other) == 0


def test_pages_do_not_even_reveal_whether_there_are_qrels(
    world: World, clock: time_machine.Traveller
) -> None:
    some = answers_under(world, qrels_of(set(DOCUMENTS)), uploads=3)
    none = answers_under(world, None, uploads=3)
    assert differing(some, none) == 0


def test_the_attack_would_succeed_where_teams_see_their_own_scores(
    world: World, clock: time_machine.Traveller
) -> None:
    shown = {"uploads": 3, "shows_own_scores": True}
    all_relevant = answers_under(world, qrels_of(set(DOCUMENTS)), **shown)
    all_but_one = answers_under(world, qrels_of(set(DOCUMENTS) - {"d1"}), **shown)
    assert differing(all_relevant, all_but_one) > 0
