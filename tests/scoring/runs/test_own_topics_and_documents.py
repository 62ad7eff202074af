"""What a team sees of its own runs where it sees nothing of others: scores by topic, the comparison
of two of its runs, and its documents with their judgments."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Audience, Campaign, Preset, Run, User
from campaigns.models.showing import TABLES
from tests.scoring.runs.test_run_documents import campaign, get, on_page, shown

__all__ = ["campaign"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]
PARTICIPANTS, NOBODY = Audience.PARTICIPANTS, Audience.ORGANISERS
DOCUMENTS = ("run-documents", "run-documents-csv", "run-unjudged", "run-unjudged-csv")
UNIQUE = ("run-unique", "run-unique-csv", "run-unique-runs-csv")
HIDDEN = {
    "runs_audience": NOBODY, "board_audience": NOBODY, "per_topic_audience": NOBODY,
    "qrels_audience": NOBODY, "run_files_audience": NOBODY, "shows_own_scores": True,
}  # fmt: skip


def person(name: str) -> User:
    return User.objects.get(email=f"{name}@example.org")


def statuses(names: tuple[str, ...], tag: str, who: User) -> set[int]:
    return {get(name, tag, who).status_code for name in names}


def compare(who: User, name: str = "compare", *args: str, **asked: str) -> HttpResponse:
    client = Client()
    client.force_login(who)
    return client.get(reverse(f"scoring:{name}", args=["c", *args]), asked)


def ids(*tags: str) -> list[str]:
    return [Run.objects.get(tag=tag).public_id for tag in tags]


def test_a_team_sees_its_own_documents_and_those_of_no_other(campaign: Campaign) -> None:
    x, y = person("x"), person("y")
    shown(campaign, **HIDDEN)
    assert statuses(DOCUMENTS, "x1", x) == {404}
    shown(campaign, **HIDDEN | {"shows_own_documents": True})
    assert statuses(DOCUMENTS, "x1", x) == {200}
    assert statuses(DOCUMENTS, "x1", y) == {404}
    assert on_page(get("run-documents", "x1", x)) == list("baxcnyd")
    page = get("run-detail", "x1", x).content.decode()
    assert "Unjudged documents</a>" in page
    assert "Curves</a>" not in page
    assert get("run-curves", "x1", x).status_code == 404
    assert compare(x, "qrels-diff", "1", "2").status_code == 404
    Campaign.objects.update(board_audience=Audience.EVERYONE, runs_audience=Audience.EVERYONE)
    assert statuses(UNIQUE, "x1", x) == {404}  # they tell about the runs of others too
    assert "Unique relevant documents" not in get("run-detail", "x1", x).content.decode()


def test_documents_are_hidden_before_the_topics_are_released(campaign: Campaign) -> None:
    future = lifecycle.timezone.now() + lifecycle.timedelta(days=1)
    switches = {"shows_own_documents": True, "shows_own_topics": True}
    shown(campaign, **HIDDEN | switches, topics_released_at=future)
    x = person("x")
    assert statuses(DOCUMENTS, "x1", x) == {404}
    assert "Scores by topic" not in get("run-detail", "x1", x).content.decode()
    assert "Only the organisers see the leaderboard" in compare(x).content.decode()


def test_a_student_sees_own_scores_by_topic_and_compares_two_own_runs(campaign: Campaign) -> None:
    """In the preset for a classroom, before publication."""
    Campaign.objects.update(stage="open")
    table = TABLES[Preset.CLASS_ROOM]()
    lifecycle.change_visibility(campaign=campaign, preset="classroom", table=table, actor=None)
    x, y = person("x"), person("y")
    own, others = (get("run-detail", tag, x).content.decode() for tag in ("x1", "y1"))
    assert "Scores by topic" in own
    assert "Compare with another of your runs" in own
    assert "median run" not in own  # which would tell about the topics of others
    assert "Scores by topic" not in others
    # Which ranks are relevant are judgments.
    assert get("run-precision-csv", "x1", x, topic="1").status_code == 404
    first, second = ids("x1", "x2")
    page = compare(x, a=first, b=second)
    assert page.status_code == 200
    text = page.content.decode()
    assert re.findall(r'<option value="(\w+)"', text.split('id="b"')[0]) == sorted(
        [first, second], key=text.index
    )
    assert ids("y1")[0] not in text
    assert compare(x, "compare-csv", a=first, b=second).status_code == 200
    assert compare(x, a=first, b=ids("y1")[0]).status_code == 404
    assert "Only one of your runs is ranked" in compare(y).content.decode()
    Run.objects.filter(tag="y1").update(withdrawn_at=lifecycle.timezone.now())
    assert "your own runs here, and none of them has a score" in compare(y).content.decode()
    client = Client()
    client.force_login(x)
    board = client.get(reverse("scoring:leaderboard", args=["c"])).content.decode()
    assert set(re.findall(r'name="run" value="(\w+)"', board)) == {first, second}
    assert compare(x, "compare-topic", "1").status_code == 404
    Campaign.objects.update(shows_own_documents=True)
    sides = compare(x, "compare-topic", "1", a=first, b=second)
    assert sides.status_code == 200
    assert ids("y1")[0] not in sides.content.decode()


def test_without_the_leaderboard_a_comparison_has_no_curves(campaign: Campaign) -> None:
    shown(campaign, **HIDDEN | {"shows_own_topics": True})
    first, second = ids("x1", "x2")
    page = compare(person("x"), a=first, b=second)
    assert page.status_code == 200
    assert page.context["rendered"].analysis is None
    assert "as a function of p" not in page.content.decode()
    assert "Leave one team out" not in page.content.decode()
    bands = compare(person("x"), "compare-bands-csv", a=first, b=second)
    assert len(bands.content.decode().splitlines()) == 1  # the head
    stranger = Client().get(reverse("scoring:compare-csv", args=["c"]))
    assert stranger.status_code == 404
