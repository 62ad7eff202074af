"""A run topic by topic: against the median and the best of the board, for who may see the board."""

import csv
import io
import json
import re
import statistics
from unittest import mock

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Campaign, Run, User
from scoring.core.measures.names import parse_measure
from scoring.evaluation.rules import version_of
from scoring.models import Score
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_team, make_user
from tests.scoring.leaderboard.test_board_page import SHOWN
from tests.scoring.topics.test_topic_rows import RBP, give_vector

pytestmark = pytest.mark.django_db
TOPICS = ("1", "a/2", "051", "9")
BASES = {
    "ours": (0.5, np.nan, 0.75, 0.1),
    "poor": (0.25, np.nan, 0.75, 0.3),
    "rich": (0.875, np.nan, 0.5, 0.4),
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(slug="c", topics=TOPICS, **SHOWN)
    make_qrels(campaign)
    for tag, bases in BASES.items():
        give_vector(make_run(campaign, tag=tag), *bases)
    give_vector(make_run(campaign, tag="late", is_late=True), 1.0, np.nan, 1.0, 1.0)
    return campaign


def get(run: Run, name: str = "run-detail", person: User | None = None, **asked: str) -> str:
    response = answer(run, name, person, **asked)
    assert response.status_code == 200
    return response.content.decode()


def answer(run: Run, name: str, person: User | None = None, **asked: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=["c", run.public_id]), asked)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def finding_of(text: str) -> str:
    found = re.search(r'id="topics-finding">(.*?)</p>', text, re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found[1])).strip() if found else ""


def test_median_and_best_are_those_of_the_ranked_runs(campaign: Campaign) -> None:
    rows = table(get(campaign.runs.get(tag="ours"), "run-csv", measure=RBP))
    told = {row["topic"]: (row["median"], row["best"]) for row in rows}
    assert told == {
        "all": ("", ""), "1": ("0.5", "0.875"), "a/2": ("", ""), "051": ("0.75", "0.75"),
        "9": ("0.3", "0.4"),
    }  # fmt: skip
    for place, topic in enumerate(TOPICS):
        scores = [bases[place] for bases in BASES.values()]
        if not np.isnan(scores[0]):
            assert float(told[topic][0]) == statistics.median(scores)
            assert float(told[topic][1]) == max(scores)


def test_the_finding_counts_topics_above_and_below_the_median(campaign: Campaign) -> None:
    for tag, said in {
        "ours": "better than the median run on 0 of 3 topics and worse on 1. On 1 no run is",
        "rich": "better than the median run on 2 of 3 topics and worse on 1. On 2 no run is",
        "late": "better than the median run on 3 of 3 topics and worse on 0. On 3 no run is",
    }.items():
        assert said in finding_of(get(campaign.runs.get(tag=tag)))


def test_topics_can_be_read_best_first_in_page_chart_and_table(campaign: Campaign) -> None:
    run = campaign.runs.get(tag="ours")
    best_first = ["051", "1", "9", "a/2"]
    text = get(run, order="score")
    assert re.findall(r'<tr data-topic="([^"]+)"', text) == best_first
    csv_rows = table(get(run, "run-csv", measure=RBP, order="score"))
    assert [row["topic"] for row in csv_rows] == ["all", *best_first]
    figure = json.loads(re.search(r'id="topic-bars"[^>]*>(.*?)</script>', text, re.S)[1])
    base, unknown, median, best = figure["data"]
    assert figure["layout"]["xaxis"]["ticktext"] == ["051", "1", "9"]
    assert (base["y"], unknown["y"]) == ([0.75, 0.5, 0.1], [0.1, 0.1, 0.1])
    assert (median["y"], best["y"]) == ([0.75, 0.5, 0.3], [0.75, 0.875, 0.4])
    assert answer(run, "run-detail", order="random").status_code == 404


def test_where_lower_is_better_the_best_is_the_lowest() -> None:
    campaign = make_campaign(slug="c", measures=["ESL(n=1)"], persistences=[0.5], **SHOWN)
    make_qrels(campaign)
    for tag, values in {"quick": (1.0, 4.0), "slow": (3.0, 2.0), "slower": (5.0, 6.0)}.items():
        give_vector(make_run(campaign, tag=tag), *values, measure="ESL(n=1)", residual=None)
    run = campaign.runs.get(tag="quick")
    rows = table(get(run, "run-csv", measure="ESL(n=1)"))
    assert [(row["median"], row["best"]) for row in rows[1:]] == [("3.0", "1.0"), ("4.0", "2.0")]
    found = finding_of(get(run, measure="ESL(n=1)"))
    assert "better than the median run on 1 of 2 topics and worse on 0. On 1 no run" in found


def test_who_does_not_see_the_board_sees_the_own_run_alone() -> None:
    participant = make_user()
    campaign = make_campaign(slug="c", shows_own_scores=True, per_topic_audience=1)
    make_qrels(campaign)
    own = make_run(campaign, make_team(campaign, participant), tag="own")
    give_vector(own, 0.25, 0.5)
    for tag, bases in {"rival": (0.9, 0.9), "third": (0.8, 0.8)}.items():
        give_vector(make_run(campaign, tag=tag), *bases)
    for each in ("run-detail", "run-csv"):
        text = get(own, each, participant, measure=RBP)
        assert "0.25" in text
        assert "median run" not in text
    rows = table(get(own, "run-csv", participant, measure=RBP))
    assert [(row["base"], row["median"], row["best"]) for row in rows[1:]] == [
        ("0.25", "", ""), ("0.5", "", ""),
    ]  # fmt: skip
    assert finding_of(get(own, person=participant)) == ""
    assert "best run" in get(own, person=make_organiser(campaign))


def test_a_single_run_is_not_compared_with_itself() -> None:
    campaign = make_campaign(slug="c", **SHOWN)
    make_qrels(campaign)
    give_vector(make_run(campaign, tag="only"), 0.25, 0.5)
    text = get(campaign.runs.get())
    assert finding_of(text) == ""
    assert "best run" not in text


@pytest.mark.parametrize("role", ["nobody", "participant", "organiser"])
def test_the_page_takes_at_most_12_queries(
    campaign: Campaign, role: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    person = make_user()
    run = make_run(campaign, make_team(campaign, person), tag="mine")
    give_vector(run, 0.5, 0.5, 0.5, 0.5)
    reader = {"nobody": None, "participant": person}.get(role) or make_organiser(campaign)
    client = Client()
    if role != "nobody":
        client.force_login(reader)
    with django_assert_max_num_queries(12):
        response = client.get(reverse("scoring:run-detail", args=["c", run.public_id]))
    assert b'data-topic="051"' in response.content


def test_the_csv_file_of_another_run_reads_no_scores_of_all_runs_again(campaign: Campaign) -> None:
    """By all measures, those of 2,000 runs take 30 MB."""
    campaign.measures = ["AP"]
    campaign.save()
    version = version_of(parse_measure("AP"))
    for score in Score.objects.all():
        score.pk, score.measure, score.definition = None, "AP", version
        score.save()
    ours, rich = campaign.runs.get(tag="ours"), campaign.runs.get(tag="rich")

    def field_of(run: Run) -> list[tuple[str, str, str, str]]:
        rows = table(get(run, "run-csv"))
        return [(row["measure"], row["topic"], row["median"], row["best"]) for row in rows]

    field = field_of(ours)
    assert (RBP, "1", "0.5", "0.875") in field
    with mock.patch("scoring.runs.topics.vectors_of", side_effect=AssertionError):
        assert field_of(rich) == field
    campaign.runs.filter(tag="rich").update(withdrawn_at=timezone.now())
    assert (RBP, "1", "0.375", "0.5") in field_of(ours)
