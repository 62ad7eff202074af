"""Where no run is taken any more, no page offers to hand one in or speaks as if it were."""

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.models import Campaign, Run
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db

ENDS = [
    {"stage": "closed", "is_accepting": False},
    {"stage": "judging", "is_accepting": False},
    {"stage": "published", "is_accepting": False},
    {"closes_at": "2020-01-01T00:00Z"},
    {"stage": "closed", "is_accepting": False, "archived_at": "2020-01-01T00:00Z"},
]


@pytest.fixture
def member(client: Client) -> tuple[Campaign, Client]:
    campaign = make_campaign()
    make_team(campaign, person := make_user())
    client.force_login(person)
    return campaign, client


def seen(client: Client, campaign: Campaign, path: str = "") -> str:
    page = client.get(f"/campaigns/{campaign.slug}/{path}").content.decode()
    return " ".join(page.split())


def test_an_open_campaign_offers_its_teams_to_submit(member) -> None:
    campaign, client = member
    page = seen(client, campaign)
    assert f"/campaigns/{campaign.slug}/submit/" in page
    assert "submissions close</dt>" in page


@pytest.mark.parametrize("facts", ENDS)
def test_after_the_end_nothing_leads_to_the_upload_form(member, facts) -> None:
    campaign, client = member
    Campaign.objects.filter(pk=campaign.pk).update(**facts)
    for path in ("", "runs/", "team/", "topics/"):
        assert f"/campaigns/{campaign.slug}/submit/" not in seen(client, campaign, path)
    assert "submissions closed</dt>" in seen(client, campaign)


def test_in_the_grace_a_late_run_can_still_be_submitted(member) -> None:
    campaign, client = member
    Campaign.objects.filter(pk=campaign.pk).update(closes_at=timezone.now(), grace_minutes=60)
    assert f"/campaigns/{campaign.slug}/submit/" in seen(client, campaign, "team/")


def test_a_campaign_closed_before_its_date_says_so(member) -> None:
    campaign, client = member
    Campaign.objects.filter(pk=campaign.pk).update(
        stage="closed", is_accepting=False, closes_at="2100-01-01T00:00Z"
    )
    assert "by the organisers, before the date" in seen(client, campaign)


def test_a_checked_run_that_can_be_accepted_no_more_is_not_called_to_be_accepted(member) -> None:
    campaign, client = member
    make_run(campaign, campaign.teams.get(), state=Run.State.CHECKED)
    assert "awaiting acceptance" in seen(client, campaign, "runs/")
    Campaign.objects.filter(pk=campaign.pk).update(stage="judging", is_accepting=False)
    assert "checked, not accepted" in seen(client, campaign, "runs/")


def test_no_resubmission_is_offered_after_submissions_close(member) -> None:
    campaign, client = member
    run = make_run(campaign, campaign.teams.get(), state=Run.State.REFUSED)
    path = f"runs/{run.public_id}/"
    assert "submit it again</a>" in seen(client, campaign, path)
    Campaign.objects.filter(pk=campaign.pk).update(stage="closed", is_accepting=False)
    assert "submit it again" not in seen(client, campaign, path)


def test_an_organiser_without_teams_is_sent_to_found_one(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_organiser(campaign))
    page = seen(client, campaign, "submit/")
    assert "The campaign has no team yet" in page
    assert 'type="file"' not in page
    Campaign.objects.filter(pk=campaign.pk).update(
        stage="closed", is_accepting=False, archived_at=timezone.now()
    )
    page = seen(client, campaign, "submit/")
    assert "for None" not in page
    assert "See the results on the" in page
