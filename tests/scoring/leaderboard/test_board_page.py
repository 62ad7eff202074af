"""The board as people ask for it: masked, filtered, under another version, through other eyes."""

import csv
import html
import io
import json
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Qrels, Run, Team, User
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db
RBP = "RBP(p=0.5)"
SCORES = {RBP: (0.5, 0.1), "AP": (0.25, None), "Judged@10": (0.9, None)}
SECRET = "canary-name"
SHOWN = {
    "stage": Campaign.Stage.PUBLISHED,
    "is_accepting": False,
    "runs_audience": Audience.EVERYONE,
    "shows_own_scores": True,
    "board_audience": Audience.EVERYONE,
    "per_topic_audience": Audience.EVERYONE,
}


def get(name: str, campaign: Campaign, person: User | None = None, **query: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=[campaign.slug]), query)


def runs_on_page(response: HttpResponse) -> list[str]:
    assert response.status_code == 200
    return re.findall(r'<tr data-run="(\w+)"', response.content.decode())


def table(response: HttpResponse) -> list[dict[str, str]]:
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.fixture
def published() -> Campaign:
    campaign = make_campaign(slug="published", **SHOWN)
    make_qrels(campaign)
    return campaign


def make_anonymous_team(campaign: Campaign, *people: User) -> Team:
    team = make_team(campaign, *people, name=f"{SECRET} team")
    Team.objects.filter(pk=team.pk).update(is_anonymous=True)
    return team


# --- names --------------------------------------------------------------------------------------


def test_an_anonymous_team_is_masked_in_page_csv_and_chart_until_the_reveal(
    published: Campaign,
) -> None:
    member = make_user()
    team = make_anonymous_team(published, member)
    verdict = {"disqualified_at": timezone.now(), "disqualified_reason": f"{SECRET} reason"}
    for number, facts in enumerate(({}, {"is_late": True}, verdict)):
        run = make_run(
            published, team, tag=f"{SECRET}-{number}", description=f"{SECRET} words", **facts
        )
        make_scores(run, SCORES)
    run = published.runs.first()
    urls = [
        *(reverse(f"scoring:{name}", args=["published"]) for name in ("leaderboard",)),
        reverse("scoring:leaderboard-csv", args=["published"]),
        reverse("scoring:topic-detail", args=["published", "1"]),
        reverse("scoring:topic-csv", args=["published", "1"]),
        *(
            reverse(f"scoring:{name}", args=["published", each.public_id])
            for name in ("run-detail", "run-status", "run-csv")
            for each in published.runs.all()
        ),
        reverse("api:run-detail", args=["published", run.public_id]),
    ]

    def bodies(person: User | None) -> dict[str, str]:
        client = Client()
        if person is not None:
            client.force_login(person)
        answers = {url: client.get(url) for url in urls}
        assert {answer.status_code for answer in answers.values()} == {200}
        return {url: answer.content.decode() for url, answer in answers.items()}

    stranger = make_user()
    for person in (None, stranger):
        assert [a for a, body in bodies(person).items() if SECRET in body] == []
        assert [a for a, body in bodies(person).items() if run.digest in body] == []
    for person in (member, make_organiser(published)):
        assert [a for a, body in bodies(person).items() if SECRET not in body] == []
    published.reveals_teams_at = timezone.now() + timedelta(hours=1)
    published.save()
    assert [a for a, body in bodies(None).items() if SECRET in body] == []
    published.reveals_teams_at = timezone.now()
    published.save()
    assert [a for a, body in bodies(None).items() if SECRET not in body] == []


def test_masked_names_are_drawn_in_the_chart(published: Campaign) -> None:
    team = make_anonymous_team(published)
    make_scores(make_run(published, team, tag=SECRET), SCORES)
    make_scores(make_run(published, tag="open"), SCORES)
    page = get("leaderboard", published).content.decode()
    chart = json.loads(re.search(r'id="chart-data"[^>]*>(.*?)</script>', page)[1])
    names = {(tag, name) for tag, name, *_ in chart["data"][0]["customdata"]}
    run = team.runs.get()
    assert (f"run-{run.public_id[:6]}", f"anonymous-{team.public_id[:6]}") in names


# --- filters ------------------------------------------------------------------------------------


def test_filters_leave_rows_out_and_ranks_as_they_are(published: Campaign) -> None:
    first, second = make_team(published), make_team(published)
    runs = [
        make_run(published, team, run_type=run_type)
        for team, run_type in ((first, "manual"), (second, "automatic"), (second, "manual"))
    ]
    for place, run in enumerate(runs):
        make_scores(run, {RBP: (0.5 - place / 10, 0.1)})
    for query, chosen in (
        ({"team": second.public_id}, runs[1:]),
        ({"type": "manual"}, [runs[0], runs[2]]),
        ({"team": second.public_id, "type": "manual"}, [runs[2]]),
        ({"type": "feedback"}, []),
        ({"team": "", "type": ""}, runs),
        ({"nonsense": "x", "uploaded_by": "1"}, runs),
    ):
        assert runs_on_page(get("leaderboard", published, **query)) == [r.public_id for r in chosen]
        rows = table(get("leaderboard-csv", published, **query))
        assert [(row["run"], row["rank"]) for row in rows] == [
            (run.tag, str(runs.index(run) + 1)) for run in chosen
        ]


@pytest.mark.parametrize(
    "query",
    [
        {"team": "nobody"},
        {"type": "secret"},
        {"qrels": "2"},
        {"qrels": "-1"},
        {"qrels": "9" * 40},
        {"measure": "NoSuch"},
    ],
)
def test_what_is_not_offered_is_not_found(published: Campaign, query: dict[str, str]) -> None:
    make_team(published)
    for name in ("leaderboard", "leaderboard-csv"):
        assert get(name, published, **query).status_code == 404


# --- versions -----------------------------------------------------------------------------------


def test_the_board_of_an_older_version_is_shown_where_it_was_once_published(
    published: Campaign,
) -> None:
    run = make_run(published, tag="one")
    make_scores(run, {RBP: (0.1, 0.1)})
    newer = make_qrels(published)
    make_scores(run, {RBP: (0.7, 0.1)})
    make_scores(make_run(published, tag="came-later"), {RBP: (0.6, 0.1)})
    organiser = make_organiser(published)

    def bases(person: User | None, version: str) -> list[tuple[str, str]]:
        rows = table(get("leaderboard-csv", published, person, qrels=version))
        return [(row["run"], row["base"]) for row in rows]

    assert bases(organiser, "1") == [("one", "0.1")]
    assert bases(organiser, "2") == [("one", "0.7"), ("came-later", "0.6")]
    assert bases(None, "2") == bases(None, "") == bases(organiser, "2")
    assert get("leaderboard", published, qrels="1").status_code == 404
    Qrels.objects.exclude(pk=newer.pk).update(published_at=timezone.now())
    assert bases(None, "1") == [("one", "0.1")]
    page = get("leaderboard", published, qrels="1").content.decode()
    assert "This is the leaderboard under qrels v1." in page
    assert "1 run is not scored under qrels v1" in page


# --- through other eyes -------------------------------------------------------------------------


def test_a_stranger_to_published_results_of_participants_is_told_to_log_in() -> None:
    campaign = make_campaign(stage="published", board_audience=Audience.PARTICIPANTS)
    page = get("leaderboard", campaign, None).content.decode()
    assert "The leaderboard is published for the participants only." in page
    assert "not published yet" not in page
    assert "/login/?next=" in page
    page = get("leaderboard", campaign, make_user()).content.decode()
    assert "an organiser can add you to a team" in page


def test_a_published_board_of_organisers_alone_is_not_announced() -> None:
    campaign = make_campaign(stage="published", board_audience=Audience.ORGANISERS)
    page = get("leaderboard", campaign, make_user()).content.decode()
    assert "Only the organisers see the leaderboard of this campaign." in page
    assert "not published yet" not in page
    assert "publish the leaderboard here" not in page


def test_an_organiser_previews_the_published_board_as_the_public_and_nobody_else_does() -> None:
    participant = make_user()
    campaign = make_campaign()
    organiser = make_organiser(campaign)
    team = make_team(campaign, participant)
    make_qrels(campaign)
    make_scores(make_run(campaign, team, tag="theirs"), SCORES)
    anonymous = make_anonymous_team(campaign)
    make_scores(make_run(campaign, anonymous, tag=SECRET), SCORES)

    now = get("leaderboard", campaign, organiser, **{"as": "public"}).content.decode()
    assert "not published yet" in now
    query = {"as": "public", "at": "published"}
    page = get("leaderboard", campaign, organiser, **query)
    assert len(runs_on_page(page)) == 2
    assert SECRET not in page.content.decode()
    assert "as=public&amp;at=published" in page.content.decode()  # carried to the next page
    assert len(table(get("leaderboard-csv", campaign, organiser, **query))) == 2
    as_team = {"as": team.public_id, "at": "published"}
    assert "yours" in get("leaderboard", campaign, organiser, **as_team).content.decode()
    for person in (None, participant):
        assert runs_on_page(get("leaderboard", campaign, person, **query)) == []
        assert get("leaderboard-csv", campaign, person, **query).status_code == 404
    campaign.refresh_from_db()
    assert campaign.stage == Campaign.Stage.OPEN


def test_page_and_csv_have_the_same_rows(published: Campaign) -> None:
    for place in range(4):
        facts = ({}, {"is_late": True}, {}, {"run_type": Run.Type.MANUAL})[place]
        make_scores(make_run(published, tag=f"r{place}", **facts), {RBP: (place / 10, 0.1)})
    tags = {run.public_id: run.tag for run in published.runs.all()}
    for query in ({}, {"measure": RBP}, {"type": "automatic"}):
        shown = [tags[run] for run in runs_on_page(get("leaderboard", published, **query))]
        rows = table(get("leaderboard-csv", published, **query))
        assert shown == [row["run"] for row in rows]
        assert len(shown) == (3 if "type" in query else 4)


def test_the_link_to_the_api_leaves_out_what_the_api_refuses(published: Campaign) -> None:
    """The form sends empty fields, and a URL can have foreign parameters."""
    query = {"qrels": "1", "ties": "on", "runs": "", "baseline": "", "sort": "team", "utm": "x"}
    page = get("leaderboard", published, **query).content.decode()
    (link,) = re.findall(r'href="(/api/[^"]*/leaderboard/[^"]*)"', page)
    query = parse_qs(urlsplit(html.unescape(link)).query)
    assert query == {"measure": [RBP], "qrels": ["1"], "ties": ["on"]}
    assert Client().get(html.unescape(link)).status_code == 200
