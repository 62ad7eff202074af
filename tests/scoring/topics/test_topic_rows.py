"""Scores by topic: who sees them, of which runs, and that page and CSV have the same rows."""

import csv
import io
import re
from datetime import timedelta

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.access import Viewer
from campaigns.models import Audience, Campaign, Run, Topic, User
from scoring.core.data.artefacts import pack_vector
from scoring.core.measures.names import parse_measure
from scoring.models import Score
from scoring.topics.rows import topic_rows, topic_runs
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db
RBP = "RBP(p=0.5)"


def give_vector(run: Run, *bases: float, measure: str = RBP, residual: float | None = 0.1) -> None:
    """Scores by topic, in the order of positions."""
    evaluation = make_scores(run, {measure: (float(np.nanmean(bases)), residual)})
    Score.objects.filter(evaluation=evaluation).update(
        bases=pack_vector(np.array(bases)),
        residuals=None if residual is None else pack_vector(np.full(len(bases), residual)),
    )


def organiser_of(campaign: Campaign) -> Viewer:
    campaign.refresh_from_db()
    return Viewer(campaign, person=None, roles=frozenset({"organiser"}), team=None)


def get(name: str, *args: str, person: User | None = None, **query: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=args), query)


def shown(response: HttpResponse, attribute: str) -> list[str]:
    assert response.status_code == 200
    return re.findall(rf'<tr data-{attribute}="([^"]+)"', response.content.decode())


def table(response: HttpResponse) -> list[dict[str, str]]:
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(slug="c", topics=("1", "a/2", "051"), **SHOWN)
    give_file(make_qrels(campaign), b"1 0 d1 1\n1 0 d2 0\n051 0 d2 1\n")
    give_vector(make_run(campaign, tag="good"), 0.5, np.nan, 0.75)
    give_vector(make_run(campaign, tag="poor"), 0.25, np.nan, 0.75)
    give_vector(make_run(campaign, tag="late", is_late=True), 0.9, np.nan, 0.9)
    return campaign


def test_a_topics_mean_is_that_of_the_ranked_runs(campaign: Campaign) -> None:
    rows = topic_rows(organiser_of(campaign), parse_measure(RBP))
    assert [(r.code, r.title, r.runs, r.mean, r.lowest, r.highest) for r in rows] == [
        ("1", "topic 1", 2, 0.375, 0.25, 0.5),
        ("a/2", "topic a/2", 0, None, None, None),
        ("051", "topic 051", 2, 0.75, 0.75, 0.75),
    ]


def test_a_topic_added_after_scoring_has_no_scores(campaign: Campaign) -> None:
    Topic.objects.create(campaign=campaign, code="new", position=3, fields=[["title", "new"]])
    viewer = organiser_of(campaign)
    assert topic_rows(viewer, parse_measure(RBP))[3].mean is None
    topic = campaign.topics.get(code="new")
    runs = topic_runs(viewer, topic, parse_measure(RBP))
    assert [(row.rank, row.base) for row in runs] == [(None, None)] * 3


def test_runs_on_a_topic_share_ranks_and_the_late_one_has_none(campaign: Campaign) -> None:
    viewer = organiser_of(campaign)
    by_code = {topic.code: topic for topic in campaign.topics.all()}
    for code, expected in (
        ("1", [(1, "good", 0.5), (2, "poor", 0.25), (None, "late", 0.9)]),
        ("a/2", [(None, "good", None), (None, "poor", None), (None, "late", None)]),
        ("051", [(1, "good", 0.75), (1, "poor", 0.75), (None, "late", 0.9)]),
    ):
        rows = topic_runs(viewer, by_code[code], parse_measure(RBP))
        assert [(row.rank, row.name, row.base) for row in rows] == expected


def test_a_topics_finding_says_whom_its_unjudged_documents_could_lift(campaign: Campaign) -> None:
    give_vector(make_run(campaign, tag="unknown"), 0.25, np.nan, 0.7, residual=0.5)
    page = " ".join(re.sub("<[^>]+>", "", get("topic-detail", "c", "1").content.decode()).split())
    assert "good scores best on this topic, with at least 0.500." in page
    assert "1 other run could exceed this score if its unjudged documents are relevant." in page
    page = get("topic-detail", "c", "051").content.decode()
    assert "good</b> and others score best on this topic" in page
    assert "could exceed this score" in page  # 0.7 and 0.5 more


def test_page_and_csv_have_the_same_rows(campaign: Campaign) -> None:
    codes = ["1", "a/2", "051"]
    assert shown(get("topic-list", "c"), "topic") == codes
    rows = table(get("topics-csv", "c", measure=RBP))
    assert [row["topic"] for row in rows] == codes
    assert [row["mean"] for row in rows] == ["0.375", "", "0.75"]
    for code in codes:
        runs = shown(get("topic-detail", "c", code, measure=RBP), "run")
        assert len(runs) == 3
        assert runs == [row["run_id"] for row in table(get("topic-csv", "c", code, measure=RBP))]
    run = campaign.runs.get(tag="good")
    page = shown(get("run-detail", "c", run.public_id, measure=RBP), "topic")
    rows = table(get("run-csv", "c", run.public_id, measure=RBP))
    assert page == [row["topic"] for row in rows[1:]] == codes
    assert [row["topic"] for row in rows] == ["all", *codes]
    assert [row["base"] for row in rows] == ["0.625", "0.5", "", "0.75"]


def test_by_topic_nothing_is_shown_that_its_switch_does_not_show(campaign: Campaign) -> None:
    Campaign.objects.update(per_topic_audience=Audience.ORGANISERS)
    run = campaign.runs.get(tag="good")
    assert [row["mean"] for row in table(get("topics-csv", "c"))] == ["", "", ""]
    assert shown(get("topic-detail", "c", "1"), "run") == []
    assert table(get("topic-csv", "c", "1")) == []
    assert shown(get("run-detail", "c", run.public_id), "topic") == []
    assert [row["topic"] for row in table(get("run-csv", "c", run.public_id))] == ["all"]


def test_a_team_may_see_its_own_runs_by_topic_and_no_others_before_the_board() -> None:
    participant = make_user()
    campaign = make_campaign(slug="c", shows_own_scores=True, per_topic_audience=1)
    make_qrels(campaign)
    own = make_run(campaign, make_team(campaign, participant), tag="own")
    give_vector(own, 0.25, 0.5)
    give_vector(make_run(campaign, tag="rival"), 0.9, 0.9)
    assert shown(get("topic-detail", "c", "1", person=participant), "run") == [own.public_id]
    (row,) = table(get("topic-csv", "c", "1", person=participant))
    assert (row["run"], row["rank"], row["base"]) == ("own", "", "0.25")
    assert [r["mean"] for r in table(get("topics-csv", "c", person=participant))] == ["", ""]
    rows = table(get("run-csv", "c", own.public_id, person=participant, measure=RBP))
    assert [row["base"] for row in rows] == ["0.375", "0.25", "0.5"]
    for person in (None, make_user()):
        assert table(get("topic-csv", "c", "1", person=person)) == []


def test_counts_of_the_qrels_are_for_those_who_may_see_the_qrels(campaign: Campaign) -> None:
    assert {row["judged"] for row in table(get("topics-csv", "c"))} == {""}
    Campaign.objects.update(qrels_audience=Audience.EVERYONE)
    counts = [(row["relevant"], row["judged"]) for row in table(get("topics-csv", "c"))]
    assert counts == [("1", "2"), ("0", "0"), ("1", "1")]


def test_topics_are_nobodys_before_their_release_but_the_organisers(campaign: Campaign) -> None:
    later = timezone.now() + timedelta(days=1)
    Campaign.objects.update(topics_released_at=later)
    organiser, run = make_organiser(campaign), campaign.runs.get(tag="good")
    for name in ("topic-list", "topics-csv"):
        assert get(name, "c").status_code == 404
        assert get(name, "c", person=organiser).status_code == 200
    for name in ("topic-detail", "topic-csv"):
        assert get(name, "c", "1").status_code == 404
    assert shown(get("run-detail", "c", run.public_id), "topic") == []
    assert len(shown(get("run-detail", "c", run.public_id, person=organiser), "topic")) == 3


def test_a_topic_that_is_not_there_is_not_found(campaign: Campaign) -> None:
    for code in ("2", "1/", "a/2/x", "no such"):
        assert get("topic-detail", "c", code).status_code == 404
        assert get("topic-csv", "c", code).status_code == 404
