"""The page of a published campaign tells catalogues what a stranger may download, and no more."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, User
from tests.making import give_file, make_campaign, make_organiser, make_qrels
from tests.teamwork import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        name="Night</script><script>alert(1)",
        stage=Campaign.Stage.PUBLISHED,
        board_audience=Audience.EVERYONE,
        published_at=timezone.now(),
        licence="CC-BY-4.0",
        authors="Ito, Ann; ; 0000-0002-1825-0097",
    )
    give_file(make_qrels(campaign))
    return campaign


def described(campaign: Campaign, person: User | None = None) -> dict[str, Any] | None:
    browser = signed_in(person) if person else Client()
    page = browser.get(reverse("scoring:downloads", args=[campaign.slug])).content.decode()
    found = re.findall(r"<script type=\"application/ld\+json\">(.*?)</script>", page)
    assert len(found) <= 1
    return json.loads(found[0]) if found else None


def ends_of(description: dict[str, Any]) -> list[str]:
    return [each["contentUrl"].rpartition("/")[2] for each in description["distribution"]]


def change(campaign: Campaign, **facts: object) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(**facts)


def test_a_published_campaign_is_described(campaign: Campaign) -> None:
    found = described(campaign)
    assert found is not None
    assert (found["@type"], found["name"]) == ("Dataset", "Night</script><script>alert(1)")
    assert found["creator"][0]["familyName"] == "Ito"
    assert found["creator"][0]["@id"] == "https://orcid.org/0000-0002-1825-0097"
    assert found["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert ends_of(found) == ["package.zip", "topics.xml"]
    for each in found["distribution"]:
        assert Client().get(each["contentUrl"]).status_code == 200


def test_only_what_a_stranger_may_see_is_named(campaign: Campaign) -> None:
    change(campaign, qrels_audience=Audience.EVERYONE, topics_released_at="2100-01-01T00:00:00Z")
    found = described(campaign)
    assert found is not None
    assert ends_of(found) == ["package.zip", "1.txt"]
    change(campaign, board_audience=Audience.PARTICIPANTS)
    assert described(campaign) is None


def test_nothing_is_described_before_publication_or_to_people_with_a_role(
    campaign: Campaign,
) -> None:
    organiser = make_organiser(campaign)
    assert described(campaign, organiser) is None
    change(campaign, stage=Campaign.Stage.JUDGING)  # with a live leaderboard
    assert described(campaign) is None
    change(campaign, stage=Campaign.Stage.PUBLISHED, is_private=True)
    assert Client().get(f"/campaigns/{campaign.slug}/").status_code == 404
