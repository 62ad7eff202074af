"""Every address × every role × every stage of a campaign: what each gets to see.

An address that the matrix does not name fails the suite.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from campaigns import lifecycle
from campaigns.models import Campaign, Membership, Run, Team, User
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db

ROLES = (
    "nobody",
    "stranger",
    "participant",
    "rival",  # a participant of another team
    "assessor",
    "organiser",
    "organiser of another",
)
STAGES = ("draft", "open", "closed", "published")

LOGIN = 302
GONE = 404


@dataclass(frozen=True)
class World:
    campaign: Campaign
    run: Run
    team: Team
    people: dict[str, User | None]


@pytest.fixture
def world() -> World:
    people: dict[str, User | None] = {role: make_user() for role in ROLES[1:]}
    people["nobody"] = None
    campaign = make_campaign(slug="the-campaign")
    make_organiser(campaign, people["organiser"])
    make_organiser(make_campaign(), people["organiser of another"])
    assessor = people["assessor"]
    assert assessor is not None
    Membership.objects.create(campaign=campaign, person=assessor, role=Membership.Role.ASSESSOR)
    team = make_team(campaign, people["participant"], name="The Team")
    make_team(campaign, people["rival"], name="The Rivals")
    make_qrels(campaign)
    run = make_run(campaign, team, tag="theirs")
    make_scores(run, {"RBP(p=0.5)": (0.5, 0.1), "Judged@10": (0.9, None)})
    return World(campaign, run, team, people)


def bring_to(stage: str, campaign: Campaign) -> None:
    if stage == "draft":
        campaign.stage, campaign.is_accepting = Campaign.Stage.DRAFT, False
        campaign.save()
    if stage == "closed":
        lifecycle.close_for_runs(campaign=campaign, actor=None)
    if stage == "published":
        lifecycle.publish(campaign=campaign, actor=None)


def is_shown(role: str, stage: str) -> bool:
    """Whether this role may know of the campaign."""
    return stage != "draft" or role == "organiser"


def members_only(role: str, stage: str, allowed: tuple[str, ...], answer: int) -> int:
    if role == "nobody":
        return LOGIN
    return answer if role in allowed and is_shown(role, stage) else GONE


def public(role: str, stage: str) -> int:
    return 200 if is_shown(role, stage) else GONE


def board(role: str, stage: str) -> int:
    return 200 if role == "organiser" or stage == "published" else GONE


def run_page(role: str, stage: str) -> int:
    return 200 if role == "participant" and stage != "draft" else board(role, stage)


def organisers_get(answer: int):
    return lambda role, stage: members_only(role, stage, ("organiser",), answer)


def login_then_public(role: str, stage: str) -> int:
    return LOGIN if role == "nobody" else public(role, stage)


def upload(role: str, stage: str) -> int:
    """The upload form: people without a team are sent to found one."""
    if role == "nobody":
        return LOGIN
    if not is_shown(role, stage):
        return GONE
    return 200 if role in ("participant", "rival") else 302


def api_upload(role: str, stage: str) -> int:
    if role == "nobody":
        return 401
    if role not in ("participant", "rival") or stage == "draft":
        return GONE
    return 202 if stage == "open" else 409


# address name: (method, what each role gets at each stage)
MATRIX = {
    "campaigns:campaign-list": ("get", lambda role, stage: 200),
    "campaigns:campaign-create": (
        "get",
        lambda role, stage: LOGIN if role == "nobody" else 403,  # nobody here is approved
    ),
    "campaigns:campaign-detail": ("get", public),
    "campaigns:topics-file": ("get", public),
    "campaigns:run-create": ("get", upload),
    "campaigns:run-list": (
        "get",
        lambda role, stage: members_only(role, stage, ("participant", "rival", "organiser"), 200),
    ),
    "campaigns:run-withdraw": (
        "post",
        lambda role, stage: members_only(role, stage, ("participant", "organiser"), 302),
    ),
    "campaigns:team": ("get", login_then_public),
    "campaigns:team-invite": (
        "post",
        lambda role, stage: members_only(role, stage, ("participant", "rival"), 200),
    ),
    "campaigns:campaign-manage": ("get", organisers_get(200)),
    "campaigns:campaign-edit": ("get", organisers_get(200)),
    "campaigns:campaign-step": ("post", organisers_get(302)),
    "campaigns:topics-add": ("post", organisers_get(400)),
    "campaigns:qrels-add": ("post", organisers_get(400)),
    "campaigns:organiser-invite": ("post", organisers_get(200)),
    "campaigns:account": ("get", lambda role, stage: LOGIN if role == "nobody" else 200),
    "campaigns:token-create": ("post", lambda role, stage: LOGIN if role == "nobody" else 200),
    "campaigns:token-revoke": (
        "post",
        lambda role, stage: LOGIN if role == "nobody" else GONE,  # nobody has a token
    ),
    "campaigns:invitation": ("get", lambda role, stage: LOGIN if role == "nobody" else GONE),
    "scoring:leaderboard": ("get", public),  # the page says itself when it is hidden
    "scoring:leaderboard-csv": ("get", board),
    "scoring:run-detail": ("get", run_page),
    "scoring:run-status": ("get", run_page),
    "api:run-create": ("upload", api_upload),
    "api:run-detail": ("get", run_page),
    "api:leaderboard": ("get", board),
    "api:schema": ("get", lambda role, stage: 200),
}
OF_ALLAUTH = "account_"


def address(name: str, world: World) -> str:
    values = {
        "slug": world.campaign.slug,
        "public_id": world.run.public_id,
        "step": "close",
        "token": "no-such-token",
        "key": "no-such-key",
    }
    wanted = next(p for n, p in addresses() if n == name).pattern.converters
    outer = {key: values[key] for key in values if key in wanted}
    return reverse(name, kwargs=outer)


def addresses(
    patterns: list[URLPattern | URLResolver] | None = None, space: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from addresses(pattern.url_patterns, space + inner)
        else:
            yield space + (pattern.name or str(pattern.pattern)), pattern


def test_the_matrix_names_every_address() -> None:
    ours = {name for name, _ in addresses() if not name.startswith(OF_ALLAUTH)}
    assert ours == set(MATRIX)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", MATRIX)
def test_each_role_gets_what_the_matrix_says(name: str, stage: str, world: World) -> None:
    bring_to(stage, world.campaign)
    method, expected = MATRIX[name]
    got = {}
    for role in ROLES:
        client = Client()
        if person := world.people[role]:
            client.force_login(person)
        url = address(name, world)
        if method == "upload":
            file = SimpleUploadedFile("run.txt", b"1 Q0 d 1 1.0 tag\n")
            got[role] = client.post(url, {"file": file}).status_code
        else:
            got[role] = getattr(client, method)(url).status_code
    assert got == {role: expected(role, stage) for role in ROLES}


@pytest.mark.parametrize("name", [n for n, (method, _) in MATRIX.items() if method == "post"])
def test_an_address_that_changes_something_does_not_answer_a_mere_look(
    name: str, world: World
) -> None:
    client = Client()
    client.force_login(world.people["organiser"])
    assert client.get(address(name, world)).status_code == 405


@pytest.mark.parametrize("name", [n for n, (method, _) in MATRIX.items() if method != "get"])
def test_a_change_without_its_token_is_refused(name: str, world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people["participant"])
    assert client.post(address(name, world)).status_code == 403


def test_a_private_campaign_is_its_members_secret(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(is_private=True)
    url = address("campaigns:campaign-detail", world)
    got = {}
    for role in ROLES:
        client = Client()
        if person := world.people[role]:
            client.force_login(person)
        got[role] = client.get(url).status_code
    members = {"participant", "rival", "assessor", "organiser"}
    assert got == {role: 200 if role in members else 404 for role in ROLES}
