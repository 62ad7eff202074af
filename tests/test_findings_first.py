"""Pages open with a sentence that says what there is to find."""

import pytest
from django.test import Client

from campaigns.models import Audience, Campaign, Run, Team
from tests.browser.boards import make_published_board
from tests.making import make_campaign, make_organiser, make_run, make_team

pytestmark = pytest.mark.django_db


def said_on(path: str, client: Client) -> str:
    """The first sentence that a page sets apart."""
    body = client.get(path).content.decode()
    start = body.index('<p class="say"')
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
        "<b>Night trains</b> takes runs now; <b>Rail reports</b> is published."
    )


def test_a_newcomer_is_led_to_a_board_that_everyone_may_see(client: Client) -> None:
    campaign = make_published_board("A", board_audience=Audience.PARTICIPANTS)
    assert "New here?" not in client.get("/").content.decode()
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=Audience.EVERYONE)
    page = client.get("/").content.decode()
    assert f'<a href="/campaigns/{campaign.slug}/leaderboard/">How sure a score is</a>' in page
    client.force_login(make_organiser(make_campaign()))
    assert "New here?" not in client.get("/").content.decode()


def test_a_scored_run_opens_with_its_score(client: Client) -> None:
    run = make_published_board("A").runs.get()
    path = f"/campaigns/{run.campaign.slug}/runs/{run.public_id}/"
    assert said_on(path, client).startswith("By RBP(p=0.5) it scores at least <b>0.80</b>; ")


def test_a_list_of_runs_says_how_many_are_in_which_state(organised) -> None:
    campaign, client = organised
    team = make_team(campaign)
    path = f"/campaigns/{campaign.slug}/runs/"
    make_run(campaign, team, tag="a")
    make_run(campaign, team, tag="b")
    assert said_on(path, client) == "2 runs, newest first: all accepted."
    make_run(campaign, team, tag="c", state=Run.State.REFUSED)
    assert said_on(path, client) == "3 runs, newest first: 2 accepted, 1 refused."


def test_the_people_page_says_who_waits(organised) -> None:
    campaign, client = organised
    path = f"/campaigns/{campaign.slug}/manage/people/"
    assert said_on(path, client).startswith("No team takes part yet: send people the address")
    team = make_team(campaign)
    assert said_on(path, client) == "Nobody waits to be let in; one team takes part."
    Team.objects.filter(pk=team.pk).update(approved_at=None)
    assert said_on(path, client) == "One team waits for your word."


def test_what_is_not_there_offers_to_log_in_and_to_come_back(client: Client) -> None:
    page = client.get("/campaigns/nowhere/?as=public").content.decode()
    assert '<a href="/accounts/login/?next=/campaigns/nowhere/%3Fas%3Dpublic">log in</a>' in page


def test_a_hint_names_no_topic_that_is_not_shown_yet(client: Client) -> None:
    campaign = make_campaign(topics=("hidden-code",), topics_released_at="2100-01-01T00:00Z")
    team = make_team(campaign, person := make_organiser(make_campaign()))
    client.force_login(person)
    page = client.get(f"/campaigns/{team.campaign.slug}/submit/").content.decode()
    assert "hidden-code" not in page
