"""Two rankings of a topic side by side, against the lines they came from; and who sees them."""

import csv
import io
import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Audience, Campaign, Run, User
from tests.making import make_organiser
from tests.scoring.output.test_latex import rows_of
from tests.scoring.runs.test_run_documents import (
    RUNS,
    TOPICS,
    campaign,
    finding_of,
    grade_of,
    shown,
)

__all__ = ["campaign"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups")]


def ids(*tags: str) -> dict[str, str]:
    found = [Run.objects.get(tag=tag).public_id for tag in tags]
    return dict(zip("ab", found, strict=False))


def get(name: str, code: str, person: User | None = None, **asked: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=["c", code]), asked)


def table(code: str, **asked: str) -> list[dict[str, str]]:
    response = get("compare-topic-csv", code, **asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.mark.parametrize("code", TOPICS)
def test_each_document_knows_its_rank_in_the_other(campaign: Campaign, code: str) -> None:
    rows = table(code, **ids("x1", "y1"))
    lists = {"a": RUNS["x1"].get(code, ""), "b": RUNS["y1"].get(code, "")}
    assert len(rows) == max(map(len, lists.values()))
    for side, other in (("a", "b"), ("b", "a")):
        told = [
            (row[f"{side}_doc_id"], row[f"{side}_grade"], row[f"{side}_rank_in_{other}"])
            for row in rows
        ]
        expected = [
            (
                document,
                "" if grade_of(code, document) is None else str(grade_of(code, document)),
                str(lists[other].index(document) + 1) if document in lists[other] else "",
            )
            for document in lists[side]
        ]
        assert told == expected + [("", "", "")] * (len(rows) - len(expected))
    page = get("compare-topic", code, **ids("x1", "y1"))
    ranks = re.findall(r'<tr data-rank="(\d+)"', page.content.decode())
    assert ranks == [row["rank"] for row in rows]


def test_api_and_latex_have_the_same_rows(campaign: Campaign) -> None:
    """baxcnyd and gacb on topic 1: the first document of each is at ranks 4 and none of the
    other."""
    both = ids("x1", "x2")
    rows = Client().get("/api/campaigns/c/compare/topics/1/", both).json()
    assert table("1", **both) == [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in rows
    ]
    first = rows[0]
    assert (first["a_doc_id"], first["a_rank_in_b"]) == ("b", 4)
    assert (first["b_doc_id"], first["b_rank_in_a"]) == ("g", None)
    assert rows[-1]["b_doc_id"] is None
    printed = rows_of(get("compare-topic-latex", "1", **both).content.decode())
    grades = ["–" if grade_of("1", each) is None else str(grade_of("1", each)) for each in "bg"]
    assert printed[0][1::3] == ["x1", "x2"]
    assert printed[1] == ["1", "b", grades[0], "4", "g", grades[1], "–"]
    assert printed[-1][4:] == ["–", "–", "–"]
    assert Client().get("/api/campaigns/c/compare/topics/a/2/", both).status_code == 200


def test_the_finding_counts_what_one_alone_found(campaign: Campaign) -> None:
    """baxcnyd and gacb on topic 1 share b, a and c; of the rest d and g are relevant."""
    page = get("compare-topic", "1", **ids("x1", "x2"))
    assert finding_of(page) == (
        "x1 and x2 have 3 documents in common. Relevant documents that only one run retrieved: "
        "1 by x1, 1 by x2."
    )
    tops = re.findall(
        r'<th scope="row" class="num">(\d+)</th><td class="num">(\d+)</td>'
        r'<td class="num">(\d+)</td><td class="num">(\d+)</td>',
        page.content.decode(),
    )
    assert tops == [("5", "3", "2", "3"), ("7", "3", "3", "3")]


def test_the_page_of_two_runs_leads_there_for_who_may_go(campaign: Campaign) -> None:
    client, url = Client(), reverse("scoring:compare", args=["c"])
    link = reverse("scoring:compare-topic", args=["c", "a/2"])
    assert link in client.get(url, ids("x1", "y1")).content.decode()
    shown(campaign, run_files_audience=Audience.ORGANISERS)
    assert link not in client.get(url, ids("x1", "y1")).content.decode()


def test_it_needs_scores_by_topic_qrels_and_both_files(campaign: Campaign) -> None:
    own, organiser = User.objects.get(email="x@example.org"), make_organiser(campaign)
    both = ids("x1", "y1")
    for switch in ("per_topic_audience", "qrels_audience", "run_files_audience"):
        everything = dict.fromkeys(("qrels_audience", "run_files_audience"), Audience.EVERYONE)
        shown(campaign, **{**everything, switch: Audience.ORGANISERS})
        for name in ("compare-topic", "compare-topic-csv"):
            assert get(name, "1", own, **both).status_code == 404
            assert get(name, "1", organiser, **both).status_code == 200
        found = Client().get("/api/campaigns/c/compare/topics/1/", both)
        # Where files are hidden, no run is offered to others, so that there is none to be wrong.
        assert found.json() == [] if switch == "run_files_audience" else found.status_code == 404
    # Who sees the qrels but no other team's files compares runs of the own team.
    shown(campaign, qrels_audience=Audience.EVERYONE, run_files_audience=Audience.ORGANISERS)
    page = get("compare-topic", "1", own)
    assert page.status_code == 200
    assert Run.objects.get(tag="y1").public_id not in page.content.decode()


@pytest.mark.parametrize(
    ("code", "asked"), [("4", {}), ("1", {"a": "nobodysrun"}), ("1", {"page": "2"})]
)
def test_what_is_not_there_is_not_found(
    campaign: Campaign, code: str, asked: dict[str, str]
) -> None:
    for name in ("compare-topic", "compare-topic-csv"):
        if name == "compare-topic" or "page" not in asked:
            assert get(name, code, **asked).status_code == 404


def test_without_judgments_it_says_so(campaign: Campaign) -> None:
    Campaign.objects.update(active_qrels=None)
    assert "no judgments yet" in finding_of(get("compare-topic", "1"))
    assert table("1") == []


def test_few_queries(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = Client()
    client.force_login(make_organiser(campaign))
    with django_assert_max_num_queries(12):
        response = client.get(reverse("scoring:compare-topic", args=["c", "1"]), ids("x1", "y1"))
    assert b"data-rank" in response.content
