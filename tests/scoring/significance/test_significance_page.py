"""Significance of all pairs of runs: on page, chart and CSV."""

import base64
import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Run, Team
from scoring.core.data.artefacts import pack_vector
from scoring.core.measures.names import parse_measure
from scoring.models import Analysis, Score
from scoring.significance.counts import CountCell, CountRow
from scoring.significance.options import usual_test
from scoring.significance.tables import page_columns
from scoring.templatetags.significance import count_finding
from scoring.worker import perform_waiting_jobs
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_scores, make_team
from tests.scoring.leaderboard.test_board_page import SECRET, SHOWN

pytestmark = pytest.mark.django_db
RBP = "RBP(p=0.5)"
TOPICS = tuple(str(number) for number in range(1, 13))


def get(name: str, campaign: Campaign, person: object = None, **query: str) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(f"scoring:{name}", args=[campaign.slug]), query)


def answered(name: str, campaign: Campaign, person: object = None, **query: str) -> HttpResponse:
    """Asked, computed, and asked again."""
    get(name, campaign, person, **query)
    perform_waiting_jobs(campaign)
    response = get(name, campaign, person, **query)
    assert response.status_code == 200
    return response


def text_of(response: HttpResponse) -> str:
    html = re.sub(r"<script.*?</script>", "", response.content.decode(), flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace(" ,", ",").replace(" .", ".")


def table(response: HttpResponse) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def figure(response: HttpResponse) -> dict[str, object]:
    found = re.search(r'<script id="matrix"[^>]*>(.*?)</script>', response.content.decode(), re.S)
    assert found
    return json.loads(found[1])


def give_vector(
    run: Run, bases: object, *, measure: str = RBP, residual: float | None = 0.1
) -> None:
    bases = np.asarray(bases, dtype=float)
    mean = None if np.isnan(bases).all() else float(np.nanmean(bases))
    evaluation = make_scores(run, {measure: (mean, residual)})
    Score.objects.filter(evaluation=evaluation).update(bases=pack_vector(bases))


def make_board(*bases: object, **facts: object) -> Campaign:
    """A published board of runs r1, r2 ... with these scores by topic, best first."""
    campaign = make_campaign(topics=TOPICS, **SHOWN | facts)
    make_qrels(campaign)
    for number, scores in enumerate(bases, start=1):
        give_vector(make_run(campaign, tag=f"r{number}"), np.broadcast_to(scores, len(TOPICS)))
    return campaign


def noisy(mean: float, seed: int) -> np.ndarray:
    """Scores by topic around a mean, which they have exactly."""
    noise = np.random.default_rng(seed).normal(0, 0.05, len(TOPICS))
    return mean + noise - noise.mean()


def test_the_page_waits_then_shows(client: Client) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.78, 2), noisy(0.3, 3))
    waiting = get("significance", campaign)
    assert "Computing significance tests of all pairs" in text_of(waiting)
    assert waiting["Refresh"] == "2"
    not_yet = get("significance-csv", campaign)
    assert (not_yet.status_code, not_yet["Retry-After"]) == (202, "2")
    perform_waiting_jobs(campaign)
    page = get("significance", campaign)
    assert "Refresh" not in page
    text = text_of(page)
    assert "By RBP(p=0.5) 2 of 3 pairs of runs differ significantly." in text
    assert "The leading run, r1, does not differ significantly from 1 other." in text
    assert Analysis.objects.count() == 1


def test_level_and_correction_are_applied_to_the_answer_that_is_there() -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.75, 2), noisy(0.3, 3))
    answered("significance", campaign)
    for query in ({"level": "0.001"}, {"correction": "none"}, {"correction": "bh"}):
        page = get("significance", campaign, **query)
        assert "differ significantly" in text_of(page)
    assert Analysis.objects.count() == 1
    strict = table(get("significance-csv", campaign, level="0.001"))
    loose = table(get("significance-csv", campaign, correction="none"))
    assert [row["p"] for row in strict] == [row["p"] for row in loose]
    assert [row["p_corrected"] for row in strict] != [row["p_corrected"] for row in loose]


def test_table_and_chart_are_blank_without_a_significant_difference() -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.8, 2), noisy(0.3, 3))
    page = answered("significance", campaign)
    kinds = re.findall(r'<td class="num (\w*)">', page.content.decode())
    assert kinds == ["", "", "better", "", "", "better", "worse", "worse", ""]
    given = figure(page)["data"][0]
    assert given["x"] == ["1 r1", "2 r2", "3 r3"]
    strength = np.frombuffer(base64.b64decode(given["z"]["bdata"]), np.float32).reshape(3, 3)
    assert np.isnan(strength.diagonal()).all()
    assert np.sign(np.nan_to_num(strength)).tolist() == [[0, 0, 1], [0, 0, 1], [-1, -1, 0]]
    assert "ranks" in text_of(page)
    assert re.search(r"1–2 2 r1 r2", text_of(page))  # the group


def test_a_lower_score_is_better_where_the_measure_says_so() -> None:
    campaign = make_board(measures=["ESL(n=1)"])
    for tag, mean, seed in (("poor", 9.0, 1), ("good", 1.0, 2)):
        run = make_run(campaign, tag=tag)
        give_vector(run, noisy(mean, seed), measure="ESL(n=1)", residual=None)
    page = answered("significance", campaign, measure="ESL(n=1)")
    (row,) = table(get("significance-csv", campaign, measure="ESL(n=1)"))
    assert (row["a"], row["b"], row["significant"]) == ("good", "poor", "1")
    assert float(row["difference"]) == pytest.approx(-8)
    assert re.findall(r'<td class="num (\w*)">', page.content.decode()) == [
        "",
        "better",
        "worse",
        "",
    ]


def test_names_are_masked_on_page_picture_and_csv() -> None:
    campaign = make_board(noisy(0.8, 1))
    team = make_team(campaign, name=f"{SECRET} team")
    Team.objects.filter(pk=team.pk).update(is_anonymous=True)
    run = make_run(campaign, team, tag=SECRET)
    give_vector(run, noisy(0.3, 2))
    for name in ("significance", "significance-csv", "leaderboard"):
        seen = answered(name, campaign).content.decode()
        assert SECRET not in seen
        assert f"run-{run.public_id[:6]}" in seen
        assert SECRET in answered(name, campaign, make_organiser(campaign)).content.decode()


def test_unranked_runs_are_not_compared() -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.3, 2))
    give_vector(make_run(campaign, tag="late", is_late=True), noisy(0.5, 3))
    give_vector(make_run(campaign, tag="undefined"), np.full(len(TOPICS), np.nan))
    answered("significance", campaign)
    rows = table(get("significance-csv", campaign))
    assert [(row["a"], row["b"]) for row in rows] == [("r1", "r2")]


def test_a_question_of_the_better_run_is_answered_in_its_row_only() -> None:
    campaign = make_board(noisy(0.9, 1), noisy(0.3, 2))
    page = answered("significance", campaign, tail="one", against="top")
    assert re.findall(r'<td class="num (\w*)">', page.content.decode()) == ["", "better", "", ""]
    assert "even if every unjudged document of the lower run were relevant" in text_of(page)


def test_two_tails_against_top_mark_pairs_that_favour_the_other_run() -> None:
    """r1 wins by .5 over r2 though that could be .1 better; r3 could be .1 better than r2 but for
    .09, which two tails separate too: for r3."""
    gaps = 0.01 + 0.001 * np.resize([1, -1], len(TOPICS))  # the same one everywhere has no spread
    campaign = make_board(noisy(0.8, 1), noisy(0.3, 2), np.array(noisy(0.3, 2)) - gaps)
    page = text_of(answered("significance", campaign, against="top"))
    assert "2 of 3 pairs of runs differ significantly, even if every unjudged" in page
    assert "In 1 more, the run that scores higher would be significantly worse." in page
    assert "significantly worse" not in text_of(
        answered("significance", campaign, against="top", tail="one")
    )
    rows = {
        (row["a"], row["b"]): row for row in table(get("significance-csv", campaign, against="top"))
    }
    assert rows["r2", "r3"]["significant"] == "1"
    assert float(rows["r2", "r3"]["difference"]) == pytest.approx(-0.1 + gaps.mean(), abs=1e-12)


def test_impossible_options_are_explained() -> None:
    campaign = make_campaign(topics=TOPICS, **SHOWN)
    assert "there are no qrels" in text_of(get("significance", campaign))
    assert "there are no qrels" in text_of(get("significance-counts", campaign))
    make_qrels(campaign)
    assert "No ranked run has a score" in text_of(get("significance", campaign))
    assert "There are no pairs yet" in text_of(get("significance-counts", campaign))
    give_vector(make_run(campaign, tag="alone"), noisy(0.5, 1))
    assert "Only one run, alone, is ranked" in text_of(get("significance", campaign))
    assert table(get("significance-csv", campaign)) == []
    give_vector(make_run(campaign), noisy(0.4, 2))
    tukey = get("significance", campaign, correction="tukey", tail="one")
    assert "Tukey’s correction is for two-tailed tests" in text_of(tukey)
    assert not Analysis.objects.exists()


def test_base_against_top_needs_a_residual() -> None:
    campaign = make_board()
    for mean in (0.8, 0.3):
        give_vector(make_run(campaign), noisy(mean, 1), measure="AP", residual=None)
    page = get("significance", campaign, measure="AP", against="top")
    assert "so only base can be tested against base" in text_of(page)
    assert not Analysis.objects.exists()


def test_equal_runs_do_not_differ_significantly() -> None:
    campaign = make_board(*[noisy(0.5, 1)] * 3)
    for test in ("t", "wilcoxon", "randomisation"):
        page = answered("significance", campaign, test=test)
        assert "no two of the 3 runs differ significantly" in text_of(page)
        assert "nothing to test" in text_of(page)
        assert b'id="matrix"' not in page.content  # an empty picture says nothing


def test_it_is_said_when_chance_or_too_few_samples_explain_the_answer() -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.5, 2), noisy(0.3, 3))
    page = answered("significance", campaign, correction="none")
    assert "no correction for the number of tests" in text_of(page)
    assert "nothing allows" not in text_of(get("significance", campaign))
    crowded = make_board(*(noisy(0.9 - at / 60, at) for at in range(33)))
    text = text_of(answered("significance", crowded, test="randomisation"))
    assert "this test cannot find a significant difference between any two of the 33 runs" in text
    assert "Holm multiplies the smallest by 528, so that no pair can be significant" in text


@pytest.mark.parametrize(
    "query",
    [
        {"test": "sign"}, {"tail": "three"}, {"level": "0.5"}, {"correction": "bonferroni"},
        {"against": "bottom"}, {"measure": "NoSuch"}, {"qrels": "7"}, {"measure": "GMAP"},
    ],
)  # fmt: skip
def test_what_is_not_offered_is_not_found(query: dict[str, str]) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.5, 2), measures=["AP", "GMAP"])
    for name in ("significance", "significance-csv"):
        assert get(name, campaign, **query).status_code == 404
    assert not Analysis.objects.exists()


def test_beyond_forty_runs_neighbours_replace_the_matrix() -> None:
    campaign = make_board(*(noisy(0.9 - at / 60, at) for at in range(41)))
    page = answered("significance", campaign)
    assert "Neighbours on the leaderboard" in text_of(page)
    assert page.content.decode().count("<tr>") < 41 + 41 + 3
    assert len(table(get("significance-csv", campaign))) == 41 * 40 / 2


def test_a_difference_that_rounds_to_nothing_is_not_printed_as_nothing() -> None:
    best, near = noisy(0.8, 1), noisy(0.8, 1) - 0.00001
    campaign = make_board(best, near, near, *(noisy(0.7, 1) - at / 100 for at in range(38)))
    page = answered("significance", campaign).content.decode()
    said = re.findall(r'data-label="difference">(.*?)<', page)
    assert len(said) == 40
    assert said[:2] == ["&lt;+0.0001", "0"]


def test_measures_that_tell_as_many_pairs_apart_are_counted_with_the_first() -> None:
    rows = [
        (CountRow(parse_measure(name), 3, ()), [CountCell("t", "none", 0.05, separated)])
        for name, separated in (("RR", 1), ("AP", 2), ("RBP(p=0.5)", 2), ("P@5", 2), ("Rprec", 0))
    ]
    finding = count_finding(rows)
    assert (str(finding["most"]["measure"]), finding["most"]["others"]) == ("AP", 2)
    assert (str(finding["fewest"]["measure"]), finding["fewest"]["others"]) == ("Rprec", 0)
    said = render_to_string(
        "scoring/significance/_most_significant.html", {"most": finding["most"]}
    )
    assert (
        said
        == "the most pairs of runs differ significantly by <b>AP</b> and two others, <b>2</b> of 3"
    )


@pytest.mark.parametrize("name", ["significance", "significance-counts", "leaderboard"])
def test_a_page_whose_answer_is_there_takes_at_most_12_queries(
    name: str, django_assert_max_num_queries: object
) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.5, 2))
    organiser = make_organiser(campaign)
    answered(name, campaign, organiser)
    client = Client()
    client.force_login(organiser)
    with django_assert_max_num_queries(12):
        client.get(reverse(f"scoring:{name}", args=[campaign.slug]))


def test_without_a_correction_only_the_column_of_corrected_values_is_missing() -> None:
    usual = usual_test(parse_measure("AP"))
    headings = {
        correction: [each.heading for each in page_columns(replace(usual, correction=correction))]
        for correction in ("none", "holm")
    }
    assert [each for each in headings["holm"] if each != "corrected"] == headings["none"]
    assert {"p", "corrected"} <= set(headings["holm"])


@pytest.mark.parametrize(
    ("test", "correction", "topics", "said"),
    [
        ("wilcoxon", "none", 5, "5 topics give no p below 0.0625, so that no pair can be signific"),
        ("randomisation", "none", 2, "2 topics give no p below 0.5000, so that no pair can be"),
        ("wilcoxon", "holm", 6, "6 topics give no p below 0.0312, and Holm multiplies the smallest"
         " by 3, so that no pair can be significant"),
        ("wilcoxon", "bh", 6, None),
        ("wilcoxon", "holm", 12, None),
        ("t", "holm", 2, None),
    ],
)  # fmt: skip
def test_the_page_says_the_lowest_p_that_its_topics_allow(
    test: str, correction: str, topics: int, said: str | None
) -> None:
    campaign = make_campaign(topics=TOPICS[:topics], **SHOWN)
    make_qrels(campaign)
    for number, mean in enumerate((0.8, 0.5, 0.2)):
        scores = mean + 0.01 * np.arange(topics) * number
        give_vector(make_run(campaign, tag=f"r{number}"), scores)
    asked = {"test": test, "correction": correction}
    page = text_of(answered("significance", campaign, **asked))
    assert ("no p below" in page) == (said is not None)
    assert said is None or said in page
    is_hopeless = said is not None and "no pair can be" in said
    assert ("cannot find a significant difference" in page) == is_hopeless


def test_equal_differences_have_no_p_of_t_and_the_page_names_tests_that_apply() -> None:
    """By t the first two runs and the others; two of three pairs were significant at p < .001."""
    campaign = make_campaign(topics=TOPICS[:2], **SHOWN)
    make_qrels(campaign)
    for tag, scores in (("one", [0.6, 0.8]), ("two", [0.5, 0.7]), ("three", [0.2, 0.1])):
        give_vector(make_run(campaign, tag=tag), scores)
    page = text_of(answered("significance", campaign))
    assert re.search(r"By \S+ no two of the 3 runs differ significantly", page), page[:2000]
    assert "1 pair of runs differs by the same amount on all topics" in page
    assert "The randomisation test and Wilcoxon’s do." in page
    assert "fewer than two topics in common" not in page
    rows = table(get("significance-csv", campaign))
    assert [row["p"] for row in rows if (row["a"], row["b"]) == ("one", "two")] == [""]
    compared = text_of(get("compare", campaign))
    assert "no p-value, because the difference is the same on all topics" in compared
    assert "By Wilcoxon’s test it is not significant" in compared
