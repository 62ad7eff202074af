"""Programs judge by API: documents, grades and progress, and every request that is refused."""

from typing import Any

import pytest
from rest_framework.response import Response
from rest_framework.test import APIClient

from campaigns.judging import assessment_page, plans, programs, tasks
from campaigns.judging.final_grades import final_grades
from campaigns.judging.program_judgments import grades_of
from campaigns.models import (
    Campaign,
    Claim,
    Document,
    Judgment,
    Plan,
    Program,
    ProgramJudgment,
)
from tests.campaigns.api.conftest import client_of, faulty
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.campaigns.judging.programs import client_of_program, make_program
from tests.making import make_campaign, make_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]


@pytest.fixture
def plan() -> Plan:
    return make_plan(make_campaign(highest_grade=3), topics=("1", "2"))


@pytest.fixture
def campaign(plan: Plan) -> Campaign:
    return plan.campaign


@pytest.fixture
def program(campaign: Campaign) -> Program:
    return make_program(campaign)


@pytest.fixture
def client(program: Program) -> APIClient:
    return client_of_program(program)


def url(campaign: Campaign, part: str) -> str:
    return f"/api/campaigns/{campaign.slug}/judging/{part}/"


def send(client: APIClient, campaign: Campaign, *grades: tuple[str, str, object]) -> Response:
    rows = [{"topic": topic, "doc_id": doc_id, "grade": grade} for topic, doc_id, grade in grades]
    return client.post(url(campaign, "judgments"), {"judgments": rows}, format="json")


def progress(client: APIClient, campaign: Campaign) -> dict[str, Any]:
    return client.get(url(campaign, "progress")).json()


def test_a_program_reads_documents_with_topic_and_text_and_sends_grades(
    client: APIClient, campaign: Campaign, program: Program
) -> None:
    Document.objects.create(campaign=campaign, doc_id="d2", title="Title", text="Some text.")
    read = client.get(url(campaign, "next"), {"limit": 4}).json()
    assert read["highest_grade"] == 3
    assert [topic["code"] for topic in read["topics"]] == ["1", "2"]
    assert read["topics"][0]["fields"] == [["title", "topic 1"]]
    assert [(row["topic"], row["doc_id"]) for row in read["documents"]] == [
        ("1", "d1"), ("1", "d2"), ("1", "d3"), ("2", "d1")
    ]  # fmt: skip
    assert read["documents"][1] == {
        "topic": "1", "doc_id": "d2", "title": "Title", "text": "Some text.", "address": ""
    }  # fmt: skip
    sent = send(client, campaign, ("1", "d1", 3), ("1", "d2", 0))
    assert (sent.status_code, sent.json()) == (
        200,
        {
            "added": 2, "changed": 0, "unchanged": 0, "program": program.name, "selected": 6,
            "judged": 2, "left": 4, "quota_left": None,
        },
    )  # fmt: skip
    read = client.get(url(campaign, "next"), {"topic": "1"}).json()
    assert [row["doc_id"] for row in read["documents"]] == ["d3"]
    assert grades_of(program) == {(0, "1", "d1"): 3, (0, "1", "d2"): 0}


def test_the_same_grade_twice_is_one_judgment_and_another_grade_replaces_it(
    client: APIClient, campaign: Campaign, program: Program
) -> None:
    send(client, campaign, ("1", "d1", 1), ("1", "d1", 1))
    again = send(client, campaign, ("1", "d1", 1), ("1", "d2", 2)).json()
    assert (again["added"], again["changed"], again["unchanged"]) == (1, 0, 1)
    changed = send(client, campaign, ("1", "d1", 0)).json()
    assert (changed["added"], changed["changed"], changed["judged"]) == (0, 1, 2)
    assert grades_of(program) == {(0, "1", "d1"): 0, (0, "1", "d2"): 2}
    assert ProgramJudgment.objects.count() == 3


def test_programs_and_people_judge_the_same_documents_independently(
    client: APIClient, campaign: Campaign, plan: Plan
) -> None:
    person, topic = make_assessor(campaign), topic_of(plan)
    send(client, campaign, ("1", "d1", 3), ("1", "d2", 3), ("1", "d3", 3))
    judged = []
    while (task := tasks.claim_next(assessor=person, topic=topic).task) is not None:
        tasks.judge(assessor=person, topic=topic, doc_id=task.doc_id, grade=0)
        judged.append(task.doc_id)
    assert judged == ["d1", "d2", "d3"]
    assert [each.grade for each in final_grades(campaign.judgments.all()).values()] == [0, 0, 0]
    assert Judgment.objects.count() == Claim.objects.count() == 3
    assert progress(client, campaign)["left"] == 3  # of the other topic
    assert assessment_page.progress_by_topic(plan, [topic], person)[topic.pk].judged == 3


@pytest.mark.parametrize(
    ("grades", "faults"),
    [
        ([("1", "d1", 4)], [("judgments.0.grade", "grade")]),
        ([("1", "d1", 1), ("1", "d2", -1)], [("judgments.1.grade", "grade")]),
        ([("1", "d1", "high")], [("judgments.0.grade", "invalid")]),
        ([("1", "d1", 1.5)], [("judgments.0.grade", "invalid")]),
        ([("1", "d9", 1)], [("judgments.0.doc_id", "unknown_document")]),
        ([("7", "d1", 1)], [("judgments.0.topic", "unknown_topic")]),
        ([("1", "d1", 1), ("1", "d1", 2)], [("judgments.1.grade", "two_grades")]),
        (
            [("1", "d1", 1), ("7", "d1", 9)],
            [("judgments.1.topic", "unknown_topic"), ("judgments.1.grade", "grade")],
        ),
        ([], [("judgments", "empty")]),
        ([("1", "d1", 1)] * 1001, [("judgments", "max_length")]),
    ],
)
def test_a_request_with_a_fault_is_refused_and_stores_nothing(
    client: APIClient,
    campaign: Campaign,
    grades: list[tuple[str, str, object]],
    faults: list[tuple[str, str]],
) -> None:
    assert faulty(send(client, campaign, *grades)) == faults
    assert ProgramJudgment.objects.count() == 0


def test_every_fault_is_said_in_words(client: APIClient, campaign: Campaign) -> None:
    rows = [("1", "d1", 4), ("1", "d9", 1), ("7", "d1", 1), ("1", "d2", 1), ("1", "d2", 2)]
    fields = send(client, campaign, *rows).json()["fields"]
    assert [fault["message"] for fault in fields] == [
        "Grades are whole numbers from 0 to 3.",
        "The judging plan has not selected d9 for topic 1.",
        "The campaign has no topic 7.",
        "The request gives d2 of topic 1 two different grades.",
    ]


def test_nothing_is_accepted_after_the_plan_ended(
    client: APIClient, campaign: Campaign, plan: Plan
) -> None:
    plans.end_plan(plan=plan, actor=None)
    for response in (send(client, campaign, ("1", "d1", 1)), client.get(url(campaign, "next"))):
        assert response.status_code == 409
        assert response.json() == {
            "code": "cannot_judge",
            "message": "The judging plan has ended, so no further judgments are accepted.",
        }
    assert ProgramJudgment.objects.count() == 0
    assert progress(client, campaign)["left"] == 0


def test_a_pause_gives_out_no_documents_and_keeps_grades(
    client: APIClient, campaign: Campaign, plan: Plan
) -> None:
    plans.pause_plan(plan=plan, actor=None)
    assert client.get(url(campaign, "next")).json()["code"] == "cannot_judge"
    assert send(client, campaign, ("1", "d1", 1)).json()["added"] == 1


def test_a_campaign_without_a_plan_has_nothing_to_judge() -> None:
    campaign = make_campaign()
    client = client_of_program(make_program(campaign))
    answer = client.get(url(campaign, "next"))
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_judge")


def test_an_exhausted_quota_refuses_the_whole_request(campaign: Campaign) -> None:
    program = make_program(campaign, quota=2)
    client = client_of_program(program)
    assert len(client.get(url(campaign, "next")).json()["documents"]) == 2
    refused = send(client, campaign, ("1", "d1", 1), ("1", "d2", 1), ("1", "d3", 1))
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_judge")
    assert "The quota of" in refused.json()["message"]
    assert ProgramJudgment.objects.count() == 0
    assert send(client, campaign, ("1", "d1", 1), ("1", "d2", 1)).json()["quota_left"] == 0
    assert send(client, campaign, ("1", "d1", 2)).json()["changed"] == 1  # no further document
    assert client.get(url(campaign, "next")).json()["documents"] == []
    assert send(client, campaign, ("1", "d3", 1)).status_code == 409


@pytest.mark.parametrize("part", ["next", "progress", "judgments"])
def test_a_token_of_a_person_judges_nothing(campaign: Campaign, part: str) -> None:
    method = "post" if part == "judgments" else "get"
    for person in (make_organiser(campaign), make_assessor(campaign), None):
        answer = getattr(client_of(person), method)(url(campaign, part))
        assert answer.status_code == 401
        assert "token of a program" in answer.json()["message"]
    assert ProgramJudgment.objects.count() == 0


def test_a_token_of_a_program_opens_nothing_else(client: APIClient, campaign: Campaign) -> None:
    other = make_plan(make_campaign()).campaign
    for path in (f"/api/campaigns/{campaign.slug}/", f"/api/campaigns/{campaign.slug}/qrels/"):
        assert client.get(path).status_code == 401
    assert client.get(url(other, "next")).status_code == 404
    assert send(client, other, ("1", "d1", 1)).status_code == 404
    assert client.get(f"/campaigns/{campaign.slug}/judging/programs/").status_code == 302


@pytest.mark.parametrize("end", [programs.revoke_token, programs.retire_program])
def test_a_revoked_token_is_refused(
    client: APIClient, campaign: Campaign, program: Program, end: Any
) -> None:
    assert client.get(url(campaign, "progress")).status_code == 200
    end(program=program, actor=program.added_by)
    assert client.get(url(campaign, "progress")).status_code == 401
    assert send(client, campaign, ("1", "d1", 1)).status_code == 401


def test_a_new_token_replaces_the_one_before(client: APIClient, program: Program) -> None:
    other = client_of_program(program)
    path = url(program.campaign, "progress")
    assert (client.get(path).status_code, other.get(path).status_code) == (401, 200)


def test_a_program_in_an_archived_campaign_stores_nothing(
    client: APIClient, campaign: Campaign
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=campaign.created_at)
    assert send(client, campaign, ("1", "d1", 1)).json()["code"] == "archived"


def test_parameters_that_cannot_be_are_named(client: APIClient, campaign: Campaign) -> None:
    assert faulty(client.get(url(campaign, "next"), {"limit": "201"})) == [("limit", "max_value")]
    assert faulty(client.get(url(campaign, "next"), {"topic": "7"})) == [("topic", "unknown_topic")]
