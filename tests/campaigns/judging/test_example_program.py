"""The script of the documentation that judges by API, with a stand-in for a model."""

from typing import Any

import pytest

from campaigns.judging.program_judgments import grades_of
from campaigns.models import Document
from docs.examples import judge as script
from tests.campaigns.judging.making import make_plan
from tests.campaigns.judging.programs import client_of_program, make_program
from tests.making import make_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]


@pytest.mark.parametrize(
    ("title", "text", "grade"),
    [
        ("", "Night trains of Europe", 3),
        ("Night", "owls", 2),  # 1.5 of 3, rounded to even
        ("Trains, by day", "", 2),
        ("", "bicycle helmets", 0),
    ],
)
def test_the_stand_in_grades_by_shared_words(title: str, text: str, grade: int) -> None:
    assert script.word_overlap([["title", "night trains"]], title, text, 3) == grade
    assert script.word_overlap([], title, text, 3) == 0


def test_the_script_judges_every_document_once(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign(highest_grade=3)
    documents = tuple(f"d{number}" for number in range(60))  # more than one batch
    make_plan(campaign, tasks=documents, topics=("1", "2"))
    Document.objects.create(campaign=campaign, doc_id="d7", text="topic")
    Document.objects.create(campaign=campaign, doc_id="d8", text="of topic 2")
    program = make_program(campaign)
    client = client_of_program(program)
    asked: list[str] = []

    def call(url: str, token: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        asked.append(url)
        path = url.removeprefix("https://site.example")
        answer = client.post(path, body, format="json") if body else client.get(path)
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    monkeypatch.setattr(script, "call", call)
    assert script.judge("https://site.example/", campaign.slug, "token") == 120
    grades = grades_of(program)
    assert len(grades) == program.judgments.count() == 120
    given = {key[1:]: grade for key, grade in grades.items() if grade}
    assert given == {("1", "d7"): 2, ("2", "d7"): 2, ("1", "d8"): 2, ("2", "d8"): 3}
    assert len(asked) == 7  # three batches, their grades, and an empty batch
    assert script.judge("https://site.example", campaign.slug, "token") == 0


def test_another_function_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan(tasks=("d1",))
    program = make_program(plan.campaign)
    client = client_of_program(program)
    monkeypatch.setattr(
        script,
        "call",
        lambda url, token, body=None: (
            client.post(url, body, format="json") if body else client.get(url)
        ).json(),
    )
    script.judge("", plan.campaign.slug, "token", lambda *about: about[3])
    assert list(grades_of(program).values()) == [3]
