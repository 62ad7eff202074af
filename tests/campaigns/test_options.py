"""A page names the query parameters that it has ignored."""

import re
from html import unescape

import pytest
from django.test import Client

from campaigns.models import Audience, Campaign
from tests.making import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(
        slug="known", stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE
    )


def notes(path: str) -> list[str]:
    response = Client().get(path)
    assert response.status_code == 200
    found = re.findall(
        r'<aside[^>]*"Ignored parameters">(.*?)</aside>', response.content.decode(), re.S
    )
    return [unescape(each) for each in re.findall("<p>(.*?)</p>", "".join(found))]


def test_a_mistyped_parameter_is_named_with_the_nearest(campaign: Campaign) -> None:
    assert notes("/campaigns/known/leaderboard/?measures=AP") == [
        "“measures” is not a parameter of this page and was ignored. Did you mean “measure”?"
    ]


def test_a_parameter_of_another_page_is_named(campaign: Campaign) -> None:
    assert notes("/campaigns/known/?measure=AP&columns=RR") == [
        "“measure” is not a parameter of this page and was ignored.",
        "“columns” is not a parameter of this page and was ignored.",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/campaigns/known/leaderboard/?measure=&p=0.5&sort=judged&columns=AP&columns=RR",
        "/campaigns/known/?as=public&at=open",  # of a preview, without effect for others
        "/accounts/login/?next=/&theme=dark",  # not a page of ours
        "/guides/?q=rbp",
        "/campaigns/known/?utm_source=list&utm_medium=email&utm_campaign=a&utm_term=b&utm_content=c",
        "/campaigns/known/leaderboard/?fbclid=1&gclid=2",
        "/",
    ],
)
def test_no_other_page_has_a_note(path: str, campaign: Campaign) -> None:
    assert notes(path) == []


def test_the_api_refuses_what_a_page_does_not_note() -> None:
    assert Client().get("/api/campaigns/?utm_source=list").status_code == 400


def test_hostile_names_are_shown_as_text_and_few_of_them(campaign: Campaign) -> None:
    query = "&".join(f"%3Cb%3E{number}{'x' * 200}=1" for number in range(50))
    found = notes(f"/campaigns/known/?{query}")
    assert len(found) == 5
    assert found[0].startswith(f"“<b>0{'x' * 56}…” is not")
    assert b"<b>0" not in Client().get(f"/campaigns/known/?{query}").content
