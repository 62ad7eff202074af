"""Documents of a run beside their judgments, against literal loops over the lines; and who sees
them."""

import csv
import io
import itertools
import re

import pytest
from django.core.files.base import ContentFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Audience, Campaign, Run, Team, User
from campaigns.qrels.versions import add_qrels
from campaigns.runs import submission
from scoring.models import Score
from tests.flow_world import perform_jobs
from tests.making import make_campaign, make_organiser, make_team, make_user
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]
TOPICS = ("1", "a/2", "3")
GRADES = {
    "1": {"a": 2, "b": 0, "c": 1, "d": 1, "g": 1, "n": -1},
    "a/2": {"b": 1, "e": 0, "h": 1},
    "3": {"a": 0},  # nothing relevant is known: no board counts it
}
RUNS = {  # two teams: the first letter of the tag; best document first
    "x1": {"1": "baxcnyd", "a/2": "ebh", "3": "abc"},
    "x2": {"1": "gacb", "a/2": "hbe"},
    "y1": {"1": "zaqb", "a/2": "qbe", "3": "c"},
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        slug="c", topics=TOPICS, highest_grade=2, persistences=[0.5, 0.8], measures=["AP"]
    )
    teams = {name: make_team(campaign, make_user(f"{name}@example.org")) for name in "xy"}
    for tag in RUNS:
        submit(campaign, teams[tag[0]], tag)
    lines = [
        f"{topic} 0 {document} {grade}\n"
        for topic, grades in GRADES.items()
        for document, grade in grades.items()
    ]
    add_qrels(
        campaign=campaign, data="".join(lines).encode(), note="",
        actor=make_organiser(campaign), is_confirmed=True,
    )  # fmt: skip
    perform_jobs()
    return shown(campaign, qrels_audience=Audience.EVERYONE, run_files_audience=Audience.EVERYONE)


def submit(campaign: Campaign, team: Team, tag: str) -> None:
    lines = [
        f"{topic} Q0 {document} {rank} {100 - rank} {tag}\n"
        for topic, documents in RUNS[tag].items()
        for rank, document in enumerate(documents)
    ]
    with submission.stored_upload(ContentFile("".join(lines).encode(), name="run.txt")) as file:
        submission.submit_run(
            campaign=campaign, team=team, person=None, file=file, submitted_at=timezone.now(),
            description="",
        )  # fmt: skip


def shown(campaign: Campaign, **switches: object) -> Campaign:
    Campaign.objects.filter(pk=campaign.pk).update(**{**SHOWN, **switches})
    Team.objects.update(shares_files=True)
    return Campaign.objects.get(pk=campaign.pk)


def get(name: str, tag: str, person: User | None = None, **asked: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    url = reverse(f"scoring:{name}", args=["c", Run.objects.get(tag=tag).public_id])
    response = client.get(url, asked)
    if response.status_code == 202:
        perform_jobs()
        response = client.get(url, asked)
    return response


def table(name: str, tag: str, **asked: str) -> list[dict[str, str]]:
    response = get(name, tag, **asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def on_page(response: HttpResponse) -> list[str]:
    assert response.status_code == 200
    return re.findall(r'<tr data-document="([^"]+)"', response.content.decode())


def finding_of(response: HttpResponse) -> str:
    found = re.search(r'id="finding">(.*?)</p>', response.content.decode(), re.S)
    assert found is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found[1])).strip()


def grade_of(topic: str, document: str) -> int | None:
    grade = GRADES[topic].get(document, -1)
    return None if grade < 0 else grade


def test_a_ranking_is_shown_with_its_judgments(campaign: Campaign) -> None:
    for tag, topic in itertools.product(RUNS, TOPICS):
        rows = table("run-documents-csv", tag, topic=topic)
        expected = [
            (str(rank), document, "" if grade is None else str(grade), str(int(bool(grade))))
            for rank, document in enumerate(RUNS[tag].get(topic, ""), start=1)
            for grade in (grade_of(topic, document),)
        ]
        told = [(row["rank"], row["doc_id"], row["grade"], row["relevant"]) for row in rows]
        assert told == expected
        page = get("run-documents", tag, topic=topic)
        assert on_page(page) == [document for _, document, _, _ in expected]
    said = "Of the run’s 7 documents for topic 1, 3 are relevant and 3 are unjudged."
    assert finding_of(get("run-documents", "x1")) == said


@pytest.mark.parametrize("p", ["0.5", "0.8"])
@pytest.mark.parametrize("tag", RUNS)
def test_what_nobody_judged_is_listed_by_what_it_leaves_unknown(
    campaign: Campaign, tag: str, p: str
) -> None:
    """Two topics count. With the tails below the lists it makes the board's residual."""
    counted = ("1", "a/2")
    weight = {rank: (1 - float(p)) * float(p) ** (rank - 1) / 2 for rank in range(1, 20)}
    expected = sorted(
        (-weight[rank], counted.index(topic), topic, rank, document)
        for topic in counted
        for rank, document in enumerate(RUNS[tag][topic], start=1)
        if grade_of(topic, document) is None
    )
    rows = table("run-unjudged-csv", tag, p=p)
    told = [(row["topic"], int(row["rank"]), row["doc_id"]) for row in rows]
    assert told == [row[2:] for row in expected]
    assert [float(row["adds"]) for row in rows] == pytest.approx([-row[0] for row in expected])
    tails = sum(float(p) ** len(RUNS[tag][topic]) / 2 for topic in counted)
    together = float(rows[-1]["together"]) if rows else 0.0
    score = Score.objects.get(measure=f"RBP(p={p})", evaluation__run__tag=tag)
    assert together + tails == pytest.approx(score.mean_residual, abs=1e-12)
    assert on_page(get("run-unjudged", tag, p=p)) == [row["doc_id"] for row in rows]


def sole(tag: str, depth: int, *, of: int) -> list[tuple[str, int, str]]:
    """Relevant documents among its first `depth` ranks that no run has there whose tag's first
    `of` letters are others."""
    others = [other for other in RUNS if other[:of] != tag[:of]]
    return [
        (topic, rank, document)
        for topic in TOPICS
        for rank, document in enumerate(RUNS[tag].get(topic, "")[:depth], start=1)
        if grade_of(topic, document)
        and not any(document in RUNS[other].get(topic, "")[:depth] for other in others)
    ]


@pytest.mark.parametrize("depth", ["1", "2", "5", "any"])
def test_unique_finds_are_those_of_a_loop_over_the_lines(campaign: Campaign, depth: str) -> None:
    ranks = 99 if depth == "any" else int(depth)
    rows = table("run-unique-runs-csv", "x1", depth=depth)
    assert {row["run"] for row in rows} == set(RUNS)
    for row in rows:
        tag = row["run"]
        found = sum(
            bool(grade_of(topic, document))
            for topic, documents in RUNS[tag].items()
            for document in documents[:ranks]
        )
        by_run, by_team = sole(tag, ranks, of=2), sole(tag, ranks, of=1)
        counts = (row["relevant_found"], row["only_run"], row["only_team"])
        assert counts == (str(found), str(len(by_run)), str(len(by_team)))
        listed = table("run-unique-csv", tag, depth=depth)
        told = [(each["topic"], int(each["rank"]), each["doc_id"]) for each in listed]
        assert told == by_team
        alone = [each for each, row in zip(told, listed, strict=True) if row["only_run"] == "1"]
        assert alone == by_run
        page = get("run-unique", tag, depth=depth)
        assert on_page(page) == [document for _, _, document in by_team]


def test_unique_finds_by_hand(campaign: Campaign) -> None:
    """Down to rank 5 the first team alone has c and g on topic 1 and h on the other."""
    assert [row["doc_id"] for row in table("run-unique-csv", "x2", depth="5")] == ["g", "c", "h"]
    said = (
        "Of the 5 relevant documents that it has in the first 5 ranks, 1 is in no other pooled run"
    )
    assert finding_of(get("run-unique", "x2", depth="5")).startswith(said)


def test_a_run_that_was_not_pooled_contributed_nothing(campaign: Campaign) -> None:
    """By hand: beside the runs of the first team alone, the one of the other names nothing."""
    Run.objects.filter(tag__startswith="x").update(is_pooled=True)
    rows = table("run-unique-runs-csv", "x1", depth="5")
    assert {row["run"] for row in rows} == {tag for tag in RUNS if tag.startswith("x")}
    assert {row["relevant_found"] for row in rows} == {row["only_team"] for row in rows}
    assert table("run-unique-csv", "y1", depth="5") == []
    said = "The organisers do not mark this run as pooled"
    assert finding_of(get("run-unique", "y1", depth="5")).startswith(said)


def test_a_late_run_is_not_compared_with_others(campaign: Campaign) -> None:
    Run.objects.filter(tag="y1").update(is_late=True)
    assert table("run-unique-csv", "y1") == []
    assert "this run is not ranked" in finding_of(get("run-unique", "y1"))


NAMES = (
    "run-documents", "run-documents-csv", "run-unjudged", "run-unjudged-csv", "run-unique",
    "run-unique-csv", "run-unique-runs-csv",
)  # fmt: skip


def test_documents_need_the_qrels_and_the_file(campaign: Campaign) -> None:
    own, organiser = User.objects.get(email="x@example.org"), make_organiser(campaign)
    cases = {
        (Audience.EVERYONE, Audience.EVERYONE): (200, 200, 200),
        (Audience.EVERYONE, Audience.ORGANISERS): (404, 200, 200),
        (Audience.ORGANISERS, Audience.EVERYONE): (404, 404, 200),
        (Audience.PARTICIPANTS, Audience.PARTICIPANTS): (404, 200, 200),
    }
    for (qrels, files), expected in cases.items():
        shown(campaign, qrels_audience=qrels, run_files_audience=files)
        for name in NAMES:
            people = (None, own, organiser)
            assert tuple(get(name, "x1", person).status_code for person in people) == expected
    shown(campaign, qrels_audience=Audience.EVERYONE, run_files_audience=Audience.ORGANISERS)
    assert {get(name, "y1", own).status_code for name in NAMES} == {404}


def test_what_it_alone_found_needs_the_board(campaign: Campaign) -> None:
    own = User.objects.get(email="x@example.org")
    hidden = {"board_audience": Audience.ORGANISERS, "qrels_audience": Audience.EVERYONE}
    shown(campaign, **hidden)
    assert {name: get(name, "x1", own).status_code for name in NAMES} == {
        name: 404 if "unique" in name else 200 for name in NAMES
    }
    assert b"Unique relevant documents" not in get("run-documents", "x1", own).content


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("run-documents", {"topic": "4"}),
        ("run-documents-csv", {"topic": "canary"}),
        ("run-documents", {"page": "2"}),
        ("run-documents", {"page": "x"}),
        ("run-unjudged", {"p": "0.7"}),
        ("run-unique", {"depth": "3"}),
    ],
)
def test_what_is_not_offered_is_not_there(
    campaign: Campaign, name: str, asked: dict[str, str]
) -> None:
    assert get(name, "x1", **asked).status_code == 404


def test_without_judgments_only_the_ranking_is_there(campaign: Campaign) -> None:
    Campaign.objects.update(active_qrels=None)
    rows = table("run-documents-csv", "x1", topic="1")
    assert [(row["doc_id"], row["grade"]) for row in rows] == [(each, "") for each in "baxcnyd"]
    assert "There are no judgments yet" in finding_of(get("run-documents", "x1"))
    for name in ("run-unjudged", "run-unique"):
        assert finding_of(get(name, "x1")).startswith("There are no judgments yet")
    assert table("run-unjudged-csv", "x1") == table("run-unique-csv", "x1") == []


@pytest.mark.parametrize("name", ["run-documents", "run-unjudged", "run-unique"])
def test_few_queries(
    campaign: Campaign, name: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    asked = {"depth": "any"} if name == "run-unique" else {}
    get(name, "x2", **asked)
    perform_jobs()
    client = Client()
    url = reverse(f"scoring:{name}", args=["c", Run.objects.get(tag="x1").public_id])
    client.force_login(make_organiser(campaign))
    with django_assert_max_num_queries(12):
        assert on_page(client.get(url, asked))
