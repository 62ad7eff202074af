"""Moments are told on the reader's own clock too, where it is another than those on the page."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse
from playwright.sync_api import Browser

from tests.chromium import new_context
from tests.making import make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLOSES = datetime(2026, 10, 25, 2, 0, tzinfo=UTC)
INUTC, AOE = "25 Oct, 02:00 UTC", "24 Oct, 14:00 AoE"


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("America/New_York", [INUTC, AOE, "24 Oct, 22:00 your time (America/New_York)"]),
        ("Pacific/Kiritimati", [INUTC, AOE, "25 Oct, 16:00 your time (Pacific/Kiritimati)"]),
        ("Europe/Rome", [INUTC, AOE]),
        ("Europe/Berlin", [INUTC, AOE]),
        ("Africa/Accra", [INUTC, AOE]),
        ("UTC", [INUTC, AOE]),
    ],
)
def test_the_readers_time_zone_is_added_if_it_differs(
    chromium: Browser, live_server: object, zone: str, told: list[str]
) -> None:
    campaign = make_campaign(closes_at=CLOSES, time_zone="Europe/Rome")
    complaints: list[str] = []
    context = new_context(chromium, base_url=live_server.url, timezone_id=zone)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(reverse("campaigns:campaign-detail", args=[campaign.slug]))
    assert page.locator(".facts time.moment .clocks > span").all_inner_texts() == told
    assert complaints == []
    context.close()
