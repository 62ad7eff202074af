"""Pages open with a sentence that says what there is to find."""

import re
from datetime import UTC, datetime

import pytest
import time_machine
from django.test import Client

from campaigns.models import Audience, Campaign, LogEntry, Run, Team
from tests.browser.boards import make_published_board
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db


def said_on(path: str, client: Client) -> str:
    """The first sentence that a page sets apart."""
    body = client.get(path).content.decode()
    start = body.index('<p class="lead"')
    return " ".join(body[body.index(">", start) + 1 : body.index("</p>", start)].split())


@pytest.fixture
def organised(client: Client) -> tuple[Campaign, Client]:
    campaign = make_campaign()
    client.force_login(make_organiser(campaign))
    return campaign, client


def test_the_front_page_says_what_takes_runs_and_what_is_published(client: Client) -> None:
    make_campaign(name="Night trains")
    make_published_board("A", name="Rail reports")
    assert said_on("/", client) == (
        "Submissions to <b>Night trains</b> are open. <b>Rail reports</b> is published."
    )


def test_a_newcomer_is_led_to_a_board_that_everyone_may_see(client: Client) -> None:
    campaign = make_published_board("A", board_audience=Audience.PARTICIPANTS)
    assert 'id="introduction"' not in client.get("/").content.decode()
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=Audience.EVERYONE)
    page = client.get("/").content.decode()
    link = f'<a href="/campaigns/{campaign.slug}/leaderboard/">'
    assert f"{link}Leaderboard of {campaign.name}</a>" in page
    client.force_login(make_organiser(make_campaign()))
    assert 'id="introduction"' not in client.get("/").content.decode()


def test_the_front_page_shows_the_first_five_runs_with_their_marks(client: Client) -> None:
    make_published_board("A", "B", "C", "D", "E", "F")
    page = client.get("/").content.decode()
    rows = re.search(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert rows is not None
    shown = re.findall(r'<th scope="row">(.*?)</th>', rows[1])
    assert shown == ["run1", "run2", "run3", "run4", "run5"]
    assert 'aria-label="0.80 to 0.95"' in rows[1]  # the residual is 0.15
    assert rows[1].count("<svg") == 5
    assert "All 6 runs" in page


def test_a_scored_run_opens_with_its_score(client: Client) -> None:
    run = make_published_board("A").runs.get()
    path = f"/campaigns/{run.campaign.slug}/runs/{run.public_id}/"
    assert said_on(path, client).startswith("By RBP(p=0.5) the run scores at least <b>0.80</b>; ")


def test_a_list_of_runs_says_how_many_are_in_which_state(organised) -> None:
    campaign, client = organised
    team = make_team(campaign)
    path = f"/campaigns/{campaign.slug}/runs/"
    make_run(campaign, team, tag="a")
    make_run(campaign, team, tag="b")
    assert said_on(path, client) == "2 runs, newest first: all accepted."
    make_run(campaign, team, tag="c", state=Run.State.REFUSED)
    assert said_on(path, client) == "3 files, 2 runs, newest first: 2 accepted, 1 refused."


def test_the_people_page_says_who_waits(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/manage/people/"
    assert said_on(path, client).startswith('No team takes part yet. <a href="#invite">Send people')
    team = make_team(campaign)
    assert said_on(path, client) == "No team awaits approval. One team takes part."
    Team.objects.filter(pk=team.pk).update(approved_at=None)
    assert said_on(path, client) == "One team awaits your approval."


def test_what_is_not_there_offers_to_log_in_and_to_come_back(client: Client) -> None:
    page = client.get("/campaigns/nowhere/?as=public").content.decode()
    assert '<a href="/accounts/login/?next=/campaigns/nowhere/%3Fas%3Dpublic">log in</a>' in page


def test_a_hint_names_no_topic_that_is_not_shown_yet(client: Client) -> None:
    campaign = make_campaign(topics=("hidden-code",), topics_released_at="2100-01-01T00:00Z")
    team = make_team(campaign, person := make_organiser(make_campaign()))
    client.force_login(person)
    page = client.get(f"/campaigns/{team.campaign.slug}/submit/").content.decode()
    assert "hidden-code" not in page


def test_the_log_says_how_many_acts_it_holds(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/manage/log/"
    assert said_on(path, client) == "No entries yet."
    for verb, day in (("created", 1), ("opened", 3)):
        with time_machine.travel(datetime(2026, 5, day, 9, tzinfo=UTC), tick=False):
            LogEntry.objects.create(campaign=campaign, verb=verb)
    assert said_on(path, client) == (
        "2 entries since 1 May 2026, 09:00 UTC, the last on 3 May 2026, 09:00 UTC."
    )


def test_what_is_shown_begins_with_what_is_shown_now(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/manage/visibility/"
    assert said_on(path, client) == (
        "In the current stage, open, nothing is visible to anyone except organisers."
    )
    campaign.stage_switches["open"]["runs_audience"] = Audience.PARTICIPANTS
    campaign.save()
    assert (
        said_on(path, client) == "Visible in the current stage, open: list of runs to participants."
    )


def test_the_settings_say_how_many_runs_a_change_would_score_again(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/manage/settings/"
    assert said_on(path, client).startswith("No run is scored yet")
    make_qrels(campaign)
    make_run(campaign)
    assert "one run is scored again" in said_on(path, client)


def test_the_account_says_whose_it_is_and_what_may_act_for_it(client: Client) -> None:
    client.force_login(make_user("ann@example.org", name="Ann"))
    assert (
        said_on("/account/", client)
        == "You are logged in as <b>ann@example.org</b>, and have no API token."
    )
    client.post("/account/tokens/")
    assert said_on("/account/", client).endswith("and have one API token.")


def test_a_team_reads_how_many_runs_it_has_and_whether_more_are_taken(client: Client) -> None:
    campaign = make_campaign()
    team = make_team(campaign, person := make_user())
    client.force_login(person)
    path = f"/campaigns/{campaign.slug}/team/"
    assert said_on(path, client) == "The team has not submitted a run yet."
    make_run(campaign, team)
    assert said_on(path, client) == "The team has submitted 1 run, and can submit more."
    Campaign.objects.filter(pk=campaign.pk).update(stage="closed", is_accepting=False)
    assert said_on(path, client) == "The team has submitted 1 run."
    assert "Submit run" not in client.get(path).content.decode()


def test_an_open_campaign_without_a_team_does_not_suggest_qrels_first(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/manage/"
    assert said_on(path, client).startswith(
        "Submissions are open, and there is no team yet. Next: <a href="
    )
    make_team(campaign)
    assert "Next: add the qrels" in said_on(path, client)


def test_the_next_date_says_what_it_is_of(organised) -> None:
    campaign, client = organised
    Campaign.objects.filter(pk=campaign.pk).update(closes_at="2100-01-01T00:00Z")
    page = client.get(f"/campaigns/{campaign.slug}/manage/").content.decode()
    assert "Next date: submissions close on" in page


def test_a_disqualified_run_is_not_said_to_need_nothing_more() -> None:
    campaign = make_campaign()
    team = make_team(campaign, person := make_user())
    run = make_run(campaign, team, disqualified_at=campaign.created_at, disqualified_reason="why")
    client = Client()
    client.force_login(person)
    path = f"/campaigns/{campaign.slug}/runs/{run.public_id}/"
    assert said_on(path, client).startswith("Disqualified. The run does not count")


def test_a_board_without_qrels_promises_to_score_only_runs_that_are_there(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/leaderboard/"
    assert said_on(path, client).endswith(">Manage</a>.")
    make_run(campaign)
    assert said_on(path, client).endswith(">Manage</a>; then the one accepted run is scored.")
