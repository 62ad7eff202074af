"""A template shows what the view has found: while a page is rendered no query runs.

The person, the session and the messages are loaded before, as every view may ask for them. The
pages of allauth are not ours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, NamedTuple
from unittest import mock
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.http import HttpRequest
from django.template import engines
from django.template.backends.django import Template
from django.test import Client, RequestFactory
from django.urls import resolve

from campaigns.judging import gold
from campaigns.models import Announcement, Campaign, Membership, Plan, Run
from campaigns.options import ignored_parameters
from campaigns.people import announcements, membership
from scoring.models import Job
from tests.access.crawler import OF_ALLAUTH, asked_of_pages, seeds
from tests.access.test_access_matrix import clients_of
from tests.access.test_blindness import hidden_ids, values
from tests.access.worlds import FIRST, SECOND, Secret, World, perform_all, world
from tests.campaigns.judging.programs import make_program
from tests.making import make_failed_job, make_run

pytestmark = pytest.mark.django_db
ROLES = ("organiser", "participant", "assessor", "nobody")
QUERIES = ("measure=AP&sort=judged&ties=on", "qrels=1&type=manual&as=public&at=published")


class Offence(NamedTuple):
    """A query that a template ran, and the page on which it did."""

    url: str
    template: str
    query: str


class Rendered(NamedTuple):
    templates: set[str]
    offences: list[Offence]


@contextmanager
def watched_templates() -> Iterator[Rendered]:
    """Notes each template that is rendered in the block, and the queries that rendering it runs."""
    found = Rendered(set(), [])
    render = Template.render

    def watched(self: Template, context: Any = None, request: HttpRequest | None = None) -> str:
        url = "" if request is None else request.get_full_path()
        found.templates.add(str(self.template.name))
        if request is None or _is_foreign(request):
            return render(self, context, request)
        _load_what_every_page_has(request)

        def note(execute: Any, sql: str, *arguments: Any) -> Any:
            found.offences.append(Offence(url, str(self.template.name), sql))
            return execute(sql, *arguments)

        with connection.execute_wrapper(note):
            return render(self, context, request)

    with mock.patch.object(Template, "render", watched):
        yield found


def _is_foreign(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and match.view_name.startswith((*OF_ALLAUTH, "admin:"))


def _load_what_every_page_has(request: HttpRequest) -> None:
    assert request.user.is_authenticated in (True, False)
    request.session.get("loaded")
    len(request._messages)  # type: ignore[attr-defined]


def test_a_query_of_a_template_is_found() -> None:
    campaign = Campaign.objects.create(slug="planted", name="Planted")
    client = Client()
    with watched_templates() as rendered:
        assert client.get("/").status_code == 200
        request = client.get("/").wsgi_request
        planted = engines["django"].from_string("{{ campaigns.all.count }}{{ slug }}")
        planted.render({"campaigns": Campaign.objects, "slug": campaign.slug}, request)
    assert len(rendered.offences) == 1
    assert rendered.offences[0].query.startswith("SELECT COUNT(*)")


@pytest.mark.parametrize(
    ("secret", "stage", "queries"),
    [
        (FIRST, "published", ()),
        pytest.param(SECOND, "open", QUERIES, marks=pytest.mark.long),
        pytest.param(FIRST, "published", QUERIES, marks=pytest.mark.long),
    ],
)
def test_no_page_runs_a_query_while_it_is_rendered(
    secret: Secret, stage: str, queries: tuple[str, ...]
) -> None:
    """Every URL that answers a look: to each role, and to organisers by some queries, before
    and after what the pages ask for is computed. No link and no form of theirs sends a parameter
    that the page it leads to says it ignores."""
    asked: set[tuple[str, str]] = set()
    hidden_ids()  # made in a world of its own, and so before this one
    with world(secret, stage) as here, watched_templates() as rendered:
        clients = clients_of({role: here.people[role] for role in ROLES})
        paths = list(_pages(clients["organiser"], _filled(here)))
        perform_all(Job.Kind.ANALYSE)
        for path in paths:
            for client in clients.values():
                response = client.get(path)
                if response.status_code == 200:
                    asked.update(asked_of_pages(response, path))
            for query in queries:
                clients["organiser"].get(f"{path}?{query}")
    assert sorted({(each.template, each.query) for each in rendered.offences}) == []
    assert {name for _, name in asked} > {"measure", "state", "as", "after"}
    assert sorted(each for each in asked if is_ignored(*each)) == []
    assert len(rendered.templates) > 60


def is_ignored(path: str, name: str) -> bool:
    request = RequestFactory().get(path, {name: "1"})
    request.resolver_match = resolve(urlsplit(path).path)
    return ignored_parameters(request) != []


def _pages(client: Client, places: dict[str, list[object]]) -> Iterator[str]:
    """The URLs that answer with HTML, or with nothing to somebody else than this person."""
    for _, path in seeds(places):
        response = client.get(path)
        if response.status_code != 405 and "html" in response.headers.get("Content-Type", ""):
            yield path


def _filled(here: World) -> dict[str, list[object]]:
    """What a campaign of some age has besides, and what may stand in the places of URLs."""
    campaign, organiser = here.campaign, here.people["organiser"]
    run = here.runs[0]
    Plan.objects.filter(campaign=campaign).update(shows_residual=True)
    Announcement.objects.create(campaign=campaign, subject="A word", body="Text.", by=organiser)
    replacing = make_run(campaign, run.team, tag="new", state=Run.State.CHECKED, replaces=run)
    failed = make_failed_job(run)
    invited = [
        membership.invite(campaign=campaign, by=organiser, role=role, team=team)
        for role, team in (
            (Membership.Role.READER, None),
            (Membership.Role.PARTICIPANT, None),
            (Membership.Role.PARTICIPANT, run.team),
        )
    ]
    return values(here) | {
        "public_id": [run.public_id, replacing.public_id],
        "team": [run.team.public_id],
        "token": [token for _, token in invited],
        "gold_document": [
            gold.mark(campaign=campaign, topic="1", doc_id="d1", grade=1, actor=organiser).pk
        ],
        "program": [
            make_program(campaign, organiser, cost_per_document=Decimal("0.01"), quota=9).pk
        ],
        "announcement": [
            announcements.announce(campaign=campaign, by=organiser, subject="s", body="b").pk
        ],
        "invitation": [invitation.pk for invitation, _ in invited],
        "job": [failed.pk],
    }
