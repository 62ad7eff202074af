"""Nothing of an archived campaign changes, whoever sends what to which address."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from campaigns import people
from campaigns.models import Campaign, Membership, Run
from tests.access.matrix import MATRIX
from tests.access.test_access_matrix import (
    World,
    address,
    bring_to,
    clients_of,
    name_of,
    parts_of,
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
# Something for every field that an address may ask for.
FORM = {
    "name": "Another name", "label": "A label", "title": "A title", "text": "A text",
    "subject": "A subject", "body": "A body", "reason": "A reason", "act": "disqualify",
    "slug": "another", "to": "participants", "audience": "participants", "accepts_terms": "on",
    "run_types": "automatic", "field-TOTAL_FORMS": "0", "field-INITIAL_FORMS": "0",
    "note": "A note",
}  # fmt: skip
BODIES: tuple[dict[str, object], ...] = (
    {}, {"reason": "A reason"}, {"name": "Another name"}, {"label": "A label"},
    {"subject": "A subject", "body": "A body"}, {"subject": "A subject", "text": "A text"},
    {"note": "A note"}, {"is_confirmed": True}, {"grace_minutes": 5},
)  # fmt: skip
FILES = {"topics": b"3\tthree\n", "qrels": b"1 0 d 1\n2 0 d 1\n", "file": b"1 Q0 d 1 1.0 tag\n"}


def everything(campaign: Campaign) -> dict[str, Any]:
    """All rows of both wings, but those that only tell of a visit."""
    models = [*apps.get_app_config("campaigns").get_models(),
              *apps.get_app_config("scoring").get_models()]  # fmt: skip
    rows = {model.__name__: list(model._base_manager.order_by("pk").values()) for model in models}
    for person in rows["User"]:
        person.pop("last_login")
    return rows


def changed_by(client: Client, method: str, url: str, campaign: Campaign) -> list[str]:
    before = everything(campaign)
    with transaction.atomic():
        for data in _sent(method, url):
            getattr(client, {"upload": "post"}.get(method, method))(url, **data)
        after = everything(campaign)
        transaction.set_rollback(True)
    return [name for name in after if after[name] != before[name]]


def _sent(method: str, url: str) -> Iterator[dict[str, Any]]:
    """One form with something for everything, or for a script one body after the other."""
    files = {name: SimpleUploadedFile("f.txt", data) for name, data in FILES.items()}
    if not url.startswith("/api/"):
        yield {"data": FORM | files}
        return
    if method in ("post", "upload"):
        yield {"data": {"file": files["file"]}}
    for body in BODIES:
        yield {"data": json.dumps(body), "content_type": "application/json"}


def living(world: World) -> World:
    """With something that might be decided: a link, a team that waits, a run that counts."""
    bring_to("published", world.campaign)
    organiser = world.people["organiser"]
    invitation, token = people.invite(
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


def writing() -> Iterator[tuple[str, str]]:
    """Every address of a campaign that might change something, and the verb that would."""
    for entry, (method, _) in MATRIX.items():
        name = name_of(entry)
        is_of_it = "slug" in parts_of(entry) or name == "campaigns:invitation"
        verb = "post" if method == "get" and name.startswith("campaigns:") else method
        if is_of_it and name not in MEANT_FOR_IT and verb != "get":
            yield entry, verb


def test_no_address_changes_an_archived_campaign(world: World) -> None:
    world = archived(world)
    clients, changes = clients_of(world.people), {}
    for entry, verb in writing():
        for role in ("organiser", "participant", "stranger"):
            if changed := changed_by(
                clients[role], verb, address(name_of(entry), world), world.campaign
            ):
                changes[entry, role] = changed
    assert changes == {}


FORMS = re.compile(r"<form\b[^>]*\bmethod=\"post\"[^>]*>.*?</form>", re.DOTALL)
BUTTON = re.compile(r"<button\b(?![^>]*\bdisabled\b)")
LEADS_OUT = re.compile(r'action="[^"]*/(?:archive|delete|copy|logout)/')


def test_no_page_of_an_archived_campaign_offers_what_would_be_refused(world: World) -> None:
    """What is left of forms is shown and locked: without a button."""
    world = archived(world)
    clients, offers, seen = clients_of(world.people), {}, 0
    for entry in MATRIX:
        name = name_of(entry)
        if name in MEANT_FOR_IT or not ("slug" in parts_of(entry) or "invitation/" in entry):
            continue
        for role in ("organiser", "assessor", "participant", "stranger"):
            answer = clients[role].get(address(name, world))
            if answer.status_code != 200 or "html" not in answer["Content-Type"]:
                continue
            seen += 1
            forms = FORMS.findall(answer.content.decode())
            if left := [
                each for each in forms if BUTTON.search(each) and not LEADS_OUT.search(each)
            ]:
                offers[entry, role] = left
    assert seen > 80
    assert offers == {}
