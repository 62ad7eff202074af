"""The page Baselines, its API, the log, and baselines in folders."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.manage import baselines_views
from campaigns.manage.baselines import MAX_BASELINES
from campaigns.models import Campaign, Run
from campaigns.runs.decisions import pass_check
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> Client:
    campaign = make_campaign(slug="marked")
    for tag in ("bm25", "dense", "sparse"):
        make_run(campaign, tag=tag, public_id=tag)
    client = Client()
    client.force_login(make_organiser(campaign))
    return client


def marked() -> set[str]:
    return set(Run.objects.filter(is_baseline=True).values_list("tag", flat=True))


def save(client: Client, *chosen: str, before: tuple[str, ...] = ()) -> str:
    data = {"baseline": chosen, "before": before}
    return client.post(
        reverse("campaigns:baselines", args=["marked"]), data, follow=True
    ).content.decode()


def log() -> list[tuple[str, str]]:
    return list(Campaign.objects.get().log.order_by("pk").values_list("verb", "subject"))


def test_an_organiser_marks_and_unmarks_and_the_log_says_so(organiser: Client) -> None:
    page = save(organiser, "bm25", "dense")
    assert "Two runs are baselines" in page
    assert marked() == {"bm25", "dense"}
    assert "One run is a baseline" in save(organiser, "dense", before=("bm25", "dense"))
    assert marked() == {"dense"}
    assert "Nothing has changed." in save(organiser, "dense", before=("dense",))
    assert log() == [
        ("marked as baseline", "bm25"),
        ("marked as baseline", "dense"),
        ("unmarked as baseline", "bm25"),
    ]


def test_an_id_that_no_database_stores_is_refused_as_any_other(organiser: Client) -> None:
    assert "Only a run that counts can be a baseline" in save(organiser, "bm25\0")
    assert "Nothing has changed." in save(organiser, before=("bm25\0",))
    assert marked() == set()


def test_two_organisers_who_save_one_after_the_other_keep_each_others_marks(
    organiser: Client,
) -> None:
    save(organiser, "bm25")
    save(organiser, "sparse")  # on a page that was opened before
    assert marked() == {"bm25", "sparse"}


def test_a_page_of_many_runs_changes_only_its_own(
    organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check boxes of 2,000 runs were 723 kB."""
    monkeypatch.setattr(baselines_views, "ROWS", 2)
    save(organiser, "bm25")
    second = reverse("campaigns:baselines", args=["marked"]) + "?page=2"
    page = organiser.get(second).content.decode()
    assert re.findall(r'<tr data-run="(.*?)"', page) == ["sparse"]
    assert 'name="before"' not in page
    assert "One run is a baseline" in page
    answer = organiser.post(second, {"baseline": ["sparse"]})
    assert answer["Location"] == second
    assert marked() == {"bm25", "sparse"}


def test_only_runs_that_count_can_be_baselines_and_not_too_many(organiser: Client) -> None:
    Run.objects.filter(tag="dense").update(withdrawn_at=timezone.now())
    assert "Only a run that counts can be a baseline" in save(organiser, "dense", "bm25")
    campaign = Campaign.objects.get()
    more = [make_run(campaign).public_id for _ in range(MAX_BASELINES)]
    assert f"at most {MAX_BASELINES} baselines" in save(organiser, "bm25", *more)
    assert marked() == set()
    url = reverse("api:run-baseline", args=["marked", "dense"])
    refused = organiser.post(url)
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_mark")


def test_scripts_mark_and_unmark(organiser: Client) -> None:
    url = reverse("api:run-baseline", args=["marked", "bm25"])
    for method, state in (("post", True), ("post", True), ("delete", False), ("delete", False)):
        answer = getattr(organiser, method)(url)
        assert (answer.status_code, answer.json()) == (200, {"id": "bm25", "is_baseline": state})
    assert [verb for verb, _ in log()] == ["marked as baseline", "unmarked as baseline"]


def test_an_archived_campaign_keeps_its_baselines(organiser: Client) -> None:
    save(organiser, "bm25")
    Campaign.objects.update(archived_at=timezone.now())
    assert "The campaign is archived" in save(organiser, before=("bm25",))
    assert marked() == {"bm25"}


def test_the_run_that_replaces_a_baseline_is_the_baseline() -> None:
    old = make_run(make_campaign(), tag="bm25", is_baseline=True)
    new = make_run(team=old.team, tag="bm25", state="checking", replaces=old)
    pass_check(new, tag="bm25", name="bm25", warnings=(), check_sheet={}, now_accepted=True)
    new.refresh_from_db()
    assert new.is_baseline


def test_participants_have_no_such_page() -> None:
    campaign, person = make_campaign(slug="marked"), make_user()
    make_team(campaign, person)
    client = Client()
    client.force_login(person)
    assert client.get(reverse("campaigns:baselines", args=["marked"])).status_code == 404
