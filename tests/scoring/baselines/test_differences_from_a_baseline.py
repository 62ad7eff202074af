"""Differences of runs from a baseline: on pages, in CSV, LaTeX and the API."""

import csv
import io
import math

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from scipy import stats
from statsmodels.stats.multitest import multipletests

from campaigns.models import Campaign, Run
from scoring.models import Analysis
from scoring.worker import perform_waiting_jobs
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_team, make_user
from tests.scoring.leaderboard.test_board_page import SHOWN
from tests.scoring.significance.test_significance_page import (
    RBP,
    TOPICS,
    give_vector,
    noisy,
    text_of,
)

pytestmark = pytest.mark.django_db
NAN = math.nan


def make_board(topics: tuple[str, ...] = TOPICS, /, **runs: object) -> Campaign:
    """A published board; the run `bm25` is a baseline."""
    campaign = make_campaign(topics=topics, **SHOWN)
    make_qrels(campaign)
    for tag, scores in runs.items():
        run = make_run(campaign, tag=tag, is_baseline=tag == "bm25")
        give_vector(run, np.broadcast_to(scores, len(topics)))
    return campaign


def run_id(campaign: Campaign, tag: str = "bm25") -> str:
    return campaign.runs.get(tag=tag).public_id


def get(name: str, campaign: Campaign, *args: str, **query: str) -> HttpResponse:
    return Client().get(reverse(name, args=[campaign.slug, *args]), query)


def computed(name: str, campaign: Campaign, *args: str, **query: str) -> HttpResponse:
    """With the baseline, after a worker has compared the runs with it."""
    query = {"baseline": run_id(campaign)} | query
    get(name, campaign, *args, **query)
    perform_waiting_jobs(campaign)
    response = get(name, campaign, *args, **query)
    assert response.status_code == 200
    return response


def by_run(campaign: Campaign, **query: str) -> dict[str, dict[str, str]]:
    text = computed("scoring:leaderboard-csv", campaign, **query).content.decode()
    return {row["run"]: row for row in csv.DictReader(io.StringIO(text))}


def test_a_value_worked_by_hand() -> None:
    """With three topics t has two degrees of freedom, where p = 1 - t / sqrt(t² + 2)."""
    campaign = make_board(
        ("1", "2", "3"), bm25=0.4, good=[0.5, 0.6, 0.7], fair=[0.3, 0.5, 0.7], same=0.4
    )
    rows = by_run(campaign)
    found = {tag: [float(row[key]) for key in ("difference", "p", "p_corrected")]
             for tag, row in rows.items() if tag != "bm25"}  # fmt: skip
    # Differences .1 .2 .3: mean .2, deviation .1, t = .2 / (.1 / √3) = √12
    # Differences -.1 .1 .3: mean .1, deviation .2, t = .1 / (.2 / √3) = √.75
    good, fair = 1 - math.sqrt(12 / 14), 1 - math.sqrt(0.75 / 2.75)
    assert found["good"] == pytest.approx([0.2, good, 3 * good], abs=1e-12)
    assert found["fair"] == pytest.approx([0.1, fair, 2 * fair], abs=1e-12)
    assert found["same"] == [0, 1, 1]  # a run that scores the same on every topic
    assert [rows["same"][key] for key in ("difference_low", "difference_high")] == ["0.0", "0.0"]
    assert {rows["bm25"][key] for key in ("difference", "p", "p_corrected")} == {""}
    assert {row["baseline"] for row in rows.values()} == {run_id(campaign)}
    assert {tag: row["is_baseline"] for tag, row in rows.items()}["bm25"] == "1"


def test_another_implementation_agrees_also_where_topics_are_missing() -> None:
    scores = {f"r{n}": noisy(0.4 + 0.02 * n, n) for n in range(6)}
    scores["r1"][3] = scores["r4"][[0, 7]] = NAN
    scores["r5"][1:] = NAN  # one common topic: a difference and no test
    baseline = noisy(0.42, 99)
    baseline[2] = NAN
    rows = by_run(make_board(bm25=baseline, none=NAN, **scores))
    p_values = []
    for tag, mine in scores.items():
        common = ~np.isnan(mine) & ~np.isnan(baseline)
        assert int(rows[tag]["common_topics"]) == common.sum()
        difference = np.mean(mine[common] - baseline[common])
        assert float(rows[tag]["difference"]) == pytest.approx(difference, abs=1e-12)
        if common.sum() > 1:
            p_values.append(stats.ttest_rel(mine[common], baseline[common]).pvalue)
            assert float(rows[tag]["p"]) == pytest.approx(p_values[-1], abs=1e-12)
            assert float(rows[tag]["difference_low"]) <= difference
            assert float(rows[tag]["difference_high"]) >= difference
    assert [rows["r5"][key] for key in ("p", "p_corrected", "effect")] == [""] * 3
    corrected = multipletests(p_values, method="holm")[1]
    tested = [float(rows[f"r{n}"]["p_corrected"]) for n in range(5)]
    assert tested == pytest.approx(corrected.tolist(), abs=1e-12)
    assert (rows["none"]["base"], rows["none"]["difference"]) == ("", "")


def test_the_interval_is_that_of_the_comparison_of_the_two_runs() -> None:
    campaign = make_board(bm25=noisy(0.4, 1), good=noisy(0.45, 2), other=noisy(0.5, 3))
    row = by_run(campaign)["good"]
    ids = {"a": run_id(campaign, "good"), "b": run_id(campaign)}
    compared = get("scoring:compare", campaign, measure=RBP, **ids)
    assert f"from {'+' if float(row['difference_low']) > 0 else '−'}" in text_of(compared)
    shown = text_of(compared)
    for key in ("difference", "difference_low", "difference_high"):
        assert f"{abs(float(row[key])):.4f}" in shown


def test_board_run_page_and_api_have_the_same_numbers() -> None:
    campaign = make_board(bm25=noisy(0.4, 1), good=noisy(0.6, 2), fair=noisy(0.41, 3))
    row, good = by_run(campaign)["good"], run_id(campaign, "good")
    record = computed("api:leaderboard", campaign).json()[0]
    own = computed("api:run-detail", campaign, good).json()
    text = computed("scoring:run-csv", campaign, good).content.decode()
    line = next(csv.DictReader(io.StringIO(text)))
    (found,) = own["differences"]
    assert found == {"measure": RBP} | record["difference"]
    for key in ("difference", "p", "p_corrected", "effect"):
        assert {float(row[key]), float(line[key]), found[key]} == {found[key]}
    assert own["is_baseline"] is False
    assert {row["baseline_name"], line["baseline_name"]} == {"bm25"}
    board = text_of(computed("scoring:leaderboard", campaign))
    page = text_of(computed("scoring:run-detail", campaign, good))
    for shown, digits in ((board, 3), (page, 4)):
        assert f"+{found['difference']:.{digits}f}" in shown
        assert f"+{found['low']:.{digits}f} to +{found['high']:.{digits}f}" in shown
    assert "The difference is significant at the 5&nbsp;% level." in page
    assert "for this pair alone. p: two-tailed paired t test" in board
    assert "The interval is for this pair alone, and the test is corrected for 2 runs." in page
    assert "corrected for all 2 runs compared with the baseline by Holm’s method" in board
    assert Analysis.objects.filter(kind="baseline", question__measure=RBP).count() == 1
    for name, args in (("scoring:leaderboard-latex", ()), ("scoring:run-latex", (good,))):
        latex = computed(name, campaign, *args).content.decode()
        assert "interval is for one pair alone" in latex
        assert r"bm25" in latex
        assert rf"{found['difference']:+.3f}".replace("+0.", "+0.") in latex


def test_while_a_worker_computes_the_pages_wait_and_scripts_are_told() -> None:
    campaign = make_board(bm25=noisy(0.4, 1), good=noisy(0.6, 2))
    baseline, good = run_id(campaign), run_id(campaign, "good")
    page = get("scoring:leaderboard", campaign, baseline=baseline)
    assert "Computing the differences from the baseline." in text_of(page)
    assert page["Refresh"]
    assert get("scoring:run-detail", campaign, good, baseline=baseline)["Refresh"]
    assert get("api:leaderboard", campaign, baseline=baseline).status_code == 202
    assert get("scoring:run-csv", campaign, good, baseline=baseline).status_code == 202
    assert get("api:run-detail", campaign, good, baseline=baseline).json()["differences"] is None
    perform_waiting_jobs(campaign)
    assert "Refresh" not in get("scoring:leaderboard", campaign, baseline=baseline)


def test_only_ranked_baselines_can_be_chosen() -> None:
    campaign = make_board(bm25=0.4, good=noisy(0.6, 2))
    baseline = run_id(campaign)
    assert 'name="baseline"' in get("scoring:leaderboard", campaign).content.decode()
    assert (
        get("scoring:leaderboard", campaign, baseline=run_id(campaign, "good")).status_code == 404
    )
    assert get("scoring:run-detail", campaign, baseline, baseline=baseline).status_code == 404
    Run.objects.filter(tag="bm25").update(is_late=True)
    page = get("scoring:leaderboard", campaign)
    assert 'name="baseline"' not in page.content.decode()
    assert get("scoring:leaderboard", campaign, baseline=baseline).status_code == 404
    assert (
        'id="baseline"'
        not in get("scoring:run-detail", campaign, run_id(campaign, "good")).content.decode()
    )


def test_a_baseline_that_is_no_longer_ranked_leaves_an_answer_without_runs() -> None:
    campaign = make_board(bm25=0.4, good=noisy(0.6, 2))
    get("scoring:leaderboard", campaign, baseline=run_id(campaign))
    Run.objects.filter(tag="bm25").update(withdrawn_at=timezone.now())
    perform_waiting_jobs(campaign)
    assert get("scoring:leaderboard", campaign).status_code == 200


def test_another_p_says_why_there_are_no_differences() -> None:
    campaign = make_board(bm25=0.4, good=noisy(0.6, 2))
    page = get("scoring:leaderboard", campaign, baseline=run_id(campaign), measure=RBP, p="0.6")
    assert page.status_code == 200  # the grades of these runs are not stored
    assert "at the campaign’s own values of p only" in text_of(page) or page["Refresh"]


def test_of_a_measure_where_lower_is_better_the_difference_is_in_its_own_units() -> None:
    campaign = make_campaign(topics=TOPICS, measures=["ESL(n=1)"], persistences=[], **SHOWN)
    make_qrels(campaign)
    for tag, scores in (("bm25", noisy(3, 1)), ("good", noisy(1, 2))):
        run = make_run(campaign, tag=tag, is_baseline=tag == "bm25")
        give_vector(run, scores, measure="ESL(n=1)", residual=None)
    rows = by_run(campaign, measure="ESL(n=1)")
    assert float(rows["good"]["difference"]) == pytest.approx(-2)


def test_a_team_that_does_not_see_the_board_is_not_told_that_its_run_is_a_baseline() -> None:
    participant = make_user()
    campaign = make_campaign(shows_own_scores=True, runs_audience=2)
    make_qrels(campaign)
    run = make_run(campaign, make_team(campaign, participant), tag="bm25", is_baseline=True)
    give_vector(run, [0.5, 0.6])
    organiser = make_organiser(campaign)
    told = {}
    for person in (participant, organiser):
        client = Client()
        client.force_login(person)
        pages = [
            client.get(reverse(name, args=[campaign.slug, *args]))
            for name, args in (
                ("scoring:run-detail", [run.public_id]),
                ("api:run-detail", [run.public_id]),
                ("campaigns:run-list", []),
                ("campaigns:runs-csv", []),
                ("api:run-create", []),
            )
        ]
        told[person] = [b"baseline" in page.content for page in pages]
    assert told == {participant: [False] * 5, organiser: [True] * 5}
