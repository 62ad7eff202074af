"""The dates of a campaign as a calendar."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from icalendar import Calendar

from campaigns.models import Campaign
from tests.making import make_campaign

pytestmark = pytest.mark.django_db
OPENS, CLOSES = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 6, 30, 12, tzinfo=UTC)


def test_the_calendar_has_the_dates_of_the_overview() -> None:
    campaign = make_campaign(
        name="Night, trains; 2026\nEND:VCALENDAR", stage=Campaign.Stage.OPEN,
        opens_at=OPENS, closes_at=CLOSES, topics_released_at=None,
    )  # fmt: skip
    path = reverse("campaigns:campaign-dates", args=[campaign.slug])
    overview = reverse("campaigns:campaign-detail", args=[campaign.slug])
    assert path in Client().get(overview).content.decode()
    answer = Client().get(path)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    events = Calendar.from_ical(answer.content).walk("VEVENT")
    assert [event.decoded("dtstart") for event in events] == [OPENS, CLOSES]
    assert [str(event["summary"]) for event in events] == [
        "Night, trains; 2026 END:VCALENDAR: submissions open",
        "Night, trains; 2026 END:VCALENDAR: submissions close",
    ]
    assert {str(event["url"]) for event in events} == {f"http://testserver{overview}"}
    assert events[1]["uid"] == f"{campaign.slug}-close@testserver"


def test_one_date_of_the_overview_is_enough_for_a_calendar() -> None:
    campaign = make_campaign(
        stage=Campaign.Stage.OPEN, allows_anonymous_teams=True, reveals_teams_at=CLOSES
    )
    overview = reverse("campaigns:campaign-detail", args=[campaign.slug])
    assert "dates.ics" in Client().get(overview).content.decode()


def test_a_campaign_without_dates_offers_no_calendar() -> None:
    campaign = make_campaign(stage=Campaign.Stage.OPEN)
    overview = reverse("campaigns:campaign-detail", args=[campaign.slug])
    assert "dates.ics" not in Client().get(overview).content.decode()


def test_a_subscribed_calendar_loses_dates_that_were_removed() -> None:
    """It is still a valid one, which must have a component. To 404, programs keep the old dates."""
    campaign = make_campaign(stage=Campaign.Stage.OPEN)
    answer = Client().get(reverse("campaigns:campaign-dates", args=[campaign.slug]))
    assert answer.status_code == 200
    calendar = Calendar.from_ical(answer.content)
    assert [each.name for each in calendar.subcomponents] == ["VTIMEZONE"]
    assert str(calendar.subcomponents[0]["tzid"]) == "UTC"
