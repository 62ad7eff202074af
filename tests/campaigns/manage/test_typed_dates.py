"""Dates as organisers type them: in the campaign's time zone, stored in UTC, and never guessed."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from campaigns.manage.forms import CampaignForm
from tests.making import make_campaign, make_organiser, make_user

pytestmark = pytest.mark.django_db

TYPED = {
    "name": "The Track",
    "slug": "the-track",
    "time_zone": "Europe/Rome",
    "joining": "open",
    "grace_minutes": "0",
    "attempt_quota": "50",
    "highest_grade": "1",
    "rel": "1",
    "persistences": "0.5",
    "run_depth": "1000",
    "no_relevant": "exclude",
    "unknown_topics": "refuse",
}


def form(zone: str, **dates: str) -> CampaignForm:
    return CampaignForm(TYPED | {"time_zone": zone} | dates, person=AnonymousUser())


def typed(zone: str, moment: str) -> datetime | None:
    """What the form makes of an end typed so; None where it refuses it."""
    filled = form(zone, closes_at=moment)
    return filled.cleaned_data["closes_at"] if filled.is_valid() else None


@pytest.mark.parametrize(
    ("zone", "moment", "in_utc"),
    [
        ("UTC", "2026-09-02T12:00", "2026-09-02T12:00"),
        ("Europe/Rome", "2026-09-02T12:00", "2026-09-02T10:00"),  # summer
        ("Europe/Rome", "2026-12-02T12:00", "2026-12-02T11:00"),  # winter
        ("Etc/GMT+12", "2026-12-31T23:59", "2027-01-01T11:59"),
        ("Etc/GMT+12", "2026-03-29T02:30", "2026-03-29T14:30"),  # no clock changes there
        ("Europe/Rome", "2026-12-02T12:00:30", "2026-12-02T11:00:30"),
        ("Europe/Rome", "2026-12-02T12:00Z", "2026-12-02T12:00"),  # it says so itself
    ],
)
def test_a_date_is_of_the_zone_that_it_was_typed_in(zone: str, moment: str, in_utc: str) -> None:
    assert typed(zone, moment) == datetime.fromisoformat(in_utc).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "in_utc"),
    [
        # 29 March 2026: from 02:00 the clocks of Rome go on to 03:00
        ("2026-03-29T01:59:59", "2026-03-29T00:59:59"),
        ("2026-03-29T02:00", None),
        ("2026-03-29T02:59:59", None),
        ("2026-03-29T03:00", "2026-03-29T01:00"),
        # 25 October 2026: from 03:00 they go back to 02:00
        ("2026-10-25T01:59:59", "2026-10-24T23:59:59"),
        ("2026-10-25T02:00", None),
        ("2026-10-25T02:59:59", None),
        ("2026-10-25T03:00", "2026-10-25T02:00"),
    ],
)
def test_an_ambiguous_or_missing_hour_is_refused(moment: str, in_utc: str | None) -> None:
    expected = datetime.fromisoformat(in_utc).replace(tzinfo=UTC) if in_utc else None
    assert typed("Europe/Rome", moment) == expected
    if expected is None:
        errors = form("Europe/Rome", closes_at=moment).errors["closes_at"]
        assert "twice or not at all" in errors[0]
        assert typed("UTC", moment) is not None


@pytest.mark.parametrize(
    "moment", ["tomorrow", "2026-02-30T12:00", "1999-12-31T23:59", "9999-12-31T23:59", "0001-01-01"]
)
@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome", "Etc/GMT+12"])
def test_a_date_far_from_the_present_is_refused(zone: str, moment: str) -> None:
    assert list(form(zone, closes_at=moment).errors) == ["closes_at"]


@pytest.mark.parametrize(
    ("dates", "faulty"),
    [
        ({"opens_at": "2026-09-02T12:00", "closes_at": "2026-09-02T12:00"}, "closes_at"),
        ({"opens_at": "2026-09-02T12:00", "topics_released_at": "2026-09-02T12:01"}, "topics_re"),
        ({"closes_at": "2026-09-02T12:00", "topics_released_at": "2026-09-02T12:00"}, "topics_re"),
    ],
)
def test_dates_that_contradict_each_other_are_refused(dates: dict[str, str], faulty: str) -> None:
    assert [name[: len(faulty)] for name in form("Etc/GMT+12", **dates).errors] == [faulty]


def test_a_zone_that_is_none_is_refused_and_the_dates_do_not_hide_it() -> None:
    filled = form("Europe/Atlantis", closes_at="2026-09-02T12:00")
    assert list(filled.errors) == ["time_zone"]


def test_settings_sent_back_unchanged_change_nothing() -> None:
    organiser = make_user()
    moment = datetime(2026, 9, 2, 12, 0, 59, 123456, tzinfo=UTC)  # set by script, to the instant
    campaign = make_campaign(closes_at=moment, time_zone="Europe/Rome")
    make_organiser(campaign, organiser)
    client = Client()
    client.force_login(organiser)
    url = reverse("campaigns:campaign-edit", args=[campaign.slug])
    shown = client.get(url).context["form"]
    sent = {name: shown[name].value() for name in shown.fields if name != "slug"}
    assert 'value="2026-09-02T14:00:59"' in str(shown["closes_at"])  # in the campaign's zone
    sent["closes_at"] = "2026-09-02T14:00:59"
    sent = {name: value for name, value in sent.items() if value is not None and value is not False}
    answer = client.post(url, sent)
    assert answer.status_code == 302, answer.context["form"].errors
    campaign.refresh_from_db()
    assert campaign.closes_at == moment
    assert not campaign.log.exists()
    later = sent | {"closes_at": "2026-09-03T12:00"}
    assert client.post(url, later).status_code == 302
    campaign.refresh_from_db()
    assert campaign.closes_at == datetime(2026, 9, 3, 10, 0, tzinfo=UTC)
    assert campaign.log.get().details["changed"] == {
        "closes_at": [moment.isoformat(), campaign.closes_at.isoformat()]
    }


def test_a_stored_date_whose_hour_occurs_twice_is_kept() -> None:
    moment = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # the first 02:30 of that night in Rome
    campaign = make_campaign(closes_at=moment, time_zone="Europe/Rome")
    filled = CampaignForm(
        TYPED | {"closes_at": "2026-10-25T02:30:00"}, instance=campaign, person=AnonymousUser()
    )
    assert filled.is_valid()
    assert "closes_at" not in filled.changed_data
    moved = CampaignForm(
        TYPED | {"closes_at": "2026-10-25T02:31:00"}, instance=campaign, person=AnonymousUser()
    )
    assert list(moved.errors) == ["closes_at"]


def test_an_alias_of_a_zone_remains_selected() -> None:
    shown = CampaignForm(instance=make_campaign(time_zone="US/Eastern"), person=AnonymousUser())
    assert '<option value="US/Eastern" selected>' in str(shown["time_zone"])
    assert str(CampaignForm(person=AnonymousUser())["time_zone"]).count("selected") == 1
