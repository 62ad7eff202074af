"""Organisers mark which runs are built on the same model."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Run
from campaigns.runs.decisions import pass_check
from tests.making import make_campaign, make_organiser, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return make_run(make_campaign())


@pytest.fixture
def organiser(run: Run) -> Client:
    client = Client()
    client.force_login(make_organiser(run.campaign))
    return client


@pytest.mark.parametrize(
    ("typed", "stored"),
    [(" a  model ", "a model"), ("x" * 65, "x" * 64), ("a\0b", "ab"), ("\0", "")],
)
def test_a_family_is_stored_as_a_database_and_a_page_can_keep_it(
    run: Run, organiser: Client, typed: str, stored: str
) -> None:
    page = reverse("campaigns:judging-run-families", args=[run.campaign.slug])
    organiser.post(page, {f"family-{run.public_id}": typed, "family-unknown": "b"})
    run.refresh_from_db()
    assert run.family == stored
    log = run.campaign.log.filter(verb="marked run families").values_list("details", flat=True)
    expected = [{"runs": {run.public_id: stored}, "count": 1}] if stored else []
    assert list(log) == expected


def test_the_run_that_replaces_a_run_is_in_its_family(run: Run) -> None:
    Run.objects.update(family="a model")
    new = make_run(team=run.team, tag="new", state="checking", replaces=run)
    pass_check(new, tag="new", name="new", warnings=(), check_sheet={}, now_accepted=True)
    new.refresh_from_db()
    assert new.family == "a model"
