"""Before publication nothing that a blind person can ask for depends on the qrels, on scores, or
on what other teams do: the same campaign in worlds that differ in nothing else gives the same
answers, word for word."""

from functools import cache

import pytest
from django.core import mail
from django.test import Client

from campaigns import lifecycle
from campaigns.models import Campaign
from tests.access.crawler import Crawl, crawl, noted, seeds
from tests.access.worlds import (
    BLIND,
    FIRST,
    IN_TROUBLE,
    NO_QRELS,
    SECOND,
    SLUG,
    UNSCORED,
    Secret,
    World,
    world,
)

pytestmark = pytest.mark.django_db

CANARY = b"7f3a"
FIRST_ROLES = ("stranger", "participant")  # those of the fast tier
BLIND_LETTERS = {f"{role}@example.org" for role in BLIND}


@cache
def hidden_ids() -> tuple[str, ...]:
    """Where there are any, they are the same in every world."""
    with world(FIRST, "open") as known:
        return known.hidden


def values(here: World, role: str = "participant") -> dict[str, list[object]]:
    """What may stand in each place of a URL: what is there, what is hidden, what is not."""
    own = [run.public_id for run in here.runs]
    snapshot, team, *runs = hidden_ids()
    return {
        "slug": [SLUG],
        "public_id": [*(own if role == "participant" else own[:1]), runs[0]],
        "team": [team],
        "version": [1, 2],
        "old": [1],
        "new": [2],
        "code": ["1"],
        "name": ["RBP"],
        "step": ["publish"],
        "role": ["reader"],
        "account": ["organiser"],
        "act": ["approve"],
        "token": ["no-such-token"],
        "key": ["no-such-key"],
        "membership": [1],
        "invitation": [1],
        "announcement": [1],
        "gold_document": [1],
        "program": [1],
        "request_id": [1],
        "decision": ["approve"],
        "job": [1],
        "snapshot": [snapshot],
        "upload": [here.upload],
        "guide": ["organiser"],
        "file": ["examples/run.txt"],
    }


def look(
    secret: Secret, stage: str, roles: tuple[str, ...], *, thorough: tuple[str, ...] = ()
) -> dict[str, Crawl]:
    """What each role gets in the world of this secret, and the mails that were sent in it."""
    hidden_ids()
    mail.outbox.clear()
    with world(secret, stage) as here:
        crawls = {
            role: crawl(
                here.people[role],
                values(here, role),
                is_thorough=role in thorough,
                is_following=role != "organiser",
            )
            for role in roles
        }
    letters = [letter for letter in mail.outbox if set(letter.to) <= BLIND_LETTERS]
    told = {f"{n} to {m.to}": f"{m.subject}\n{m.body}".encode() for n, m in enumerate(letters)}
    return crawls | {"mails": Crawl(told)}


def differences(first: dict[str, Crawl], second: dict[str, Crawl]) -> list[tuple[str, str]]:
    return [(who, asked) for who in second for asked in first[who].differences(second[who])]


def all_but(*roles: str) -> tuple[str, ...]:
    return tuple(role for role in BLIND if role not in roles)


@pytest.mark.parametrize(
    ("stage", "roles", "thorough"),
    [
        ("judging", FIRST_ROLES, ()),
        *(
            pytest.param(stage, roles, thorough, marks=pytest.mark.long, id=f"{stage}-{len(roles)}")
            for stage, roles, thorough in (
                ("draft", BLIND, ()),
                ("open", ("participant",), ("participant",)),
                ("open", all_but("participant"), ()),
                ("closed", BLIND, ()),
                ("judging", all_but(*FIRST_ROLES), ()),
            )
        ),
    ],
)  # fmt: skip
def test_no_answer_depends_on_qrels_or_on_other_teams(
    stage: str, roles: tuple[str, ...], thorough: tuple[str, ...]
) -> None:
    first, second = (look(secret, stage, roles, thorough=thorough) for secret in (FIRST, SECOND))
    assert differences(first, second) == []
    assert [asked for each in first.values() for asked in each.holding(CANARY)] == []
    assert sum(len(each.answers) for each in first.values()) >= 70 * len(roles)


@pytest.mark.parametrize(
    ("stage", "secrets"),
    [
        ("open", (IN_TROUBLE,)),
        pytest.param("open", (NO_QRELS, UNSCORED), marks=pytest.mark.long, id="open-others"),
        pytest.param(
            "judging", (NO_QRELS, UNSCORED, IN_TROUBLE), marks=pytest.mark.long, id="judging"
        ),
    ],
)
def test_nor_on_whether_there_are_any(stage: str, secrets: tuple[Secret, ...]) -> None:
    first = look(FIRST, stage, ("participant",))
    for secret in secrets:
        assert differences(first, look(secret, stage, ("participant",))) == []


def test_assessors_see_documents_and_what_they_said_and_nothing_of_runs_and_others() -> None:
    first, second = (look(secret, "judging", ("assessor",)) for secret in (FIRST, SECOND))
    assert differences(first, second) == []
    assert first["assessor"].holding(CANARY) == []
    page = first["assessor"].answers[f"GET /campaigns/{SLUG}/assess/1/"]
    assert b'data-doc="d2"' in page  # the crawl sees the assessment page
    assert b"Graded 1" in page
    assert f"GET /campaigns/{SLUG}/assessed/1/" in first["assessor"].answers


@pytest.mark.parametrize("role", ["nobody", "participant"])
@pytest.mark.parametrize("verb", ["get", "post"])
def test_hidden_and_missing_objects_have_the_same_response(verb: str, role: str) -> None:
    snapshot, team, run, *_ = hidden_ids()
    hidden: dict[str, object] = {
        "public_id": run,
        "snapshot": snapshot,
        "team": team,
        "version": 1,
        "old": 1,
        "new": 2,
    }
    missing: dict[str, object] = dict.fromkeys(
        ("public_id", "snapshot", "team", "upload"), "nobodysrunatall2"
    )
    missing |= {"version": 7, "old": 7, "new": 8}
    client, different = Client(), []
    with world(SECOND, "judging") as here:
        if person := here.people[role]:
            client.force_login(person)
        known, hidden["upload"] = values(here, role), here.upload
        there, not_there = (
            dict(seeds(known | {part: [value] for part, value in ids.items()}))
            for ids in (hidden, missing)
        )
        for name, path in there.items():
            if path != not_there[name]:
                answers = [
                    noted(getattr(client, verb)(each)).replace(each.encode(), b"it")
                    for each in (path, not_there[name])
                ]
                different += [name] * (answers[0] != answers[1])
    assert different == []
    assert len(there) > 50


def test_the_organisers_answers_do_differ() -> None:
    """For a crawl that sees nothing proves nothing."""
    first, second = (look(secret, "open", ("organiser",)) for secret in (FIRST, SECOND))
    different = differences(first, second)
    for name in ("/leaderboard/", "/leaderboard.csv", "/runs/", "/manage/"):
        assert ("organiser", f"GET /campaigns/{SLUG}{name}") in different
    assert first["organiser"].holding(b"canary-team-7f3a")
    page = f"/campaigns/{SLUG}/manage/uploads/"
    assert any(page in asked for asked in first["organiser"].holding(b"canary-7f3a.txt"))


@pytest.mark.long
def test_once_published_the_answers_differ() -> None:
    first, second = (look(secret, "published", ("nobody",)) for secret in (FIRST, SECOND))
    assert ("nobody", f"GET /campaigns/{SLUG}/leaderboard/") in differences(first, second)
    assert first["nobody"].holding(b"canary-team-7f3a")


@pytest.mark.parametrize("is_following", [False, pytest.param(True, marks=pytest.mark.long)])
def test_unpublishing_hides_everything_at_once(is_following: bool) -> None:
    hidden_ids()  # made in a world of its own, and so before this one
    with world(FIRST, "judging") as here:
        ids = values(here)
        before = crawl(here.people["participant"], ids, is_following=is_following)
        lifecycle.publish(campaign=here.campaign, actor=None)
        shown = crawl(here.people["participant"], ids, is_following=is_following)
        assert shown.holding(b"canary-team-7f3a")
        lifecycle.unpublish(campaign=here.campaign, actor=None)
        # One's own data keep the mail that told of the publication: it was sent.
        told = ["GET /account/data.json"]
        after = crawl(here.people["participant"], ids, is_following=is_following)
        assert before.differences(after) == told


def test_a_team_sees_its_own_scores_only_where_the_switch_says_so(client: Client) -> None:
    with world(FIRST, "open") as here:
        client.force_login(here.people["participant"])
        own = f"/api/campaigns/{SLUG}/runs/{here.runs[0].public_id}/"
        assert client.get(own).json()["scores"] == []
        Campaign.objects.filter(pk=here.campaign.pk).update(shows_own_scores=True)
        shown = {score["measure"] for score in client.get(own).json()["scores"]}
        assert shown >= {"AP", "RBP(p=0.5)"}
        # the switch opens the team's own scores, and no board
        assert client.get(f"/api/campaigns/{SLUG}/leaderboard/").status_code == 404
