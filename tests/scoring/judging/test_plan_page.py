"""The judging plan through its pages: the paper's example, forecasts, CSV, and its creation."""

import csv
import io
import itertools
import re
from typing import Any
from unittest import mock

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.judging import plans
from campaigns.judging.plan_form import PlanForm
from campaigns.models import Campaign, Judgment, Plan, Task, User
from scoring.analyses.budget import NewAnalyses
from scoring.core.judging.candidates import collect_candidates
from scoring.core.judging.selection import METHODS
from scoring.evaluation import storage
from scoring.judging import candidates, pool_size_analysis
from scoring.judging.analysis import JUDGING_PLAN, PlanArrays
from scoring.judging.analysis import compute as compute_plan
from scoring.judging.pool_size_analysis import PoolToDepth, compute
from scoring.models import Analysis
from tests.flow_world import perform_jobs
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_scores,
    make_user,
)
from tests.ranked_runs import TABLE_1, ranked_run, table_1

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]

CHOSEN = {"method": "A", "p": "0.8", "amount": "6", "unit": "documents"}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(topics=("1",), slug="planned", persistences=[0.5, 0.8])
    table_1(campaign)
    return campaign


@pytest.fixture
def organiser_client(campaign: Campaign) -> Client:
    browser = Client()
    browser.force_login(make_organiser(campaign))
    return browser


def get(organiser_client: Client, name: str, **params: str) -> HttpResponse:
    return organiser_client.get(reverse(f"scoring:{name}", args=["planned"]), params)


def text_of(response: HttpResponse) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def table(organiser_client: Client, name: str, **params: str) -> list[dict[str, str]]:
    response = get(organiser_client, name, **params)
    if response.status_code == 202:
        perform_jobs()
        response = get(organiser_client, name, **params)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def judge(plan: Plan, assessor: User, grades: dict[str, int | None]) -> None:
    for doc_id, grade in grades.items():
        task = Task.objects.get(plan=plan, doc_id=doc_id)
        Judgment.objects.create(
            campaign_id=plan.campaign_id, topic=task.topic, doc_id=doc_id, grade=grade,
            assessor=assessor, task=task,
        )  # fmt: skip


def test_the_papers_example_is_forecast_created_and_judged_through_the_pages(
    campaign: Campaign, organiser_client: Client
) -> None:
    waiting = get(organiser_client, "judging-plan", **CHOSEN)
    assert "Computing the forecast of this plan" in text_of(waiting)
    assert waiting.headers["Refresh"] == "2"
    perform_jobs()
    page = get(organiser_client, "judging-plan", **CHOSEN)
    # 1 - (.4032512 + .446464 + .6451712 + .344064) / 4 = .5402624 known
    assert "6 more documents by method A would reduce the mean residual" in text_of(page)
    assert "from 1.000 to 0.460" in text_of(page)
    rows = {row["run"]: row for row in table(organiser_client, "judging-plan-runs-csv", **CHOSEN)}
    then = [float(rows[f"run{number}"]["residual_forecast"]) for number in (1, 2, 3, 4)]
    assert then == pytest.approx([0.4032512, 0.446464, 0.6451712, 0.344064], abs=1e-12)
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode()))
    del hidden["csrfmiddlewaretoken"]
    made = organiser_client.post(reverse("scoring:judging-plan", args=["planned"]), hidden)
    assert made.headers["Location"] == reverse("scoring:judging", args=["planned"])
    perform_jobs()
    plan = campaign.plans.get()
    chosen = plan.tasks.order_by("position").values_list("doc_id", flat=True)
    assert list(chosen) == ["18", "22", "11", "10", "21", "13"]
    judge(plan, make_user(), {"18": 1, "22": 0, "11": 0, "10": 1, "21": 0, "13": 0})
    judged = {row["run"]: row for row in table(organiser_client, "judging-csv")}
    shown = [float(judged[f"run{number}"]["residual"]) for number in (1, 2, 3, 4)]
    assert shown == pytest.approx(then, abs=1e-12)
    assert float(judged["run4"]["base"]) == pytest.approx(0.2 + 0.16, abs=1e-12)
    assert "6 of 6 documents judged" in text_of(get(organiser_client, "judging"))


def test_the_residual_falls_document_by_document(organiser_client: Client) -> None:
    rows = table(organiser_client, "judging-plan-curve-csv", **CHOSEN)
    assert [row["documents"] for row in rows] == ["0", "1", "2", "3", "4", "5", "6"]
    means = [float(row["mean_residual"]) for row in rows]
    # each document takes from the sum over the four runs what it weighs at its ranks in them
    ranks = ((1, 6, 7, 2), (2, 1, 4), (5, 3, 4, 3), (7, 2, 1), (1,), (4, 6))
    weights = [sum(0.2 * 0.8 ** (rank - 1) for rank in each) for each in ranks]
    fallen = [4 * (before - after) for before, after in itertools.pairwise(means)]
    assert fallen == pytest.approx(weights, abs=1e-12)
    assert {row["top_third_residual"] for row in rows} == {""}  # there is no order yet


def test_a_pool_is_planned_by_its_depth_and_hours_pay_for_what_is_judged_twice(
    campaign: Campaign, organiser_client: Client
) -> None:
    deep = CHOSEN | {"method": "pooling", "amount": "2", "unit": "depth"}
    assert [
        row["planned"] for row in table(organiser_client, "judging-plan-topics-csv", **deep)
    ] == ["5"]
    assert "the first 2 documents of every contributing run are judged" in text_of(
        get(organiser_client, "judging-plan", **deep)
    )
    hours = CHOSEN | {"amount": "0.25", "unit": "hours", "per_hour": "30", "overlap": "50"}
    assert [
        row["planned"] for row in table(organiser_client, "judging-plan-topics-csv", **hours)
    ] == ["5"]


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("pooling", "Documents of equal rank are judged in the order of the runs"),
        ("A", "Documents of equal weight are judged by topic code"),
        ("MTF", "The topics take turns by topic code"),
        ("MTF", "between runs of equal priority, the one that has just found a relevant document"),
        ("Hedge", "The topics take turns by topic code"),
        ("Hedge", "of equal documents, the one with the lower document id is judged first"),
        (
            "MaxMean",
            "between runs that are equally good so far, the run with the lower tag goes first",
        ),
    ],
)
def test_the_page_explains_how_ties_are_broken(
    organiser_client: Client, method: str, said: str
) -> None:
    params = CHOSEN | {"method": method}
    get(organiser_client, "judging-plan", **params)
    perform_jobs()
    text = text_of(get(organiser_client, "judging-plan", **params))
    assert "ordered by document id, descending, as trec_eval orders them" in text
    assert said in text


def test_the_overlap_of_plans_is_that_of_their_sets(organiser_client: Client) -> None:
    rows = table(organiser_client, "judging-plan-overlap-csv", **CHOSEN)
    shared = {(row["kind"], row["a"], row["b"]): int(row["documents"]) for row in rows}
    pooled = {"18", "22", "21", "10", "35", "15"}  # equal ranks in the order of the runs
    by_a = {"18", "22", "11", "10", "21", "13"}
    assert shared["method", "pooling", "A"] == len(pooled & by_a)
    assert {shared["method", name, name] for name in METHODS} == {6}
    assert shared["p", "0.5", "0.8"] == shared["p", "0.8", "0.5"] <= 6


def test_the_page_warns_if_the_runs_have_no_more_candidates(organiser_client: Client) -> None:
    params = CHOSEN | {"method": "C", "amount": "40", "batch": "3"}
    get(organiser_client, "judging-plan", **params)
    perform_jobs()
    page = text_of(get(organiser_client, "judging-plan", **params))
    assert "The runs have only 17 unjudged candidates" in page
    assert "23 short of its budget" in page


def test_a_forecast_is_computed_again_when_something_is_judged(
    campaign: Campaign, organiser_client: Client
) -> None:
    plan = plans.create_plan(plan=Plan(campaign=campaign, method="A", budget=6), actor=None)
    perform_jobs()
    before = table(organiser_client, "judging-plan-runs-csv", **CHOSEN)
    judge(plan, make_user(), {"18": 1})
    after = table(organiser_client, "judging-plan-runs-csv", **CHOSEN)
    assert {row["residual_now"] for row in before} == {"1.0"}
    first = next(row for row in after if row["run"] == "run1")
    assert float(first["base_now"]) == pytest.approx(0.2, abs=1e-12)
    assert float(first["residual_now"]) == pytest.approx(0.8, abs=1e-12)
    assert Analysis.objects.count() == 1


def test_an_outdated_forecast_is_shown_with_its_age(
    campaign: Campaign, organiser_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plans.create_plan(plan=Plan(campaign=campaign, method="A", budget=6), actor=None)
    perform_jobs()
    documents = iter(("18", "22"))

    def judging_meanwhile(*params: Any) -> PlanArrays | None:
        result = compute_plan(*params)
        for document in documents:
            judge(plan, make_user(), {document: 1})
            break
        return result

    monkeypatch.setitem(vars(JUDGING_PLAN), "compute", judging_meanwhile)
    assert "Refresh" in get(organiser_client, "judging-plan", **CHOSEN)
    perform_jobs()
    outdated_page = get(organiser_client, "judging-plan", **CHOSEN)
    assert "from 1.000 to" in text_of(outdated_page)
    assert "This forecast is from 1 judgment ago" in text_of(outdated_page)
    assert "Refresh" not in outdated_page
    perform_jobs()  # another judgment came, so the forecast is again from one judgment ago
    assert "from 1.000 to" not in text_of(get(organiser_client, "judging-plan", **CHOSEN))
    perform_jobs()
    assert "judgment ago" not in text_of(get(organiser_client, "judging-plan", **CHOSEN))
    assert Analysis.objects.count() == 1


def test_forecasts_after_new_judgments_are_free_of_charge(
    campaign: Campaign, organiser_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that stays open while assessors judge requests the same forecast repeatedly."""
    monkeypatch.setattr(NewAnalyses, "rate", "1/hour", raising=False)
    cache.clear()
    plan = plans.create_plan(plan=Plan(campaign=campaign, method="A", budget=6), actor=None)
    perform_jobs()
    for document in ("18", "22", "11"):
        assert get(organiser_client, "judging-plan", **CHOSEN).status_code == 200
        judge(plan, make_user(), {document: 1})
        assert (
            get(organiser_client, "judging-plan", **CHOSEN).status_code == 200
        )  # the one that still waits
        Analysis.objects.update(state=Analysis.State.COMPUTING)
        judge(plan, make_user(), {document: 1})
    assert Analysis.objects.count() == 3
    assert get(organiser_client, "judging-plan", **CHOSEN | {"amount": "5"}).status_code == 429


def test_a_forecast_is_not_shown_after_the_runs_have_changed(
    campaign: Campaign, organiser_client: Client
) -> None:
    table(organiser_client, "judging-plan-runs-csv", **CHOSEN)
    campaign.runs.filter(tag="run1").update(tag="renamed")
    assert "Computing the forecast of this plan" in text_of(
        get(organiser_client, "judging-plan", **CHOSEN)
    )


def test_with_qrels_each_method_is_simulated(campaign: Campaign, organiser_client: Client) -> None:
    qrels = give_file(make_qrels(campaign), b"1 0 18 1\n1 0 10 1\n1 0 22 0\n1 0 15 1\n1 0 84 1\n")
    rows = table(organiser_client, "judging-plan-simulation-csv", **CHOSEN | {"amount": "4"})
    found = {(row["budget"], row["method"]): row for row in rows}
    assert {budget for budget, _ in found} == {"1", "2", "4"}
    # A selects 18, 22, 11, 10: two are relevant; skipping 11 and 21 it finds 15 as well
    assert found["4", "A"]["relevant_found"] == "2"
    assert (found["4", "A"]["relevant_found_skipping"], qrels.version) == ("3", 1)
    assert found["4", "pooling"]["relevant_found"] == "2"  # 18, 22, 21, 10
    # 10 is relevant, and its run goes on: 18, relevant, 11; then 22, of the run that 18 leads
    assert found["4", "MTF"]["relevant_found"] == "2"
    assert {method for _, method in found} == set(METHODS)
    page = get(organiser_client, "judging-plan", **CHOSEN | {"amount": "4"})
    assert "Judging simulation" in text_of(page)
    lines = page.context["simulation"]["data"]
    assert [line["name"] for line in lines] == list(METHODS)
    looks = {(line["meta"]["role"], line["line"]["dash"]) for line in lines}
    assert len(looks) == len(METHODS)
    old = organiser_client.get("/campaigns/planned/judging/plan/replay.csv?p=0.8&method=A")
    new = reverse("scoring:judging-plan-simulation-csv", args=["planned"])
    assert (old.status_code, old["Location"]) == (301, f"{new}?p=0.8&method=A")


@pytest.mark.parametrize(
    ("method", "judged_for"),
    [("A", ["A, p = 0.5", "A, p = 0.8", "pooling"]), ("Hedge", ["Hedge", "pooling"])],
)
def test_residuals_are_those_of_each_p_that_the_method_can_use(
    campaign: Campaign, organiser_client: Client, method: str, judged_for: list[str]
) -> None:
    give_file(make_qrels(campaign), b"1 0 18 1\n1 0 10 1\n1 0 22 0\n")
    rows = table(organiser_client, "judging-plan-residuals-csv", **CHOSEN | {"method": method})
    assert list(dict.fromkeys(row["judged_for"] for row in rows)) == judged_for
    assert [row["p"] for row in rows] == ["0.5", "0.8"] * len(judged_for)


@pytest.mark.parametrize("p", ["0.8", "0.3"])  # one that the campaign scores by, and one more
def test_runs_are_ordered_by_rbp_with_the_plans_own_p(
    campaign: Campaign, organiser_client: Client, p: str
) -> None:
    """Whatever the leaderboard shows first. By hand: relevant are 11, 13 and 22 of Table 1."""
    judged = {document for documents in TABLE_1 for document in documents}
    lines = (f"1 0 {document} {int(document in {'11', '13', '22'})}\n" for document in judged)
    qrels = give_file(make_qrels(campaign), "".join(lines).encode())
    for run in campaign.runs.select_related("ranking"):
        storage.grades_of(run, qrels, storage.load_table(qrels, campaign))
    for run, found in zip(campaign.runs.order_by("public_id"), (1, 2, 3, 4), strict=True):
        make_scores(run, {"RBP(p=0.8)": (found / 10, 0.0), "RBP(p=0.5)": (0.5 / found, 0.0)})
    params = CHOSEN | {"p": p, "start": "nothing"}
    rows = table(organiser_client, "judging-plan-runs-csv", **params)
    ranks = {  # of the relevant ones
        "run1": (2, 4, 5), "run2": (1, 3), "run3": (4,), "run4": (3, 4, 6),
    }  # fmt: skip
    means = {run: sum(float(p) ** rank for rank in found) for run, found in ranks.items()}
    by_hand = sorted(means, key=lambda run: -means[run])
    stored = ["run4", "run3", "run2", "run1"]
    assert [row["run"] for row in rows] == (stored if p == "0.8" else by_hand)
    assert f"mean RBP(p={p})" in text_of(get(organiser_client, "judging-plan", **params))


def test_the_error_about_an_empty_budget_names_the_budget(organiser_client: Client) -> None:
    for amount in ("0", "-3"):
        page = text_of(get(organiser_client, "judging-plan", **CHOSEN | {"amount": amount}))
        assert "Plan at least one document." in page


def test_a_plan_is_not_created_without_choices_or_twice(
    campaign: Campaign, organiser_client: Client
) -> None:
    url = reverse("scoring:judging-plan", args=["planned"])
    assert organiser_client.post(url).status_code == 400
    assert organiser_client.post(url, CHOSEN | {"p": "1.5"}).status_code == 400
    assert organiser_client.post(url, CHOSEN).status_code == 302
    again = organiser_client.post(url, CHOSEN, follow=True)
    assert "A plan is already active" in text_of(again)
    assert campaign.plans.count() == 1


def test_runs_without_the_priority_do_not_contribute_but_have_a_forecast(
    organiser_client: Client, campaign: Campaign
) -> None:
    ranked_run(campaign, {"1": ["18", "x", "y"]}, tag="first", judging_priority=1)
    params = CHOSEN | {"runs": "1", "amount": "3"}
    rows = {row["run"]: row for row in table(organiser_client, "judging-plan-runs-csv", **params)}
    assert {tag: row["proposes"] for tag, row in rows.items()} == {
        "first": "1", "run1": "0", "run2": "0", "run3": "0", "run4": "0",
    }  # fmt: skip
    assert float(rows["run4"]["residual_forecast"]) == pytest.approx(0.84, abs=1e-12)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "pooling"])
def test_a_depth_left_from_pooling_becomes_the_default_budget_and_the_form_says_so(
    organiser_client: Client, method: str
) -> None:
    response = get(organiser_client, "judging-plan", method=method, amount="200", unit="depth")
    form = response.context["form"]
    assert form.errors == {
        "unit": [
            "Only pooling has a pool depth. The budget is now the default, 1,000 documents: "
            "change it or submit it."
        ]
    }
    shown = {name: form[name].value() for name in ("method", "amount", "unit")}
    assert shown == {"method": method, "amount": "1000", "unit": "documents"}
    again = get(organiser_client, "judging-plan", **shown)
    assert not again.context["form"].errors


@pytest.mark.parametrize(
    ("params", "budget"),
    [
        ({}, ("pooling", "10", "depth")),
        ({"method": "C"}, ("C", "1000", "documents")),
        ({"amount": "50"}, ("pooling", "50", "documents")),
    ],
)
def test_a_new_plan_begins_with_pooling_to_depth_10(
    campaign: Campaign, params: dict[str, str], budget: tuple[str, ...]
) -> None:
    form = PlanForm(params, campaign=campaign)
    assert form.is_valid(), form.errors
    assert tuple(form[name].value() for name in ("method", "amount", "unit")) == budget


@pytest.mark.parametrize(("limit", "value"), [("AT_ONCE", 1), ("FILES_AT_ONCE", 3)])
def test_a_worker_counts_the_pool_of_many_runs(
    limit: str,
    value: int,
    campaign: Campaign,
    organiser_client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same plan as at once. Nothing is created before its budget is known."""
    deep = CHOSEN | {"method": "pooling", "amount": "2", "unit": "depth"}
    at_once = table(organiser_client, "judging-plan-runs-csv", **deep)
    assert not campaign.analyses.filter(kind="pool_size").exists()
    campaign.analyses.all().delete()
    monkeypatch.setattr(pool_size_analysis, limit, value)
    page = get(organiser_client, "judging-plan", **deep)
    assert page.headers["Refresh"] == "2"
    assert "Computing the forecast of this plan" in text_of(page)
    for name in ("runs", "simulation"):
        assert get(organiser_client, f"judging-plan-{name}-csv", **deep).status_code == 202
    url = reverse("scoring:judging-plan", args=["planned"])
    refused = organiser_client.post(url, deep, follow=True)
    assert "The pool is being counted." in text_of(refused)
    assert not campaign.plans.exists()
    perform_jobs()
    assert table(organiser_client, "judging-plan-runs-csv", **deep) == at_once
    assert organiser_client.post(url, deep).headers["Location"] != url
    assert (
        campaign.plans.get().budget == campaign.analyses.get(kind="judging_plan").question["budget"]
    )


def test_the_pool_is_counted_to_its_depth_only(campaign: Campaign) -> None:
    """Of MS MARCO's size, all that the forecast needs took 58 s and 1,124 MB of a web process."""
    campaign.runs.filter(tag__in=("run1", "run2")).update(judging_priority=1)
    version = give_file(make_qrels(campaign), b"1 0 22 1\n1 0 11 0\n1 0 99 1\n")
    contribute = {None: TABLE_1, 1: TABLE_1[:2]}
    for depth, priority, starts_from in itertools.product(
        (1, 2, 3, 8, 500), contribute, (None, version)
    ):
        pooled = {doc_id for run in contribute[priority] for doc_id in run[:depth]}
        with mock.patch.object(candidates, "collect_candidates", wraps=collect_candidates) as made:
            question = PoolToDepth(p=0.8, priority=priority, depth=depth)
            size = compute(campaign, starts_from, question).documents
        assert size == len(pooled - ({"22", "11"} if starts_from else set()))
        assert all(call.kwargs["depth"] == min(depth, 100) for call in made.call_args_list)
