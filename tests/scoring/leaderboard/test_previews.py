"""An organiser looks through other eyes before publishing: what they see is what those would get,
and nobody else can look so."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import lifecycle
from campaigns.models import Campaign, Membership, Team, User
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_team, make_user

pytestmark = pytest.mark.django_db

# What is of the person who looks, and not of what they see.
OF_THE_LOOK = re.compile(
    r'<aside class="notice warning" id="preview".*?</aside>|<header.*?</header>|'
    r'name="csrfmiddlewaretoken" value="[^"]*"|\?as=[^"]*',
    re.DOTALL,
)


@pytest.fixture
def people() -> dict[str, User]:
    return {name: make_user() for name in ("organiser", "participant", "rival", "assessor")}


@pytest.fixture
def campaign(people: dict[str, User]) -> Campaign:
    campaign = make_campaign(slug="the-campaign", guidelines="Read *me*.", terms="Be kind.")
    make_organiser(campaign, people["organiser"])
    Membership.objects.create(campaign=campaign, person=people["assessor"], role="assessor")
    own = make_team(campaign, people["participant"], name="The Owls")
    rivals = make_team(campaign, people["rival"], name="The Rivals")
    make_run(campaign, own, tag="hoot")
    make_run(campaign, rivals, tag="secret")
    make_qrels(campaign)
    return campaign


def look(person: User | None, query: str = "", name: str = "campaigns:campaign-detail") -> str:
    client = Client()
    if person is not None:
        client.force_login(person)
    answer = client.get(reverse(name, args=["the-campaign"]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def seen(page: str) -> str:
    return "".join(OF_THE_LOOK.sub("", page).split())


@pytest.mark.parametrize("stage", ["open", "closed", "judging", "published"])
def test_the_overview_as_a_team_is_what_the_team_gets_at_that_stage(
    stage: str, campaign: Campaign, people: dict[str, User]
) -> None:
    team = Team.objects.get(name="The Owls")
    preview = look(people["organiser"], f"?as={team.public_id}&at={stage}")
    step = {"closed": "close", "judging": "judge", "published": "publish"}.get(stage)
    if step is not None:
        lifecycle.STEPS[step](campaign=campaign, actor=None)
    get_there = look(people["participant"])
    moment = re.compile(r" on \d+ \w+ \d{4}, \d\d:\d\d UTC")  # published: not yet in the preview
    assert seen(moment.sub("", preview)) == seen(moment.sub("", get_there))
    assert 'id="preview"' in preview
    assert "The Owls" in preview


@pytest.mark.parametrize("stage", ["open", "judging"])
def test_the_overview_as_the_public_shows_no_run_and_no_desk(
    stage: str, campaign: Campaign, people: dict[str, User]
) -> None:
    page = look(people["organiser"], f"?as=public&at={stage}")
    inside = OF_THE_LOOK.sub("", page)
    for secret in ("hoot", "secret", "The Owls", "manage/", "Announcements"):
        assert secret not in inside
    assert "the public" in page


def test_looking_changes_nothing(campaign: Campaign, people: dict[str, User]) -> None:
    before = Campaign.objects.values().get(pk=campaign.pk)
    look(people["organiser"], "?as=public&at=published")
    assert Campaign.objects.values().get(pk=campaign.pk) == before
    assert not campaign.log.exists()
    assert "Manage" in look(people["organiser"])  # and the next look is through one's own eyes


@pytest.mark.parametrize("query", ["?as=public&at=published", "?as=nobody", "?at=published&as=x"])
@pytest.mark.parametrize("person", ["participant", "rival", "assessor", None])
def test_nobody_but_an_organiser_is_heard(
    person: str | None, query: str, campaign: Campaign, people: dict[str, User]
) -> None:
    looks_as = people[person] if person else None
    plain = look(looks_as)
    assert "preview" not in look(looks_as, query)
    assert seen(look(looks_as, query)) == seen(plain)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?as=nobody", "“nobody” is not a valid team to preview as."),
        ("?as=%27", "“&#x27;” is not a valid team to preview as."),
        ("?as=public&at=sideways", "“sideways” is not a valid stage."),
    ],
)
@pytest.mark.parametrize("name", ["campaigns:campaign-detail", "scoring:leaderboard"])
def test_an_invalid_preview_lists_the_valid_ones(
    name: str, query: str, words: str, campaign: Campaign, people: dict[str, User]
) -> None:
    client = Client()
    client.force_login(people["organiser"])
    answer = client.get(reverse(name, args=[campaign.slug]) + query)
    page = answer.content.decode()
    assert answer.status_code == 404
    assert words in page
    assert ("judging" if "stage" in words else "The Owls") in page


def test_a_team_of_another_campaign_lends_no_eyes(
    campaign: Campaign, people: dict[str, User]
) -> None:
    other = make_team(make_campaign())
    client = Client()
    client.force_login(people["organiser"])
    url = reverse("campaigns:campaign-detail", args=[campaign.slug])
    assert client.get(url, {"as": other.public_id}).status_code == 404


def test_topics_are_not_shown_before_their_release(
    campaign: Campaign, people: dict[str, User]
) -> None:
    release = timezone.now() + timedelta(days=1)
    Campaign.objects.filter(pk=campaign.pk).update(topics_released_at=release)
    for page in (
        look(None),
        look(people["participant"]),
        look(people["organiser"], "?as=public"),
    ):
        assert "topic 1" not in page
        assert "2 topics" not in page
    for insider in ("organiser", "assessor"):
        assert "topic 1" in look(people[insider])
    Campaign.objects.filter(pk=campaign.pk).update(topics_released_at=timezone.now())
    assert "topic 1" in look(None)


def test_the_banner_says_so_where_the_public_would_find_nothing(people: dict[str, User]) -> None:
    campaign = make_campaign(slug="the-campaign", stage="draft", is_private=True)
    make_organiser(campaign, people["organiser"])
    assert "cannot find it" in look(people["organiser"], "?as=public")
    assert "The campaign is private" in look(people["organiser"], "?as=public&at=open")
