"""Curves of a run through the site: the numbers of the board and of the catalogue, and who sees
them."""

import csv
import io
import json
import re
from collections import defaultdict

import pytest
from django.core.files.base import ContentFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Audience, Campaign, Run, User
from campaigns.qrels.versions import add_qrels
from campaigns.runs import submission
from scoring.models import Score
from tests.flow_world import perform_jobs
from tests.making import make_campaign, make_organiser, make_team, make_user
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]
ELEVEN = [f"IPrec@{level / 10:g}" for level in range(11)]
GRADES = {
    "1": {"a": 2, "b": 0, "c": 1, "d": 1, "z": 1},
    "2": {"b": 1, "e": 0},
    "3": {"a": 0},  # nothing relevant is known
}
RUN = {"1": "baxcyd", "2": "eb", "3": "abc"}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(
        slug="c", topics=("1", "2", "3"), highest_grade=2, persistences=[0.5, 0.8],
        measures=["AP", *ELEVEN],
    )  # fmt: skip
    team = make_team(campaign, make_user("own@example.org"))
    lines = [
        f"{topic} Q0 {document} {rank} {10 - rank} tag\n"
        for topic, documents in RUN.items()
        for rank, document in enumerate(documents)
    ]
    with submission.stored_upload(ContentFile("".join(lines).encode(), name="run.txt")) as file:
        submission.submit_run(
            campaign=campaign, team=team, person=None, file=file, submitted_at=timezone.now(),
            description="",
        )  # fmt: skip
    judge(campaign)
    return shown(campaign)


def judge(campaign: Campaign) -> None:
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


def shown(campaign: Campaign, **switches: object) -> Campaign:
    Campaign.objects.filter(pk=campaign.pk).update(**{**SHOWN, **switches})
    return Campaign.objects.get(pk=campaign.pk)


def get(name: str = "run-curves", person: User | None = None, **asked: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    url = reverse(f"scoring:{name}", args=["c", Run.objects.get(tag="tag").public_id])
    return client.get(url, asked)


def table(name: str, **asked: str) -> list[dict[str, str]]:
    response = get(name, **asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def stored(measure: str) -> Score:
    return Score.objects.get(measure=measure)


@pytest.mark.parametrize(("gain", "name"), [("binary", "RBP(p={})"), ("map", "RBP(p={},gain=map)")])
def test_at_its_end_a_curve_is_where_the_board_is(campaign: Campaign, gain: str, name: str) -> None:
    by_depth, by_p = table("run-depth-csv", gain=gain), table("run-p-csv", gain=gain)
    for p in ("0.5", "0.8"):
        score = stored(name.format(p))
        ends = [
            max((row for row in by_depth if row["p"] == p), key=lambda row: int(row["depth"])),
            *(row for row in by_p if row["p"] == p),
        ]
        assert [row["gain"] for row in ends] == [gain, gain]
        for row in ends:
            assert float(row["base"]) == pytest.approx(score.mean_base, abs=1e-12)
            assert float(row["residual"]) == pytest.approx(score.mean_residual, abs=1e-12)


def test_a_depth_of_one_by_hand(campaign: Campaign) -> None:
    """Both topics that count begin with a document of grade 0, so nothing is known to be gained
    and half is open at p = .5; the next two are a (relevant) and b (relevant)."""
    rows = [row for row in table("run-depth-csv") if row["p"] == "0.5"]
    assert [row["depth"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert [float(row["base"]) for row in rows[:2]] == [0, 0.25]
    assert [float(row["residual"]) for row in rows[:2]] == [0.5, 0.25]


def test_eleven_points_are_those_of_the_catalogue_and_of_their_definition(
    campaign: Campaign,
) -> None:
    rows = table("run-recall-csv", topic="1")
    assert [row["recall"] for row in rows] == [str(level / 10) for level in range(11)]
    for row, name in zip(rows, ELEVEN, strict=True):
        assert float(row["mean"]) == pytest.approx(stored(name).mean_base, abs=1e-12)
        curves = [interpolated(topic, float(row["recall"])) for topic in ("1", "2")]
        assert float(row["topic_precision"]) == pytest.approx(curves[0], abs=1e-12)
        assert float(row["mean"]) == pytest.approx(sum(curves) / 2, abs=1e-12)


def interpolated(topic: str, level: float) -> float:
    """The highest precision at this recall or more, from the lines alone."""
    points = points_of(topic)
    return max((precision for recall, precision in points if recall >= level - 1e-9), default=0)


def points_of(topic: str) -> list[tuple[float, float]]:
    grades = defaultdict(int, GRADES[topic])
    known, found, points = sum(grade > 0 for grade in grades.values()), 0, []
    for rank, document in enumerate(RUN[topic], start=1):
        found += grades[document] > 0
        points.append((found / known, found / rank))
    return points


def test_the_saw_teeth_are_every_rank_of_the_topic(campaign: Campaign) -> None:
    rows = table("run-precision-csv", topic="1")
    assert [(float(row["recall"]), float(row["precision"])) for row in rows] == points_of("1")
    assert [row["relevant"] for row in rows] == ["0", "1", "0", "1", "0", "1"]
    assert [row["interpolated"] for row in rows] == ["0.5"] * 6
    assert table("run-precision-csv", topic="3") == []
    text = get(topic="3").content.decode()
    assert "No relevant document of this topic is known." in text
    assert re.findall(r'<option value="(\w+)" (?:selected)?>\w+ topic', text) == ["1", "2"]


def test_the_drawn_teeth_turn_where_the_curve_does(campaign: Campaign) -> None:
    """On topic 1 every second document is relevant, so that no rank is left out."""
    text = get(topic="1").content.decode()
    found = re.search(r'id="saw-tooth"[^>]*>({.*?})</script>', text, re.S)
    assert found is not None
    teeth, steps = json.loads(found[1])["data"]
    assert list(zip(teeth["x"], teeth["y"], strict=True)) == points_of("1")
    assert (steps["x"][0], set(steps["y"])) == (0, {0.5})


@pytest.mark.parametrize("asked", [{"gain": "exp"}, {"topic": "4"}, {"topic": "canary"}])
def test_what_is_not_offered_is_not_there(campaign: Campaign, asked: dict[str, str]) -> None:
    for name in ("run-curves", "run-depth-csv", "run-recall-csv"):
        assert get(name, **asked).status_code == 404


@pytest.mark.parametrize("curve", ["depth", "p", "recall", "precision"])
def test_every_curve_is_the_same_in_the_api_and_has_latex(curve: str, campaign: Campaign) -> None:
    run = campaign.runs.get()
    rows = table(f"run-{curve}-csv")
    url = f"/api/campaigns/c/runs/{run.public_id}/curves/{curve}/"
    assert rows
    assert [
        {key: "" if value is None else str(value) for key, value in row.items()}
        for row in Client().get(url).json()
    ] == rows
    latex = get(f"run-{curve}-latex").content.decode()
    assert latex.count(r" \\") == len(rows) + 1


NAMES = ("run-curves", "run-depth-csv", "run-p-csv", "run-recall-csv", "run-precision-csv")


def test_own_scores_alone_open_no_curve(campaign: Campaign) -> None:
    own = User.objects.get(email="own@example.org")
    hidden = {"board_audience": Audience.ORGANISERS, "shows_own_scores": True}
    shown(campaign, **hidden)
    assert {get(name, own).status_code for name in NAMES} == {404}
    detail = reverse("scoring:run-detail", args=["c", Run.objects.get().public_id])
    client = Client()
    client.force_login(own)
    assert b"Curves" not in client.get(detail).content
    # Who is shown the qrels can draw the curves of the own file without us.
    shown(campaign, **hidden, qrels_audience=Audience.EVERYONE)
    assert {get(name, own).status_code for name in NAMES} == {200}
    assert {get(name, make_user()).status_code for name in NAMES} == {404}


def test_curves_of_one_topic_need_scores_by_topic(campaign: Campaign) -> None:
    shown(campaign, per_topic_audience=Audience.ORGANISERS)
    assert get().status_code == 200
    assert b"rank by rank" not in get().content
    assert table("run-precision-csv") == []
    assert {row["topic_precision"] for row in table("run-recall-csv")} == {""}
    assert get(topic="1").status_code == get(topic="nothing").status_code == 404


def test_without_judgments_there_is_nothing_to_draw(campaign: Campaign) -> None:
    Campaign.objects.update(active_qrels=None)
    assert "there are no judgments" in get().content.decode()
    assert table("run-depth-csv") == table("run-recall-csv") == []


def test_few_queries(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        assert b"eleven-points" in get().content
