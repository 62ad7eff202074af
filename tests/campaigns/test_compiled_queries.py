"""A compiled query finds what the queryset finds, for every person and every campaign."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext

from campaigns.access import Person, campaigns_visible_to, viewer_or_404
from campaigns.models import Campaign, Series
from tests.making import make_campaign, make_organiser, make_qrels, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Person]:
    """Nobody, a stranger, a member and an organiser, of campaigns of every kind."""
    member, organiser = make_user(), make_user()
    series = Series.objects.create(slug="series", name="Series")
    kinds: tuple[dict[str, Any], ...] = (
        {"series": series},
        {"is_private": True},
        {"stage": "draft", "is_accepting": False},
    )
    for facts in kinds:
        campaign = make_campaign(measures=["AP"], **facts)
        make_organiser(campaign, organiser)
        make_team(campaign, member)
    make_qrels(campaign)
    return [AnonymousUser(), make_user(), member, organiser]


def facts(campaign: Campaign) -> list[Any]:
    rows = (campaign, campaign.series, campaign.active_qrels)
    return [row and (row._state.db, row._state.adding, vars(row).keys(), *columns(row))
            for row in rows]  # fmt: skip


def columns(row: Any) -> list[Any]:
    return [getattr(row, field.attname) for field in row._meta.concrete_fields]


def looked_up(person: Person, slug: str) -> list[Any] | None:
    try:
        campaign = viewer_or_404(person, slug).campaign
    except Http404:
        return None
    with CaptureQueriesContext(connection) as queries:
        found = facts(campaign)
    assert len(queries) == 0
    return found


def test_every_person_finds_the_campaigns_that_the_queryset_finds(people: list[Person]) -> None:
    found = 0
    for person in people:
        visible = campaigns_visible_to(person).select_related("series", "active_qrels")
        expected = {campaign.slug: facts(campaign) for campaign in visible}
        for slug in Campaign.objects.values_list("slug", flat=True):
            assert looked_up(person, slug) == expected.get(slug)
        found += len(expected)
    assert found == 1 + 1 + 2 + 3


def test_placeholders_of_the_query_find_nothing(people: list[Person]) -> None:
    for person in people:
        for slug in ("?", "", "-1"):
            assert looked_up(person, slug) is None
