"""The page on agreement between assessors: the campaign's own rows give the core's numbers, and
the boards of single assessors are what they would be alone."""

import csv
import io

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from scipy import stats

from campaigns.models import Campaign, Judgment, User
from scoring.assessors.agreement import agreement_of
from scoring.output.latex import number
from tests.flow_world import perform_jobs
from tests.making import make_campaign, make_organiser, make_user
from tests.ranked_runs import TABLE_1, table_1
from tests.scoring.output.test_latex import rows_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]

# Ada and Bob grade ten documents of topic 1, Cay three of them.
DOCUMENTS = ("18", "22", "10", "11", "21", "13", "38", "15", "35", "16")
GRADES = {"Ada": "1101100101", "Bob": "1001101001", "Cay": "110"}


@pytest.fixture
def campaign(wake_ups: object) -> Campaign:
    return make_campaign(measures=["P@5"], persistences=[0.8])


@pytest.fixture
def people(campaign: Campaign) -> dict[str, User]:
    found = {name: make_user(name=name) for name in GRADES}
    for name, grades in GRADES.items():
        for doc_id, grade in zip(DOCUMENTS, grades, strict=False):
            judge(campaign, found[name], doc_id, int(grade))
    return found


def judge(campaign: Campaign, person: User, doc_id: str, grade: int, **facts: object) -> Judgment:
    return Judgment.objects.create(
        campaign=campaign,
        topic=campaign.topics.get(code="1"),
        doc_id=doc_id,
        grade=grade,
        assessor=person,
        **facts,
    )


def test_numbers_by_hand(campaign: Campaign, people: dict[str, User]) -> None:
    """Ada and Bob agree on seven of ten: .7 - .5 over .5 with 6·5 + 4·5 of a hundred by chance.
    Of seven documents judged twice four are agreed on, of the three judged thrice one."""
    judge(campaign, people["Ada"], "22", 0, is_adjudication=True)  # tells nothing of agreement
    found = agreement_of(campaign)
    first = found.pairs[0]
    assert (str(first.first), str(first.second), first.documents) == ("Ada", "Bob", 10)
    assert first.raw == pytest.approx(0.7, abs=1e-12)
    assert first.kappa == pytest.approx(0.4, abs=1e-12)
    whole = found.whole.coefficients
    assert (whole.documents, whole.fleiss_documents, whole.fleiss_assessors) == (10, 7, 2)
    assert [row.topic for row in found.by_topic] == ["1"]
    assert found.by_topic[0].coefficients == whole
    # 7 pairs of two, 3 documents of three pairs each; agreed: documents 4 to 10 but for three.
    agreed = sum(a == b for a, b in zip(GRADES["Ada"][3:], GRADES["Bob"][3:], strict=True))
    thrice = [sorted(column) for column in zip(*(GRADES[name][:3] for name in GRADES), strict=True)]
    agreed += sum(3 if len(set(column)) == 1 else 1 for column in thrice)
    assert whole.raw == pytest.approx(agreed / 16, abs=1e-12)


def alone(name: str) -> list[float]:
    """P@5 of the four runs of the paper's Table 1 by one assessor."""
    relevant = {d for d, g in zip(DOCUMENTS, GRADES[name], strict=False) if g == "1"}
    return [sum(doc in relevant for doc in run[:5]) / 5 for run in TABLE_1]


def test_the_page_and_its_tables(client: Client, campaign: Campaign, people: object) -> None:
    table_1(campaign)
    client.force_login(make_organiser(campaign))
    url = reverse("scoring:judging-agreement", args=[campaign.slug])
    first = client.get(url, {"measure": "P@5"})
    assert "Computing the leaderboards" in first.content.decode()
    assert first["Refresh"]
    assert perform_jobs() == 1
    page = client.get(url, {"measure": "P@5", "topic": "1"})
    boards = page.context["boards"]
    assert [(str(b.first), str(b.second or "others")) for b in boards] == [
        ("Ada", "Bob"), ("Ada", "Cay"), ("Bob", "Cay"),
        ("Ada", "others"), ("Bob", "others"), ("Cay", "others"),
    ]  # fmt: skip
    for board in boards[:3]:
        one, other = alone(str(board.first)), alone(str(board.second))
        assert board.tau == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-12)
        assert board.first_mean == pytest.approx(np.mean(one), abs=1e-12)
        assert board.second_mean == pytest.approx(np.mean(other), abs=1e-12)
        assert (board.topics, board.run_pairs) == (1, 6)
    text = client.get(reverse("scoring:judging-boards-csv", args=[campaign.slug]) + "?measure=P@5")
    rows = list(csv.DictReader(io.StringIO(text.content.decode())))
    assert [float(row["tau_b"]) for row in rows] == [board.tau for board in boards]
    text = client.get(reverse("scoring:judging-agreement-csv", args=[campaign.slug]))
    rows = list(csv.DictReader(io.StringIO(text.content.decode())))
    assert [row["scope"] for row in rows] == [
        "campaign", "topic", *["pair"] * 3, *["pair on topic"] * 3
    ]  # fmt: skip
    assert float(rows[2]["cohen"]) == pytest.approx(0.4, abs=1e-12)


def test_api_and_latex_have_the_same_rows(
    client: Client, campaign: Campaign, people: object
) -> None:
    table_1(campaign)
    api = f"/api/campaigns/{campaign.slug}/judging/agreement/"
    files = {
        "agreement": reverse("scoring:judging-agreement-latex", args=[campaign.slug]),
        "boards": reverse("scoring:judging-boards-latex", args=[campaign.slug]),
    }
    assert [client.get(path).status_code for path in files.values()] == [302, 302]
    paths = (api, f"{api}leaderboards/")
    assert [client.get(path).status_code for path in paths] == [404, 404]
    client.force_login(make_organiser(campaign))
    assert client.get(f"{api}leaderboards/", {"measure": "P@5"}).status_code == 202
    perform_jobs()
    rows = client.get(api).json()
    assert [(row["first"], row["second"], row["judged_twice"]) for row in rows[:3]] == [
        (None, None, 10), (None, None, 10), ("Ada", "Bob", 10),
    ]  # fmt: skip
    assert rows[2]["cohen"] == pytest.approx(0.4, abs=1e-12)
    printed = rows_of(client.get(files["agreement"]).content.decode())
    assert len(printed) == 1 + len(rows)
    kappa = r"\ensuremath{\kappa}"
    assert printed[0][6:8] == [kappa, f"linear {kappa}"]
    assert printed[3] == ["pair", "–", "Ada", "Bob", "10", "0.700", "0.400", "0.400", "–", "–"]
    boards = client.get(f"{api}leaderboards/", {"measure": "P@5"}).json()
    assert [row["second"] for row in boards] == ["Bob", "Cay", "Cay", *["others"] * 3]
    assert boards[0]["first_mean"] == pytest.approx(np.mean(alone("Ada")), abs=1e-12)
    printed = rows_of(client.get(files["boards"], {"measure": "P@5"}).content.decode())
    assert printed[1][:2] == ["Ada", "Bob"]
    assert printed[1][7] == number(np.mean(alone("Ada")))


def test_few_queries(
    client: Client, campaign: Campaign, people: object, django_assert_max_num_queries: object
) -> None:
    table_1(campaign)
    client.force_login(make_organiser(campaign))
    url = reverse("scoring:judging-agreement", args=[campaign.slug])
    client.get(url)
    perform_jobs()
    with django_assert_max_num_queries(12):
        assert client.get(url).context["boards"]


def test_an_empty_campaign_says_so(client: Client, campaign: Campaign) -> None:
    client.force_login(make_organiser(campaign))
    page = client.get(reverse("scoring:judging-agreement", args=[campaign.slug]))
    assert "Nothing has been judged yet." in " ".join(page.content.decode().split())
