"""Topics by runs: in which order, which topics discriminate between runs, and for whom."""

import csv
import io
import json
import re

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Audience, Campaign
from scoring.core.measures.names import parse_measure
from scoring.topics.matrix import topic_matrix
from tests.making import give_file, make_campaign, make_organiser, make_qrels, make_run, make_team
from tests.scoring.leaderboard.test_board_page import SHOWN
from tests.scoring.topics.test_topic_rows import RBP, give_vector, organiser_of

pytestmark = pytest.mark.django_db
NAN = np.nan
TOPICS = ("1", "a/2", "051", "flat", "none")


@pytest.fixture
def campaign() -> Campaign:
    """Worked by hand: on 1 the runs are 0.9, 0.5, 0.1; a/2 says the contrary, more softly."""
    campaign = make_campaign(slug="c", topics=TOPICS, **SHOWN)
    give_file(make_qrels(campaign), b"1 0 d 1\na/2 0 d 1\n051 0 d 1\nflat 0 d 1\nnone 0 d 0\n")
    team = make_team(campaign, name="T")
    for tag, scores in {
        "worst": (0.1, 0.4, 0.5, 0.2, NAN),
        "best": (0.9, 0.2, 0.7, 0.2, NAN),
        "middle": (0.5, 0.3, 0.6, 0.2, NAN),
    }.items():
        give_vector(make_run(campaign, team, tag=tag), *scores)
    return campaign


def get(name: str = "topic-list", client: Client | None = None, **asked: str) -> HttpResponse:
    return (client or Client()).get(reverse(f"scoring:{name}", args=["c"]), asked)


def figure(response: HttpResponse) -> dict[str, object]:
    found = re.search(
        r'<script id="topics-by-run"[^>]*>(.*?)</script>', response.content.decode(), re.S
    )
    assert found is not None
    trace: dict[str, object] = json.loads(found[1])["data"][0]
    return trace


def table(**asked: str) -> list[dict[str, str]]:
    response = get("topic-matrix-csv", **asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_runs_are_in_the_order_of_the_leaderboard_and_topics_from_the_hardest(
    campaign: Campaign,
) -> None:
    trace = figure(get())
    assert trace["y"] == ["flat", "a/2", "1", "051"]
    assert trace["x"] == ["1 best", "2 middle", "3 worst"]
    assert trace["z"][2] == [0.9, 0.5, 0.1]


def test_the_order_of_topics_is_chosen_in_the_url(campaign: Campaign) -> None:
    assert figure(get(order="file"))["y"] == ["1", "a/2", "051", "flat"]
    alike = figure(get(order="likeness"))["y"]
    assert abs(alike.index("flat") - alike.index("a/2")) == 1
    assert abs(alike.index("1") - alike.index("051")) == 1
    assert get(order="title").status_code == 404


def test_shares_of_variance_and_correlations_by_hand(campaign: Campaign) -> None:
    matrix = topic_matrix(organiser_of(campaign), parse_measure(RBP), "file")
    assert matrix is not None
    shares = [topic.share for topic in matrix.topics]
    assert shares == pytest.approx([16 / 18, 1 / 18, 1 / 18, 0])  # deviations .4, .1, .1, 0
    assert [topic.correlation for topic in matrix.topics] == [
        None,  # the others cancel out: a/2 falls as 051 rises
        pytest.approx(-1),
        pytest.approx(1),
        None,
    ]


def test_a_page_names_topics_that_separate_and_topics_without_relevant_documents(
    campaign: Campaign,
) -> None:
    client = Client()
    client.force_login(make_organiser(campaign))
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", get(client=client).content.decode()))
    assert re.search(
        "the runs differ most on topics 1 and (a/2|051): two of 4 topics account for 94&nbsp;%",
        text,
    )
    assert "No relevant document is known for topic none." in text
    Campaign.objects.update(qrels_audience=Audience.ORGANISERS)
    assert b"No relevant document" not in get().content


def test_the_table_has_every_cell_at_full_precision(campaign: Campaign) -> None:
    rows = table(order="file")
    assert len(rows) == 4 * 3
    assert [(row["topic"], row["run"], row["rank"], row["base"]) for row in rows[:3]] == [
        ("1", "best", "1", "0.9"),
        ("1", "middle", "2", "0.5"),
        ("1", "worst", "3", "0.1"),
    ]
    assert float(rows[0]["variance_share"]) == pytest.approx(16 / 18)


def test_only_for_those_who_see_scores_by_topic(campaign: Campaign) -> None:
    Campaign.objects.update(per_topic_audience=Audience.ORGANISERS)
    assert b"topics-by-run" not in get().content
    assert get("topic-matrix-csv").status_code == 404


def test_runs_that_tie_on_every_topic_are_reported() -> None:
    campaign = make_campaign(slug="c", topics=TOPICS[:2], **SHOWN)
    give_file(make_qrels(campaign))
    for tag in ("a", "b"):
        give_vector(make_run(campaign, tag=tag), 0.5, 0.25)
    assert b"all runs score the same on every topic" in get().content
    assert {row["variance_share"] for row in table()} == {""}


def test_one_run_or_none_has_no_picture() -> None:
    campaign = make_campaign(slug="c", topics=TOPICS[:2], **SHOWN)
    give_file(make_qrels(campaign))
    assert b"topics-by-run" not in get().content
    assert table() == []
    give_vector(make_run(campaign), 0.5, 0.25)
    assert b"data-figure" not in get().content
    assert len(table()) == 2


def test_the_page_takes_at_most_12_queries(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        assert figure(get())
