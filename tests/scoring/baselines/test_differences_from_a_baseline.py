"""Differences of runs from a baseline: on pages, in CSV, LaTeX and the API."""

import csv
import html
import io
import math
import re
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from scipy import stats
from statsmodels.stats.multitest import multipletests

from campaigns.models import Campaign, Run
from scoring.baselines import analysis
from scoring.baselines.analysis import BASELINE
from scoring.baselines.rows import CORRECTIONS
from scoring.core.statistics.max_t import randomised_max_t
from scoring.models import Analysis, Evaluation
from scoring.output.latex import plain as latex_text
from scoring.output.numbers import p_value
from scoring.worker import perform_waiting_jobs
from tests.caches import empty_caches
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_team, make_user
from tests.scoring.cli.command import Command
from tests.scoring.leaderboard.test_board_page import SHOWN
from tests.scoring.significance.test_significance_numbers import folder
from tests.scoring.significance.test_significance_page import (
    RBP,
    TOPICS,
    give_vector,
    noisy,
    text_of,
)

__all__ = ["folder"]  # the fixture
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
    query = query if "baseline" in query else {"baseline": run_id(campaign)} | query
    get(name, campaign, *args, **query)
    perform_waiting_jobs(campaign)
    response = get(name, campaign, *args, **query)
    assert response.status_code == 200
    return response


def by_run(campaign: Campaign, **query: str) -> dict[str, dict[str, str]]:
    text = computed("scoring:leaderboard-csv", campaign, **query).content.decode()
    return {row["run"]: row for row in csv.DictReader(io.StringIO(text))}


def test_a_value_of_the_t_test_worked_by_hand() -> None:
    """With three topics t has two degrees of freedom, where p = 1 - t / sqrt(t² + 2)."""
    campaign = make_board(
        ("1", "2", "3"), bm25=0.4, good=[0.5, 0.6, 0.7], fair=[0.3, 0.5, 0.7], same=0.4
    )
    rows = by_run(campaign, correction="holm")
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
    assert {row["correction"] for row in rows.values()} == {"holm"}
    assert {tag: row["is_baseline"] for tag, row in rows.items()}["bm25"] == "1"


def test_another_implementation_agrees_also_where_topics_are_missing() -> None:
    scores = {f"r{n}": noisy(0.4 + 0.02 * n, n) for n in range(6)}
    scores["r1"][3] = scores["r4"][[0, 7]] = NAN
    scores["r5"][1:] = NAN  # one common topic: a difference and no test
    baseline = noisy(0.42, 99)
    baseline[2] = NAN
    campaign = make_board(bm25=baseline, none=NAN, **scores)
    rows = by_run(campaign, correction="holm")
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
    tested = [scores[f"r{n}"] - baseline for n in range(5)]
    flipped, max_t = randomised_max_t(np.array(tested), samples=10_000, seed=1)
    rows = by_run(campaign)
    for at in range(5):
        row = rows[f"r{at}"]
        assert (float(row["p"]), float(row["p_corrected"])) == (flipped.p_values[at], max_t[at])
    assert [rows["r5"][key] for key in ("p", "p_corrected")] == [""] * 2


def test_a_value_of_the_max_t_test_worked_by_hand() -> None:
    """All signs of three topics. In tenths, with S the sum and Q the sum of squares of a run, t² is
    (n - 1) S² / (n Q - S²) for the signs +++ ++- +-+ +--, and the same for the opposite ones:

    good  1 2 3, Q = 14: S = 6, 0, 2, -4, t² = 12, 0, .21, 1.23
    other 2 1 -1, Q = 6: S = 2, 4, 0, 2, t² = .57, 16, 0, .57
    """
    campaign = make_board(
        ("1", "2", "3"), bm25=0.4, good=[0.5, 0.6, 0.7], other=[0.6, 0.5, 0.3], same=0.4, all=0.5
    )
    rows = by_run(campaign)
    keys = ("p", "p_corrected", "effect")
    assert {tag: [rows[tag][key] for key in keys] for tag in ("same", "all")} == {
        "same": ["1.0", "1.0", "0.0"],
        "all": ["", "", "inf"],  # the same on every topic: no spread
    }
    found = {tag: [float(rows[tag][key]) for key in keys] for tag in ("good", "other")}
    assert found["good"] == pytest.approx([1 / 4, 2 / 4, 2], abs=1e-12)
    d_of_other = (2 / 3) / math.sqrt((6 - 3 * (2 / 3) ** 2) / 2)
    assert found["other"] == pytest.approx([3 / 4, 3 / 4, d_of_other], abs=1e-12)
    assert {row["correction"] for row in rows.values()} == {"max-t"}
    board = computed("scoring:leaderboard", campaign).content.decode()
    assert "So few topics leave no p below .250, so no difference can be significant" in board
    page = text_of(computed("scoring:run-detail", campaign, run_id(campaign, "all")))
    assert "The difference is the same on all topics, so it has no p-value." in page


@pytest.mark.parametrize("samples", [10_000, 99])
def test_the_site_has_the_numbers_of_the_command_line(
    folder: Path, samples: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of twelve topics, by all signs and by random ones: these have the topics in the order of
    their bytes, which is not that of the campaign."""
    monkeypatch.setattr(analysis, "SAMPLES", samples)
    call_command(
        "import_campaign", str(folder), slug="sim", no_relevant="zero", stdout=io.StringIO()
    )
    Campaign.objects.filter(slug="sim").update(**SHOWN)
    campaign = Campaign.objects.get(slug="sim")
    campaign.runs.filter(tag="run3").update(is_baseline=True)
    baseline = campaign.runs.get(tag="run3").public_id
    for correction, test in (("max-t", "randomisation"), ("holm", "t")):
        rows = by_run(campaign, baseline=baseline, correction=correction, measure=RBP)
        runs = [folder / "runs" / f"run{number}" for number in range(7)]
        said = Command(folder, capsys)(
            *("significance", folder / "qrels.txt", *runs, "-m", RBP, "--test", test),
            *("--baseline", "run3", "--correction", correction, "--samples", samples),
        )
        assert said.status == 0, said.err
        expected = list(csv.DictReader(io.StringIO(said.out)))
        assert {row["a"] for row in expected} == rows.keys() - {"run3"}
        for row in expected:
            for key in ("difference", "p", "p_corrected"):
                assert float(rows[row["a"]][key]) == pytest.approx(float(row[key]), abs=1e-12)


def test_both_corrections_are_read_from_one_analysis() -> None:
    scores = {f"r{n}": noisy(0.4 + 0.03 * n, n) for n in range(5)}
    campaign = make_board(bm25=noisy(0.4, 99), **scores)
    max_t, holm = by_run(campaign), by_run(campaign, correction="holm")
    assert by_run(campaign, correction="max-t") == max_t
    for tag in scores:
        same = ("difference", "difference_low", "difference_high", "effect", "common_topics")
        assert [max_t[tag][key] for key in same] == [holm[tag][key] for key in same]
    assert max_t["r4"]["p"] != holm["r4"]["p"]
    assert max_t["r4"]["p_corrected"] != holm["r4"]["p_corrected"]
    assert Analysis.objects.filter(kind="baseline").count() == 1


@pytest.mark.parametrize("name", ["scoring:leaderboard", "scoring:leaderboard-csv",
                                  "scoring:leaderboard-latex", "scoring:run-detail",
                                  "scoring:run-csv", "scoring:run-latex"])  # fmt: skip
def test_a_correction_that_is_not_offered_is_refused_with_those_that_are(name: str) -> None:
    campaign = make_board(bm25=0.4, good=noisy(0.6, 2))
    args = (run_id(campaign, "good"),) if "run" in name else ()
    page = get(name, campaign, *args, baseline=run_id(campaign), correction="tukey")
    assert page.status_code == 404
    text = page.content.decode()
    assert "“tukey” is not a valid correction." in text
    assert "max |t|" in text


def test_links_to_other_pages_do_not_carry_a_correction_that_these_refuse() -> None:
    campaign = make_board(bm25=noisy(0.4, 1), good=noisy(0.6, 2), fair=noisy(0.41, 3))
    page = computed("scoring:leaderboard", campaign, correction="max-t").content.decode()
    links = {html.unescape(link) for link in re.findall(r'href="([^"]+)"', page)}
    corrected = {link.partition("?")[0] for link in links if "correction=max-t" in link}
    assert {reverse(name, args=[campaign.slug]) for name in (
        "scoring:leaderboard-csv", "scoring:leaderboard-latex", "api:leaderboard"
    )} <= corrected  # fmt: skip
    significance = reverse("scoring:significance", args=[campaign.slug])
    assert any(link.startswith(f"{significance}?") for link in links)
    for link in links:
        if link.startswith(("/campaigns/", "/api/", "?")) and "correction=max-t" in link:
            url = reverse("scoring:leaderboard", args=[campaign.slug]) if link[0] == "?" else ""
            assert Client().get(url + link).status_code in (200, 202)
    assert significance not in corrected


@pytest.mark.parametrize("name", ["api:leaderboard", "api:run-detail"])
def test_the_api_refuses_the_same(name: str) -> None:
    campaign = make_board(bm25=0.4, good=noisy(0.6, 2))
    args = (run_id(campaign, "good"),) if "run" in name else ()
    refused = get(name, campaign, *args, baseline=run_id(campaign), correction="tukey")
    assert refused.status_code == 400
    assert "“tukey” is not a valid correction." in refused.json()["message"]


def test_a_result_of_before_is_not_read() -> None:
    """The version of the study is part of its digest."""
    campaign = make_board(bm25=noisy(0.4, 1), good=noisy(0.6, 2))
    with mock.patch.dict(vars(BASELINE), version=BASELINE.version - 1):
        computed("scoring:leaderboard-csv", campaign)
    old = Analysis.objects.get(kind="baseline")
    empty_caches()  # another process
    waiting = get("scoring:leaderboard-csv", campaign, baseline=run_id(campaign))
    assert waiting.status_code == 202
    assert Analysis.objects.exclude(pk=old.pk).get(kind="baseline").digest != old.digest


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
    assert found["correction"] == row["correction"] == line["correction"] == "max-t"
    for key in ("difference", "p", "p_corrected", "effect"):
        assert {float(row[key]), float(line[key]), found[key]} == {found[key]}
    assert own["is_baseline"] is False
    assert {row["baseline_name"], line["baseline_name"]} == {"bm25"}
    board = text_of(computed("scoring:leaderboard", campaign))
    page = text_of(computed("scoring:run-detail", campaign, good))
    for shown, digits in ((board, 3), (page, 4)):
        assert f"+{found['difference']:.{digits}f}" in shown
        assert f"+{found['low']:.{digits}f} to +{found['high']:.{digits}f}" in shown
        assert f" +{found['effect']:.2f} " in shown
        assert f" {html.escape(p_value(found['p_corrected']))} " in shown
    assert f" {html.escape(p_value(found['p']))} " in page
    assert "The difference is significant at the 5&nbsp;% level." in page
    assert "p: two-tailed randomisation test, with one random sign for each topic" in board
    assert "The interval is for this pair alone, and the test is corrected for 2 runs." in page
    assert "corrected for all 2 runs compared with the baseline by the greatest |t|" in board
    for name, args in (("scoring:leaderboard", ()), ("scoring:run-detail", (good,))):
        holm = computed(name, campaign, *args, correction="holm")
        assert "p: two-tailed paired t test; corrected for all 2 runs" in text_of(holm)
        assert '<option value="holm" selected>Holm</option>' in holm.content.decode()
    assert Analysis.objects.filter(kind="baseline", question__measure=RBP).count() == 1
    for name, args in (("scoring:leaderboard-latex", ()), ("scoring:run-latex", (good,))):
        latex = computed(name, campaign, *args).content.decode()
        assert "interval is for one pair alone" in latex
        assert r"bm25" in latex
        (cells,) = [line for line in latex.splitlines() if f"{found['difference']:+.3f}" in line]
        p_values = [latex_text(p_value(found[key])) for key in ("p", "p_corrected")]
        assert cells.endswith(" & ".join([f"{found['effect']:.2f}", *p_values]) + r" \\")
        assert "& d & p & corrected p" in latex
        assert "by the greatest" in latex
        assert (
            "by Holm’s method"
            in computed(name, campaign, *args, correction="holm").content.decode()
        )


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
    for asked in (run_id(campaign, "good"), "zzz"):
        page = get("scoring:leaderboard", campaign, baseline=asked)
        assert f"No differences are shown, because “{asked}” is not a baseline here" in text_of(
            page
        )
    page = get("scoring:run-detail", campaign, baseline, baseline=baseline)
    assert f"because “{baseline}” is not a baseline here" in text_of(page)
    Run.objects.filter(tag="bm25").update(is_late=True)
    page = get("scoring:leaderboard", campaign)
    assert 'name="baseline"' not in page.content.decode()
    page = get("scoring:leaderboard", campaign, baseline=baseline)
    assert f"because “{baseline}” is not a baseline here" in text_of(page)
    assert (
        'id="baseline"'
        not in get("scoring:run-detail", campaign, run_id(campaign, "good")).content.decode()
    )


GONE = {
    "withdrawn": lambda run: run.update(withdrawn_at=timezone.now()),
    "disqualified": lambda run: run.update(
        disqualified_at=timezone.now(), disqualified_reason="copied"
    ),
    "unmarked": lambda run: run.update(is_baseline=False),
    "deleted": lambda run: run.delete(),
}


@pytest.mark.parametrize("gone", GONE)
def test_a_baseline_that_is_gone_is_answered_with_a_sentence(gone: str) -> None:
    """As in a link that somebody kept. The page opens without differences; a file is refused, and
    those that remain are named."""
    campaign = make_board(bm25=noisy(0.4, 1), good=noisy(0.6, 2), other=noisy(0.5, 3))
    Run.objects.filter(tag="other").update(is_baseline=True)
    asked, good = {"baseline": run_id(campaign)}, run_id(campaign, "good")
    computed("scoring:leaderboard", campaign)
    if gone == "deleted":
        Evaluation.objects.filter(run__tag="bm25").delete()
    GONE[gone](Run.objects.filter(tag="bm25"))
    said = f"“{asked['baseline']}” is not a valid baseline."
    why = f"No differences are shown, because “{asked['baseline']}” is not a baseline here"
    for name, args in (("scoring:leaderboard", ()), ("scoring:run-detail", (good,))):
        page = get(name, campaign, *args, **asked)
        assert page.status_code == 200
        assert text_of(page).count(why) == 1
        assert 'name="baseline"' in page.content.decode()  # another one can be chosen
        links = re.findall(r' href="([^"]*)"', page.content.decode())
        assert not [link for link in links if f"baseline={asked['baseline']}" in link]
    for suffix, args in (("leaderboard", ()), ("run", (good,))):
        for name in (f"scoring:{suffix}-csv", f"scoring:{suffix}-latex"):
            page = get(name, campaign, *args, **asked)
            assert page.status_code == 404
            assert said in text_of(page)
            assert run_id(campaign, "other") in page.content.decode()
    for name, args in (("api:leaderboard", ()), ("api:run-detail", (good,))):
        refused = get(name, campaign, *args, **asked)
        assert (refused.status_code, said in refused.json()["message"]) == (400, True)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize(
    ("good", "said"),
    [
        ([0.5, 0.6, 0.8], "One topic is not enough for a test."),
        ([NAN, 0.6, 0.8], "the run and bm25 have no topic in common."),
    ],
)
def test_a_baseline_that_lacks_topics_leaves_no_p_value(
    good: list[float], said: str, correction: str
) -> None:
    campaign = make_board(("1", "2", "3"), bm25=[0.4, NAN, NAN], good=good, fair=0.3)
    rows, shown = by_run(campaign, correction=correction), run_id(campaign, "good")
    assert {row["p"] + row["p_corrected"] + row["effect"] for row in rows.values()} == {""}
    assert said in text_of(computed("scoring:run-detail", campaign, shown, correction=correction))
    assert "–" in text_of(computed("scoring:leaderboard", campaign, correction=correction))
    record = computed("api:leaderboard", campaign, correction=correction).json()[0]
    assert record["difference"]["p_corrected"] is None
    for name, args in (("scoring:leaderboard-latex", ()), ("scoring:run-latex", (shown,))):
        latex = computed(name, campaign, *args, correction=correction).content.decode()
        assert r"& – & – & – \\" in latex


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
                ("scoring:runs-csv", []),
                ("api:run-create", []),
            )
        ]
        told[person] = [b"baseline" in page.content for page in pages]
    assert told == {participant: [False] * 5, organiser: [True] * 5}
