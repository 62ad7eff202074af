"""The organiser's pages: what each stage shows, feedback, the pill, and the steps."""

import html
import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Team, Topic
from campaigns.models.showing import CLOSED, TABLES, trec_style
from tests.campaigns.manage.test_lifecycle import EXPECTED, current_switches
from tests.making import make_campaign, make_organiser, make_qrels, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def client_and_campaign() -> tuple[Client, Campaign]:
    organiser = make_user(is_approved=True)
    campaign = make_campaign(slug="the-campaign")
    make_organiser(campaign, organiser)
    client = Client()
    client.force_login(organiser)
    return client, campaign


def sent(table: dict) -> dict[str, str]:
    """A table as the page's form sends it."""
    return {
        f"{stage}-{switch}": ("yes" if setting is True else "" if setting is False else setting)
        for stage, row in table.items()
        if stage != "draft"
        for switch, setting in row.items()
    }


def test_a_preset_fills_the_form_in_and_stores_nothing(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    page = client.get(reverse("campaigns:visibility", args=[campaign.slug]) + "?preset=live")
    assert page.context["form"]["open-board_audience"].value() == 2
    assert "not saved yet" in page.content.decode()
    assert current_switches(campaign) == CLOSED
    assert Campaign.objects.get(pk=campaign.pk).preset == "trec"


@pytest.mark.parametrize("preset", EXPECTED)
def test_an_unchanged_visibility_form_changes_nothing(
    preset: str, client_and_campaign: tuple[Client, Campaign]
) -> None:
    client, campaign = client_and_campaign
    url = reverse("campaigns:visibility", args=[campaign.slug])
    assert client.post(url, sent(TABLES[preset]())).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.preset, campaign.stage_switches) == (preset, TABLES[preset]())
    assert current_switches(campaign) == TABLES[preset]()["open"]
    page = client.get(url)
    again = {name: field.initial for name, field in page.context["form"].fields.items()}
    assert set(again) == set(sent(trec_style()))


def test_a_table_that_contradicts_itself_is_said_so_on_the_page(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    url = reverse("campaigns:visibility", args=[campaign.slug])
    answer = client.post(url, sent(trec_style()) | {"open-board_audience": 2})
    assert answer.status_code == 400
    assert "show the runs to everyone who sees the leaderboard" in answer.content.decode()
    assert current_switches(campaign) == CLOSED


def test_feedback_is_set_on_the_same_page_and_keeps_the_table(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=f"f{place}", position=place) for place in range(10, 35)
    )
    public = " ".join(f"f{place}" for place in range(10, 35))
    url = reverse("campaigns:visibility", args=[campaign.slug])
    typed = {
        "feedback-form": "",
        "feedback": "ladder",
        "feedback_measure": "AP",
        "feedback_step": "0.02",
        "feedback_runs": "3",
        "feedback_days": "7",
        "feedback_topics": public,
    }
    assert client.post(url, typed).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.feedback, campaign.feedback_topics) == ("ladder", public.split())
    assert campaign.stage_switches == trec_style()
    of_all = " ".join(campaign.topics.values_list("code", flat=True))
    for fault in ({"feedback_topics": of_all}, {"feedback_topics": "3"}, {"feedback_days": "0"}):
        assert client.post(url, typed | fault).status_code == 400
    few = client.post(url, typed | {"feedback_topics": public.removeprefix("f10 ")})
    assert "at least 25 topics, because means over 24 topics" in few.content.decode()
    off = {"feedback_topics": "2", "feedback": "none"}
    assert client.post(url, typed | off).status_code == 302


def test_the_pill_says_closed_once_the_last_late_run_could_have_come(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    now = timezone.now()
    url = reverse("campaigns:campaign-detail", args=[campaign.slug])
    campaign.closes_at = now - timedelta(minutes=5)
    campaign.grace_minutes = 10
    campaign.save()
    assert '<span class="pill">open</span>' in client.get(url).content.decode()
    campaign.grace_minutes = 5
    campaign.save()
    assert '<span class="pill">closed</span>' in client.get(url).content.decode()


def test_a_step_that_does_not_exist_is_not_found(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    url = reverse("campaigns:campaign-step", args=[campaign.slug, "sideways"])
    assert client.post(url).status_code == 404


def test_an_old_tab_does_not_overwrite_the_visibility(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    url = reverse("campaigns:visibility", args=[campaign.slug])
    marks = client.get(url).context["versions"]
    live, class_room = sent(TABLES["live"]()), sent(TABLES["classroom"]())
    mark = {"version": marks["table"]}
    assert client.post(url, live | mark).status_code == 302
    assert client.post(url, live | mark).status_code == 302  # a double click
    refused = client.post(url, class_room | mark)
    assert refused.status_code == 400
    assert "has saved changes since" in refused.content.decode()
    assert Campaign.objects.get(pk=campaign.pk).preset == "live"
    feedback = {"feedback": "none", "feedback_step": "0.01", "feedback_days": "30",
                "feedback-form": "", "version": marks["feedback"]}  # fmt: skip
    assert client.post(url, feedback | {"feedback_runs": "3"}).status_code == 302
    assert client.post(url, feedback | {"feedback_runs": "4"}).status_code == 400
    assert Campaign.objects.get(pk=campaign.pk).feedback_runs == 3


def test_the_visibility_of_an_archived_campaign_is_shown_but_locked(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    Campaign.objects.filter(pk=campaign.pk).update(
        archived_at=timezone.now(), stage="published", is_accepting=False
    )
    url = reverse("campaigns:visibility", args=[campaign.slug])
    page = client.get(url).content.decode()
    assert page.count("<fieldset") == page.count(" disabled>") == 2
    assert "is archived" in page
    assert "?preset=" not in page


def test_the_old_url_redirects(client_and_campaign: tuple[Client, Campaign]) -> None:
    client, campaign = client_and_campaign
    old = f"/campaigns/{campaign.slug}/manage/showing/?preset=live"
    response = client.get(old)
    assert response.status_code == 301
    assert response.url == reverse("campaigns:visibility", args=[campaign.slug]) + "?preset=live"


def test_a_table_of_an_earlier_release_is_read_with_the_newer_switches_off() -> None:
    campaign = make_campaign()
    newer = {"shows_own_topics", "shows_own_documents"}
    table = {
        stage: {switch: setting for switch, setting in row.items() if switch not in newer}
        for stage, row in TABLES["live"]().items()
    }
    Campaign.objects.filter(pk=campaign.pk).update(stage_switches=table)
    campaign.refresh_from_db()
    assert campaign.stage_switches == TABLES["live"]()


@pytest.mark.parametrize(
    ("is_private", "told"), [(False, "The campaign is <b>public</b>"), (True, "<b>private</b>")]
)
def test_the_page_says_whether_the_campaign_itself_is_private(
    client_and_campaign: tuple[Client, Campaign], is_private: bool, told: str
) -> None:
    client, campaign = client_and_campaign
    Campaign.objects.update(is_private=is_private, stage_switches=TABLES["classroom"]())
    page = client.get(reverse("campaigns:visibility", args=[campaign.slug])).content.decode()
    settings = reverse("campaigns:campaign-edit", args=[campaign.slug])
    assert told in page
    assert f'href="{settings}#id_is_private"' in page
    assert 'id="id_is_private"' in client.get(settings).content.decode()


def words(page: str, part: str) -> list[str]:
    """The items of a list of the dialogue *Publish*."""
    found = re.search(rf'<ul id="{part}-when-published">(.*?)</ul>', page, re.S)
    text = re.sub(r"<[^>]+>", "", found[1].replace("</li>", "\n")) if found else ""
    return html.unescape(text).strip().splitlines()


def test_publish_lists_what_it_shows_and_what_stays_hidden(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    make_qrels(campaign)
    url = reverse("campaigns:campaign-manage", args=[campaign.slug])
    page = client.get(url).content.decode()
    assert words(page, "shown") == [
        "List of runs (tag, team and type, but no scores), to everyone",
        "A team's own scores (the means of its own runs), to that team",
        "A team's own scores by topic (of its own runs), to that team",
        "Leaderboard (the means of every run with their residuals), to everyone",
        "Scores by topic (of runs whose means are visible), to everyone",
    ]
    assert words(page, "hidden") == [
        "A team's own documents (the documents of its own runs with their judgments), from everyone"
        " except organisers",
        "Qrels (every judgment, as a file), from everyone except organisers",
        "Run files (of teams that agreed to this), from everyone except organisers",
    ]
    table = TABLES["classroom"]()
    soon = timezone.now() + timedelta(days=3)
    Campaign.objects.update(stage_switches=table, topics_released_at=soon, time_zone="Asia/Tokyo")
    make_team(campaign, name="Masked")
    Team.objects.update(is_anonymous=True)
    page = client.get(url).content.decode()
    assert "Qrels (every judgment, as a file), to participants" in words(page, "shown")
    hidden = words(page, "hidden")
    assert (
        "Qrels (every judgment, as a file), from everyone except participants and organisers"
        in hidden
    )
    assert "Names of teams (1 anonymous team), from everyone except organisers" in hidden
    assert hidden[-1] == (
        "Topics (and all scores by topic), from everyone except organisers and assessors until "
        f"{soon.astimezone(ZoneInfo('Asia/Tokyo')):%-d %B %Y %H:%M} Asia/Tokyo"
    )
    assert not [item for item in hidden if "own documents" in item]  # they see the qrels
    table["judging"] = table["published"]
    Campaign.objects.update(stage_switches=table, stage="judging")
    page = client.get(url).content.decode()
    assert words(page, "shown") == []
    assert "Nothing new. Everyone who will see results sees them already." in page
    kept = re.search(r'id="kept-when-published">([^<]+)</p>', page)
    assert kept
    assert kept[1].startswith("Visible already: list of runs to participants; a team")
    assert kept[1].endswith("; qrels to participants.")


def test_publish_does_not_list_as_new_what_more_people_see_today(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    make_qrels(campaign)
    table = TABLES["live"]()
    table["published"]["board_audience"] = Audience.PARTICIPANTS
    Campaign.objects.update(stage_switches=table)
    page = client.get(reverse("campaigns:campaign-manage", args=[campaign.slug])).content.decode()
    assert not [item for item in words(page, "shown") if item.startswith("Leaderboard")]
    assert "leaderboard to participants" in page
