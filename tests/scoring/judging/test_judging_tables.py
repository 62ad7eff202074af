"""The tables of plans and of the progress of judging in the API and in LaTeX: the rows of their CSV
files, with values worked by hand on the paper's Table 1."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from scoring.judging.plan_table_views import TABLES
from tests.flow_world import perform_jobs
from tests.making import give_file, make_qrels, make_user
from tests.scoring.judging.test_plan_page import (
    CHOSEN,
    campaign,
    get,
    judge,
    organiser_client,
    table,
)
from tests.scoring.output.test_latex import rows_of

__all__ = ["campaign", "organiser_client"]  # the fixtures: four runs of one topic

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]

API = "/api/campaigns/planned/judging/"
# A row of each table, its place and some of its cells in LaTeX: 18, 10 and 15 are relevant.
PRINTED = {
    "runs": (4, {0: "4", 1: "run4", 4: "+1.000", 6: "+0.344"}),  # .344064 in the paper's example
    "curve": (1, {0: "0", 1: "1.000", 2: "–"}),
    "topics": (1, {0: "1", 1: "0", 2: "6"}),
    "overlap": (1, {0: "method", 1: "pooling", 2: "pooling", 3: "6"}),
    "simulation": (2, {0: "2", 1: "A", 2: "2", 3: "1"}),  # A judges 18 and 22
    "residuals": (1, {0: "A, p = 0.5", 1: "0.5"}),
}


def as_cells(row: dict[str, object]) -> dict[str, str]:
    return {key: "" if value is None else str(value) for key, value in row.items()}


@pytest.mark.parametrize("name", TABLES)
def test_a_forecast_has_the_same_rows_in_all_formats(
    organiser_client: Client, campaign: Campaign, name: str
) -> None:
    give_file(make_qrels(campaign), b"1 0 18 1\n1 0 10 1\n1 0 22 0\n1 0 15 1\n1 0 84 1\n")
    assert organiser_client.get(f"{API}plan/{name}/", CHOSEN).status_code == 202
    rows = table(organiser_client, f"judging-plan-{name}-csv", **CHOSEN)
    found = organiser_client.get(f"{API}plan/{name}/", CHOSEN).json()
    assert list(map(as_cells, found)) == rows
    latex = get(organiser_client, f"judging-plan-{name}-latex", **CHOSEN)
    printed = rows_of(latex.content.decode())
    assert len(printed) == 1 + len(rows)
    place, cells = PRINTED[name]
    assert {at: printed[place][at] for at in cells} == cells


def test_an_invalid_plan_is_refused_with_the_reason(
    organiser_client: Client, campaign: Campaign
) -> None:
    """It had an empty table."""
    for params, why in (
        ({"amount": "0"}, "Plan at least one document."),
        ({"method": "none"}, "Select a valid choice."),
        ({"method": "A", "amount": "5", "unit": "depth"}, "Only pooling has a pool depth."),
    ):
        refused = organiser_client.get(f"{API}plan/runs/", params)
        assert refused.status_code == 400
        assert why in refused.json()["message"]
        file = get(organiser_client, "judging-plan-runs-csv", **params)
        assert file.status_code == 404
        assert why in file.content.decode()
    assert organiser_client.get(f"{API}plan/topics/", {"order": "AP"}).status_code == 400


def test_the_progress_has_the_same_rows_in_all_formats(
    organiser_client: Client, campaign: Campaign
) -> None:
    """Of run4, 18 and 10 are at ranks 1 and 2 of the paper's example: a base of .2 + .16."""
    organiser_client.post(reverse("scoring:judging-plan", args=["planned"]), CHOSEN)
    perform_jobs()
    grades = {"18": 1, "22": 0, "11": 0, "10": 1, "21": 0}
    judge(campaign.plans.get(), make_user(), grades)
    rows = table(organiser_client, "judging-csv", after="1")
    found = organiser_client.get(f"{API}runs/", {"after": "1"}).json()
    assert list(map(as_cells, found)) == rows
    by_run = {row["run"]: row for row in found}
    assert by_run["run4"]["base"] == pytest.approx(0.36, abs=1e-12)
    assert by_run["run4"]["residual_forecast"] == pytest.approx(0.344064, abs=1e-12)
    printed = rows_of(get(organiser_client, "judging-latex").content.decode())
    assert {row[1]: row[3] for row in printed}["run4"] == "0.360"
    assert organiser_client.get(f"{API}topics/").json() == [
        {"topic": "1", "created": 6, "judged": 5, "left": 1}
    ]
    assert rows_of(get(organiser_client, "judging-topics-latex").content.decode()) == [
        ["topic", "created", "judged", "left"],
        ["1", "6", "5", "1"],
    ]
    for strange in ("-1", "x"):
        assert organiser_client.get(f"{API}runs/", {"after": strange}).status_code == 400


def test_without_a_plan_the_progress_is_empty(organiser_client: Client) -> None:
    assert organiser_client.get(f"{API}runs/").json() == []
    assert organiser_client.get(f"{API}topics/").json() == []
    assert len(rows_of(get(organiser_client, "judging-latex").content.decode())) == 1
    assert Client().get(f"{API}runs/").status_code == 404
    assert get(Client(), "judging-latex").status_code == 302
