"""The log: who changed what, for organisers, page by page and as CSV."""

import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Campaign, LogEntry
from campaigns.people import membership, merging, teams
from campaigns.runs import decisions
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def client_and_campaign() -> tuple[Client, Campaign]:
    campaign = make_campaign(slug="the-campaign")
    client = Client()
    client.force_login(make_organiser(campaign, make_user(name="=1+1")))
    return client, campaign


def rows(client: Client, campaign: Campaign) -> list[dict[str, str]]:
    answer = client.get(reverse("campaigns:log-csv", args=[campaign.slug]))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_page_and_csv_tell_the_same_acts_newest_first(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    actor = campaign.memberships.get().person
    lifecycle.close_submissions(campaign=campaign, actor=actor)
    campaign.name = "A new name"
    lifecycle.change_settings(campaign=campaign, fields=["name"], actor=actor)
    page = client.get(reverse("campaigns:log", args=[campaign.slug]))
    told = [row.entry.verb for row, _ in page.context["lines"]]
    found = rows(client, campaign)
    assert told == [row["action"] for row in found] == ["changed settings", "closed"]
    assert "→ A new name" in page.content.decode()
    assert json.loads(found[0]["details"])["changed"]["name"][1] == "A new name"


def test_cells_that_a_spreadsheet_would_run_are_made_safe(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    actor = campaign.memberships.get().person
    LogEntry.objects.create(campaign=campaign, actor=actor, verb="did", subject="@SUM(A1)")
    row = rows(client, campaign)[0]
    assert (row["actor"], row["subject"]) == ("'=1+1", "'@SUM(A1)")


def test_a_long_log_is_read_page_by_page_and_whole_as_csv(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    LogEntry.objects.bulk_create(
        LogEntry(campaign=campaign, verb=f"act {number}") for number in range(250)
    )
    url = reverse("campaigns:log", args=[campaign.slug])
    told = [
        row.entry.verb
        for page in (1, 2, 3)
        for row, _ in client.get(url, {"page": page}).context["lines"]
    ]
    assert told == [row["action"] for row in rows(client, campaign)]
    assert len(set(told)) == 250
    for strange in ("0", "99", "x", "-1"):
        assert client.get(url, {"page": strange}).status_code == 404


def test_details_of_every_kind_are_shown_as_text(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    details = {
        "changed": {
            "is_private": [False, True],
            "closes_at": [None, "2026-09-02T12:00:00.5+00:00"],
            "terms": "a long text",
        },
        "count": 3,
        "codes": ["1", "2", "3"],
    }
    LogEntry.objects.create(campaign=campaign, verb="did", details=details)
    LogEntry.objects.create(campaign=campaign, verb="did", details=["odd"])
    page = client.get(reverse("campaigns:log", args=[campaign.slug])).content.decode()
    for words in (
        "is private: no → yes",
        "closes at: empty → 2 Sep 2026, 12:00:00 UTC",
        "terms: a long text",
        "count: 3",
        "codes: 1, 2, 3",
    ):
        assert words in page


def test_entries_are_only_added(client_and_campaign: tuple[Client, Campaign]) -> None:
    _, campaign = client_and_campaign
    lifecycle.close_submissions(campaign=campaign, actor=None)
    for act in (LogEntry.objects.all().delete, lambda: campaign.log.update(verb="nothing")):
        with pytest.raises(TypeError):
            act()


def test_runs_teams_and_people_are_shown_by_name(
    client_and_campaign: tuple[Client, Campaign], django_assert_max_num_queries
) -> None:
    client, campaign = client_and_campaign
    actor = campaign.memberships.get().person
    alice = make_user("alice@example.org", name="Alice")
    gone, team = make_team(campaign, name="Gone"), make_team(campaign, alice, name="Searchers")
    run = make_run(campaign, gone, tag="bm25")
    new = make_run(campaign, team, tag="", original_name="new.txt.gz")
    decisions.disqualify_run(run=run, reason="copied", actor=actor)
    LogEntry.objects.create(
        campaign=campaign, verb="uploaded", subject=new.public_id,
        details={"replaces": run.public_id},
    )  # fmt: skip
    teams.drop_member(alice.memberships.get(), actor=actor, verb="removed")
    merging.merge_teams(team=gone, into=team, actor=actor)
    told = {row["action"]: row for row in rows(client, campaign)}
    assert (told["disqualified"]["subject"], told["disqualified"]["subject_id"]) == (
        "bm25 of Searchers", run.public_id,
    )  # fmt: skip
    assert told["uploaded"]["subject"] == "new.txt.gz of Searchers"
    assert json.loads(told["uploaded"]["details"]) == {"replaces": "bm25 of Searchers"}
    assert json.loads(told["removed"]["details"])["person"] == "Alice"
    url = reverse("campaigns:log", args=[campaign.slug])
    with django_assert_max_num_queries(12):
        page = client.get(url).content.decode()
    assert "bm25 of Searchers" in page
    assert run.public_id not in page
    assert f"person: {alice.pk}" not in page


def test_a_deleted_team_keeps_its_name_in_the_log(
    client_and_campaign: tuple[Client, Campaign],
) -> None:
    client, campaign = client_and_campaign
    actor = campaign.memberships.get().person
    stays, gone = make_team(campaign, name="Stays"), make_team(campaign, name="Gone")
    membership.invite(campaign=campaign, by=actor, role="participant", team=gone)
    merging.merge_teams(team=gone, into=stays, actor=actor)
    told = {row["action"]: json.loads(row["details"]) for row in rows(client, campaign)}
    assert told["invited"] == {"team": "Gone"}
    assert told["merged"]["team"] == "Gone"


def test_one_entry_is_called_the_only_one(client_and_campaign: tuple[Client, Campaign]) -> None:
    client, campaign = client_and_campaign
    actor = campaign.memberships.get().person
    for caption in ("The only entry.", "The last 2 entries, newest first."):
        LogEntry.objects.create(campaign=campaign, actor=actor, verb="created")
        page = client.get(reverse("campaigns:campaign-manage", args=[campaign.slug]))
        assert caption in page.content.decode()
