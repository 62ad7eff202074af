"""Nothing of an archived campaign changes: each request that changes a living one is refused, and
the pages offer none."""

import re
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone

from campaigns import lifecycle
from campaigns.manage import archiving
from campaigns.models import Campaign, Membership, Run
from campaigns.people import membership
from tests.access.actions import ACTS, Act
from tests.access.matrix import MATRIX
from tests.access.test_access_matrix import (
    World,
    bring_to,
    clients_of,
    name_of,
    parts_of,
    url_of,
    world,
)
from tests.making import make_team

pytestmark = pytest.mark.django_db
__all__ = ["world"]

# What an archive is for: it is looked at, copied, brought back, or deleted for good; and what may
# be asked of it beside is no change of it.
MEANT_FOR_IT = {
    "campaigns:campaign-archive", "campaigns:campaign-copy", "campaigns:campaign-delete",
    "api:campaign-unarchive", "api:campaign-copy",
}  # fmt: skip


def everything(campaign: Campaign) -> dict[str, Any]:
    """All rows of both wings, but those that only tell of a visit."""
    models = [*apps.get_app_config("campaigns").get_models(),
              *apps.get_app_config("scoring").get_models()]  # fmt: skip
    rows = {model.__name__: list(model._base_manager.order_by("pk").values()) for model in models}
    for person in rows["User"]:
        person.pop("last_login")
    return rows


def living(world: World) -> World:
    """With something that might be decided: a link, a team that waits, a run that counts."""
    bring_to("published", world.campaign)
    organiser = world.people["organiser"]
    invitation, token = membership.invite(
        campaign=world.campaign, by=organiser, role=Membership.Role.READER
    )
    world.numbers.update(invitation=invitation.pk, token=token)
    make_team(world.campaign, name="Waiting")
    Run.objects.filter(pk=world.run.pk).update(disqualified_at=None)
    return world


def archived(world: World) -> World:
    world = living(world)
    Campaign.objects.filter(pk=world.campaign.pk).update(archived_at=timezone.now())
    return world


def urls_of_a_campaign() -> set[str]:
    """Those that are not meant for archives, and are of a campaign."""
    names = {name_of(entry) for entry in MATRIX}
    return {
        name
        for name in names - MEANT_FOR_IT
        if "slug" in parts_of(name) or name == "campaigns:invitation"
    }


def changes(act: Act, name: str, world: World, *, is_archived: bool) -> list[str]:
    """The tables that the request changes. Nothing stays of it."""
    with transaction.atomic():
        bring_to(act.stage, world.campaign)
        made = act.first(world)
        told = World(world.campaign, world.run, world.team, world.people, world.job, made)
        said = act.said(told)
        if is_archived:
            world.campaign.refresh_from_db()
            if world.campaign.stage == Campaign.Stage.OPEN:
                lifecycle.close_submissions(campaign=world.campaign, actor=None)
            archiving.archive(campaign=world.campaign, actor=None)
        before = everything(world.campaign)
        client = clients_of({act.by: world.people[act.by]})[act.by]
        act.send(client, name, told, said)
        after = everything(world.campaign)
        transaction.set_rollback(True)
    world.campaign.refresh_from_db()
    return [table for table in after if after[table] != before[table]]


@pytest.mark.parametrize("entry", ACTS)
def test_requests_that_change_a_campaign_do_not_change_an_archived_one(
    entry: str, world: World
) -> None:
    act, name = ACTS[entry], name_of(entry)
    assert changes(act, name, world, is_archived=False)
    assert changes(act, name, world, is_archived=True) == []


# An archive may be deleted, and nothing else may but a draft: no campaign is there to compare with.
FOR_DRAFTS_AND_ARCHIVES = {("api:campaign-detail", "delete")}
# Nothing is stored of a file that somebody tries, anywhere.
STORE_NOTHING = {"scoring:run-trial", "api:run-trial"}


def test_every_verb_that_writes_is_tried() -> None:
    verbs = {(name_of(entry), {"upload": "post"}.get(method, method))
             for entry, (method, _) in MATRIX.items() if method != "get"}  # fmt: skip
    of_it = {(name, verb) for name, verb in verbs if name in urls_of_a_campaign()}
    tried = {(name_of(entry), act.method) for entry, act in ACTS.items()}
    trials = {(name, "post") for name in STORE_NOTHING}
    assert of_it - tried - trials == FOR_DRAFTS_AND_ARCHIVES


def test_every_other_url_only_answers_looks(world: World) -> None:
    bring_to("published", world.campaign)
    client = clients_of(world.people)["organiser"]
    others = urls_of_a_campaign() - {name_of(entry) for entry in ACTS} - STORE_NOTHING
    answers = {name: client.post(url_of(name, world)).status_code for name in others}
    assert answers == dict.fromkeys(others, 405)
    assert len(others) > 60


FORMS = re.compile(r"<form\b[^>]*\bmethod=\"post\"[^>]*>.*?</form>", re.DOTALL)
BUTTON = re.compile(r"<button\b(?![^>]*\bdisabled\b)")
LEADS_OUT = re.compile(r'action="[^"]*/(?:archive|delete|copy|logout)/')


@pytest.mark.parametrize(
    ("roles", "at_least"),
    [
        (("organiser",), 30),
        pytest.param(
            ("assessor", "participant", "stranger"), 50, marks=pytest.mark.long, id="others"
        ),
    ],
)
def test_no_page_of_an_archived_campaign_offers_what_would_be_refused(
    roles: tuple[str, ...], at_least: int, world: World
) -> None:
    """What is left of forms is shown and locked: without a button."""
    world = archived(world)
    clients, offers, seen = clients_of(world.people), {}, 0
    for entry in MATRIX:
        name = name_of(entry)
        if name in MEANT_FOR_IT or not ("slug" in parts_of(entry) or "invitation/" in entry):
            continue
        for role in roles:
            answer = clients[role].get(url_of(name, world))
            if answer.status_code != 200 or "html" not in answer["Content-Type"]:
                continue
            seen += 1
            forms = FORMS.findall(answer.content.decode())
            if left := [
                each for each in forms if BUTTON.search(each) and not LEADS_OUT.search(each)
            ]:
                offers[entry, role] = left
    assert seen >= at_least
    assert offers == {}


@pytest.mark.parametrize(
    "name",
    [
        "campaigns:baselines",
        "campaigns:documents",
        "campaigns:judging-assessors",
        "campaigns:judging-disagreements",
        "campaigns:judging-pool",
        "campaigns:people",
        "campaigns:pooled-runs",
        "campaigns:run-create",
        "campaigns:run-form",
        "scoring:run-trial",
        "campaigns:visibility",
        "campaigns:team",
        "scoring:judging",
        "scoring:judging-plan",
    ],
)
def test_a_page_with_nothing_to_do_says_that_it_is_of_an_archive(name: str, world: World) -> None:
    role = "participant" if name == "campaigns:team" else "organiser"
    url = url_of(name, archived(world))
    page = clients_of(world.people)[role].get(url).content.decode()
    assert "This campaign is archived" in page
    assert "end the first" not in page
    assert "do not hold for organisers" not in page
