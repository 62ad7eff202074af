"""How certain ranks are, how stable the order is, and how many topics are needed: on pages, in CSV
and API, and beside the ranks of the leaderboard."""

import re

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.rank_intervals import bootstrap_ranks, possible_ranks
from scoring.core.statistics.rank_sets import rank_sets
from scoring.core.statistics.split_halves import half_sizes, split_halves
from scoring.core.statistics.topic_set_size import (
    Requirement,
    topics_for_anova,
    topics_for_t,
    variance_interval,
    variances,
)
from scoring.models import Analysis
from scoring.ranks.charts import needed_chart, swaps_chart
from scoring.ranks.halves import Halves, StabilityRow, SwapRow
from scoring.ranks.tables import NEEDED_PAGE
from scoring.ranks.topics import NeededRow, needed
from scoring.worker import perform_waiting_jobs
from tests.making import make_campaign, make_organiser, make_qrels, make_run
from tests.scoring.core.test_rank_sets import with_a_large_critical_value
from tests.scoring.leaderboard.test_board_page import SHOWN
from tests.scoring.significance.test_significance_page import (
    RBP,
    TOPICS,
    answered,
    get,
    give_vector,
    make_board,
    noisy,
    table,
    text_of,
)

pytestmark = pytest.mark.django_db
SCORES = [noisy(0.5, 1), noisy(0.48, 2), noisy(0.3, 3)]
# The worker has the topics in the order of their bytes.
ORDERED = np.array(SCORES)[:, sorted(range(len(TOPICS)), key=lambda at: TOPICS[at])]
PAGES = ("ranks", "stability", "needed-topics")


def api(name: str, campaign: Campaign, **query: str) -> list[dict[str, object]]:
    response = Client().get(reverse(f"api:{name}", args=[campaign.slug]), query)
    assert response.status_code == 200
    return response.json()


class TestRanks:
    def test_the_page_waits_then_shows_the_intervals(self) -> None:
        campaign = make_board(*SCORES)
        waiting = get("ranks", campaign)
        assert "Computing how certain the ranks are" in text_of(waiting)
        assert waiting["Refresh"] == "2"
        assert get("ranks-csv", campaign).status_code == 202
        perform_waiting_jobs(campaign)
        text = text_of(get("ranks", campaign))
        assert "By RBP(p=0.5), r1 leads and is first in" in text
        assert "resampled topic sets. Two runs have rank 1 in their range, and two in" in text
        assert "simultaneous confidence set" in text

    def test_csv_and_api_have_the_numbers_of_the_core(self) -> None:
        campaign = make_board(*SCORES)
        answered("ranks", campaign)
        found = bootstrap_ranks(ORDERED, samples=10_000, seed=1)
        means = np.array([scores.mean() for scores in SCORES])
        best, worst = possible_ranks(means, means + 0.1)
        rows = table(get("ranks-csv", campaign))
        assert [row["run"] for row in rows] == ["r1", "r2", "r3"]
        assert [int(row["rank_best"]) for row in rows] == found.best.tolist()
        assert [int(row["rank_worst"]) for row in rows] == found.worst.tolist()
        shares = [float(row["first_share"]) for row in rows]
        assert shares == pytest.approx(found.first_shares, abs=1e-12)
        assert [int(row["possible_best"]) for row in rows] == best.tolist() == [1, 1, 3]
        assert [int(row["possible_worst"]) for row in rows] == worst.tolist() == [2, 2, 3]
        for one, other in zip(rows, api("ranks", campaign), strict=True):
            assert {key: str(value) for key, value in other.items()} == one

    @pytest.mark.parametrize("correction", ["max-t", "holm"])
    def test_rank_sets_are_those_of_the_core(self, correction: str) -> None:
        campaign = make_board(*SCORES)
        page = answered("ranks", campaign, correction=correction)
        found = rank_sets(ORDERED, correction=correction, samples=1_000, seed=1)
        rows = table(get("ranks-csv", campaign, correction=correction))
        assert [int(row["rank_set_best"]) for row in rows] == found.best.tolist()
        assert [int(row["rank_set_worst"]) for row in rows] == found.worst.tolist()
        for one, other in zip(rows, api("ranks", campaign, correction=correction), strict=True):
            assert {key: str(value) for key, value in other.items()} == one
        assert f'<option value="{correction}" selected>' in page.content.decode()
        usual = Analysis.objects.filter(question__correction="max-t").exists()
        assert usual == (correction == "max-t")

    @pytest.mark.parametrize("name", ["ranks", "ranks-csv"])
    def test_other_corrections_are_not_offered(self, name: str) -> None:
        assert get(name, make_board(*SCORES), correction="bh").status_code == 404

    @pytest.mark.parametrize("scores", [[0.5, 0.5], [0.5, 0.4]])
    def test_without_a_spread_a_sentence_takes_the_place_of_ranges(
        self, scores: list[float]
    ) -> None:
        campaign = make_board(*scores)
        page = answered("ranks", campaign)
        self.check_there_are_no_ranges(campaign, page)
        assert "Any two runs differ by the same on all topics" in text_of(page)

    def check_there_are_no_ranges(self, campaign: Campaign, page: HttpResponse) -> None:
        """Possible ranks are about these topics, so they stay."""
        text = text_of(page)
        assert "Ranges of ranks and rank sets by RBP(p=0.5) are unknown." in text
        assert "ranks in 95 %" not in text
        assert "possible ranks" in text
        unknown = ("rank_best", "rank_worst", "first_share", "rank_set_best", "rank_set_worst")
        for row in api("ranks", campaign):
            assert {row[name] for name in unknown} == {None}
            assert row["possible_best"] == 1
        for row in table(get("ranks-csv", campaign)):
            assert {row[name] for name in unknown} == {""}
        board = get("leaderboard", campaign).content.decode()
        assert "resampled topic sets" not in board
        assert ("possible ranks 1" in board) == ("rank-mark" in board)
        first = table(get("leaderboard-csv", campaign, ranks="on"))[0]
        assert (first["rank_best"], first["possible_best"]) == ("", "1")
        latex = get("ranks-latex", campaign).content.decode()
        assert "nan" not in latex.lower()
        assert "None" not in latex

    def test_a_sentence_says_why_there_are_no_rank_sets(self) -> None:
        """The runs differ on two topics."""
        campaign = make_board(0.5, [0.1, 0.8, *[0.5] * (len(TOPICS) - 2)])
        page = answered("ranks", campaign)
        words = "rank set unknown. The differences between runs have no spread, or only on a few"
        assert words in text_of(page)
        assert {row["rank_set_best"] for row in api("ranks", campaign)} == {None}
        assert {row["rank_set_worst"] for row in table(get("ranks-csv", campaign))} == {""}
        board = get("leaderboard", campaign).content.decode()
        assert "rank-mark" in board
        assert 'class="set"' not in board

    def test_a_caution_about_wide_rank_sets_names_the_other_correction(self) -> None:
        board = with_a_large_critical_value()
        campaign = make_board(*board)
        ordered = board[:, sorted(range(len(TOPICS)), key=lambda at: TOPICS[at])]
        caution = rank_sets(ordered, samples=1_000, seed=1).caution
        words = caution.replace("'", "&#x27;")
        assert caution
        assert words in answered("ranks", campaign).content.decode()
        assert {row["caution"] for row in api("ranks", campaign)} == {caution}
        assert {row["caution"] for row in table(get("ranks-csv", campaign))} == {caution}
        assert caution in get("ranks-latex", campaign).content.decode()
        assert words not in answered("ranks", campaign, correction="holm").content.decode()
        assert {row["caution"] for row in api("ranks", campaign, correction="holm")} == {""}
        # The leaderboard draws these rank sets.
        assert words in answered("leaderboard", campaign).content.decode()
        rows = table(answered("leaderboard-csv", campaign, ranks="on"))
        assert {row["rank_set_caution"] for row in rows} == {caution}
        assert caution in get("leaderboard-latex", campaign, ranks="on").content.decode()
        rows = api("leaderboard", campaign, ranks="on")
        assert {row["interval"]["rank_set_caution"] for row in rows} == {caution}

    def test_the_chart_names_fifty_runs_and_shows_their_ranges_as_a_whole(self) -> None:
        campaign = make_campaign(topics=TOPICS, **SHOWN)
        make_qrels(campaign)
        for number in range(53):
            give_vector(make_run(campaign, tag=f"r{number}"), noisy(0.5, number))
        page = answered("ranks", campaign)
        assert "The chart shows the first 50 runs. The table contains 3 more." in text_of(page)
        assert '<figure class="chart long"' in page.content.decode()
        layout = page.context["figure"]["layout"]
        assert len(layout["yaxis"]["ticktext"]) == 50
        worst = max(row["possible_worst"] for row in api("ranks", campaign)[:50])
        assert layout["xaxis"]["range"] == [0.5, worst + 0.5]
        assert worst > 50

    def test_possible_ranks_are_unknown_without_residuals(self) -> None:
        campaign = make_campaign(topics=TOPICS, **SHOWN)
        make_qrels(campaign)
        for number, scores in enumerate(SCORES):
            give_vector(make_run(campaign, tag=f"r{number}"), scores, measure="AP", residual=None)
        page = answered("ranks", campaign, measure="AP")
        assert "unknown, because AP has no residual" in text_of(page)
        rows = api("ranks", campaign, measure="AP")
        assert {row["possible_best"] for row in rows} == {None}

    def test_one_run_has_nothing_to_compare(self) -> None:
        campaign = make_board(noisy(0.5, 1))
        page = answered("ranks", campaign)
        assert "are unknown. Two runs or more are needed." in text_of(page)
        self.check_there_are_no_ranges(campaign, page)

    @pytest.mark.parametrize("topics", [1, 2, 4])
    def test_few_topics_say_nothing_about_others(self, topics: int) -> None:
        campaign = make_campaign(topics=TOPICS[:topics], **SHOWN)
        make_qrels(campaign)
        for number in (1, 2):
            give_vector(make_run(campaign, tag=f"r{number}"), noisy(0.5, number)[:topics])
        page = answered("ranks", campaign)
        assert f"5 topics or more are needed, and there are {topics}." in text_of(page)
        self.check_there_are_no_ranges(campaign, page)
        assert "Refresh" not in page

    def test_latex_has_the_intervals(self) -> None:
        campaign = make_board(*SCORES)
        answered("ranks", campaign)
        text = get("ranks-latex", campaign).content.decode()
        assert "possible ranks" in text
        assert "rank set, 95" in text
        assert "pairwise comparisons (bootstrap max-t)" in text
        assert "1–2" in text


class TestStability:
    def test_csv_and_api_have_the_numbers_of_the_core(self) -> None:
        campaign = make_board(*SCORES)
        page = answered("stability", campaign)
        assert "on two halves of 6 topics agree with τ =" in text_of(page)
        assert "1 in each half, difference" in page.content.decode()
        assert "1 topics" not in page.content.decode()
        expected = split_halves(ORDERED, sizes=half_sizes(12), splits=500, seed=1, width=0.01)
        rows = table(get("stability-csv", campaign))
        assert [float(row["tau"]) for row in rows] == pytest.approx(expected.mean, abs=1e-12)
        assert [int(row["topics"]) for row in rows] == [1, 2, 3, 4, 5, 6]
        swaps = table(get("swaps-csv", campaign))
        assert sum(int(row["swaps"]) for row in swaps) == expected.swaps.sum()
        assert len(api("swaps", campaign)) == len(swaps)
        assert [row["tau"] for row in api("stability", campaign)] == [
            float(row["tau"]) for row in rows
        ]

    def test_the_chart_says_that_its_last_point_is_of_all_larger_differences(self) -> None:
        """Without such pairs, the ticks are those that plotly chooses."""
        row = StabilityRow(topics=2, tau=0.9, tau_lowest=0.8, tau_highest=1.0)
        near, far = SwapRow(2, 0.0, 0.01, 3, 9), SwapRow(2, 0.2, None, 0, 5)
        axes = [
            swaps_chart(Halves((row,), swaps, splits=500, runs=5, topics=4, unknown=""))["layout"][
                "xaxis"
            ]
            for swaps in ((near, far), (near,))
        ]
        assert axes[0]["tickvals"][::2] == pytest.approx([0, 0.1, 0.2])
        assert axes[0]["ticktext"] == ["0", "0.05", "0.1", "0.15", "≥ 0.2"]
        assert "tickvals" not in axes[1]

    def test_one_run_has_nothing_to_compare(self) -> None:
        campaign = make_board(noisy(0.5, 1))
        assert "Two ranked runs" in text_of(get("stability", campaign))
        assert not Analysis.objects.exists()

    def test_runs_that_differ_on_one_topic_have_no_order(self) -> None:
        campaign = make_board(SCORES[0], SCORES[0] + np.eye(1, len(TOPICS))[0] / 10)
        page = answered("stability", campaign)
        assert "The agreement of halves is not defined" in text_of(page)
        assert "nan" not in page.content.decode().lower()
        assert {row["tau"] for row in api("stability", campaign)} == {None}

    @pytest.mark.parametrize("second", [0.0, 0.1])
    def test_differences_without_a_spread_say_nothing(self, second: float) -> None:
        campaign = make_board(SCORES[0], SCORES[0] - second)
        self.check_halves_are_unknown(campaign, "Any two runs differ by the same on all topics")

    @pytest.mark.parametrize("topics", [1, 2, 9])
    def test_few_topics_say_nothing_about_others(self, topics: int) -> None:
        campaign = make_campaign(topics=TOPICS[:topics], **SHOWN)
        make_qrels(campaign)
        for number in (1, 2):
            give_vector(make_run(campaign, tag=f"r{number}"), noisy(0.5, number)[:topics])
        are = "is" if topics == 1 else "are"
        why = f"10 topics or more are needed, and there {are} {topics}."
        self.check_halves_are_unknown(campaign, why)
        assert len(api("stability", campaign)) == topics // 2

    def check_halves_are_unknown(self, campaign: Campaign, why: str) -> None:
        page = answered("stability", campaign)
        assert f"The agreement of halves by RBP(p=0.5) is unknown. {why}" in text_of(page)
        assert "swap rate" not in text_of(page)
        for row in api("stability", campaign):
            assert {row["tau"], row["tau_lowest"], row["tau_highest"]} == {None}
        for row in table(get("stability-csv", campaign)):
            assert {row["tau"], row["tau_lowest"], row["tau_highest"]} == {""}
        sizes = [row["topics"] for row in api("stability", campaign)]
        assert [row["topics"] for row in api("swaps", campaign)] == sizes
        assert {row["swap_rate"] for row in api("swaps", campaign)} <= {None}
        assert {row["pairs"] for row in table(get("swaps-csv", campaign))} <= {""}
        for name in ("stability-latex", "swaps-latex"):
            assert why in get(name, campaign).content.decode()


class TestNeededTopics:
    def test_csv_and_api_have_the_numbers_of_the_core(self) -> None:
        campaign = make_board(*SCORES)
        page = answered("needed-topics", campaign, difference="0.02", power="0.9")
        assert "To find a true difference of 0.02 between two runs with 90 % power" in text_of(page)
        found = variances(np.array(SCORES))
        required = Requirement(0.02, 0.05, 0.9)
        rows = api("needed-topics", campaign, difference="0.02", power="0.9")
        row = next(row for row in rows if row["measure"] == RBP)
        assert row["variance"] == pytest.approx(found.within_runs, abs=1e-12)
        assert row["variance_of_differences"] == pytest.approx(found.of_differences, abs=1e-12)
        assert row["t_test"] == topics_for_t(found.of_differences, required)
        assert row["anova"] == topics_for_anova(3, found.within_runs, required)
        assert (row["runs"], row["pairs"], row["topics"], row["compared"]) == (3, 3, 12, 3)
        low, high = variance_interval(found.of_differences, 12)
        assert row["variance_of_differences_high"] == pytest.approx(high, abs=1e-12)
        ends = topics_for_t(low, required), topics_for_t(high, required)
        assert (row["t_test_low"], row["t_test_high"]) == ends
        assert f"{ends[0]:,}–{ends[1]:,}" in text_of(page)
        low, high = variance_interval(found.within_runs, 12)
        assert row["variance_low"] == pytest.approx(low, abs=1e-12)
        assert row["anova_high"] == topics_for_anova(3, high, required)
        latex = get("needed-topics-latex", campaign, difference="0.02", power="0.9")
        assert f"{ends[0]:,}–{ends[1]:,}" in latex.content.decode()
        (same,) = [
            row
            for row in table(get("needed-topics-csv", campaign, difference="0.02", power="0.9"))
            if row["measure"] == RBP
        ]
        assert int(same["anova_nagata"]) == row["anova_nagata"]

    def test_measures_with_graded_gains_are_named_in_words(self) -> None:
        measure = parse_measure("RBP(p=0.8,gain=map)")
        row = NeededRow(measure, 3, 3, 4, 0.05, 0.03, needed(0.05, 0.03, 3, Requirement(0.1)))
        assert NEEDED_PAGE[0].cell(row) == "RBP(p=0.8), graded gains"
        assert needed_chart([row])["data"][0]["y"] == ["RBP(p=0.8), graded gains"]

    def test_another_difference_needs_no_other_analysis(self) -> None:
        campaign = make_board(*SCORES)
        answered("needed-topics", campaign)
        for query in ({"difference": "0.1"}, {"difference": "1e300"}, {"level": "0.01"}):
            assert get("needed-topics", campaign, **query).status_code == 200
        assert Analysis.objects.count() == 1

    @pytest.mark.parametrize("difference", ["0", "-1", "nan", "inf", "x", "1e-999", "9" * 30])
    def test_a_difference_that_is_none(self, difference: str) -> None:
        campaign = make_board(*SCORES)
        page = get("needed-topics", campaign, difference=difference)
        assert page.status_code == 404
        assert "The difference is a number above 0." in text_of(page)

    def test_measures_without_scores_come_last_and_say_nothing(self) -> None:
        campaign = make_board(*SCORES)
        page = answered("needed-topics", campaign)
        assert ">nan<" not in page.content.decode()
        rows = api("needed-topics", campaign)
        assert rows[0]["measure"] == RBP
        assert {row["variance"] for row in rows[1:]} == {None}
        assert {row["t_test"] for row in rows[1:]} == {None}

    @pytest.mark.parametrize("second", [0.0, 0.1])
    def test_runs_that_differ_by_the_same_need_no_number_of_topics(self, second: float) -> None:
        campaign = make_board(SCORES[0], SCORES[0] - second)
        text = text_of(answered("needed-topics", campaign))
        assert "Any two runs differ by the same on all topics." in text
        row = next(r for r in api("needed-topics", campaign) if r["measure"] == RBP)
        assert (row["t_test"], row["t_test_nagata"]) == (None, None)
        assert row["anova"] == topics_for_anova(2, np.var(SCORES[0], ddof=1), Requirement(0.05))
        assert f"{row['anova']:,}" in text

    def test_scores_that_do_not_vary(self) -> None:
        campaign = make_board(0.5, 0.4)
        text = text_of(answered("needed-topics", campaign))
        assert "Without a variance of differences, no number of topics follows" in text
        assert "one-way analysis of variance" not in text
        assert {row["anova"] for row in api("needed-topics", campaign)} == {None}

    @pytest.mark.parametrize("topics", [1, 2, 4])
    def test_few_topics_measure_no_variance(self, topics: int) -> None:
        campaign = make_campaign(topics=TOPICS[:topics], **SHOWN)
        make_qrels(campaign)
        for number in (1, 2):
            give_vector(make_run(campaign, tag=f"r{number}"), noisy(0.5, number)[:topics])
        text = text_of(answered("needed-topics", campaign))
        assert "Two runs with scores on 5 topics are needed to measure a variance." in text
        assert {row["variance"] for row in api("needed-topics", campaign)} == {None}

    def test_a_difference_that_no_measure_can_find(self) -> None:
        campaign = make_board(*SCORES)
        text = text_of(answered("needed-topics", campaign, difference="1e-6"))
        assert "needs more than 10,000 topics to find a difference of 1e-06" in text

    @pytest.mark.parametrize("level", ["0", "1", "0.5"])
    def test_other_levels_are_not_offered(self, level: str) -> None:
        page = get("needed-topics", make_board(*SCORES), level=level)
        assert page.status_code == 404
        assert f"“{level}” is not a valid level." in text_of(page)

    def test_one_run_has_no_differences(self) -> None:
        assert "Two ranked runs are needed" in text_of(
            get("needed-topics", make_board(noisy(0.5, 1)))
        )


class TestCalculator:
    def calculator(self, **query: str) -> str:
        return text_of(Client().get(reverse("scoring:topics-calculator"), query))

    def test_it_needs_no_data(self) -> None:
        text = self.calculator(variance="0.05", difference="0.1", runs="10")
        assert "A t test of two runs needs 81 topics, and an ANOVA of 10 runs 158." in text
        assert "one-way ANOVA 158 157" in text

    def test_the_variance_of_differences_may_be_given(self) -> None:
        text = self.calculator(differences="0.03", difference="0.05")
        assert f"needs {topics_for_t(0.03, Requirement(0.05))} topics" in text

    def test_more_than_ten_thousand_topics(self) -> None:
        """They would take a web process seconds for each measure."""
        text = self.calculator(variance="10", differences="1", difference="0.05")
        assert "needs 3,142 topics, and an ANOVA of 10 runs more than 10,000." in text
        assert "needs more than 10,000 topics" in self.calculator(difference="0.00001")

    @pytest.mark.parametrize(
        ("variance", "difference", "words"),
        [
            ("1e-300", "1e300", "A t test of two runs needs 2 topics"),
            ("1e-16", "1", "A t test of two runs needs 2 topics"),
            ("1e308", "1e-300", "needs more than 10,000 topics"),
            ("1.7e308", "1", "needs more than 10,000 topics"),
        ],
    )
    def test_numbers_of_any_size_have_an_answer(
        self, variance: str, difference: str, words: str
    ) -> None:
        assert words in self.calculator(variance=variance, difference=difference)

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("variance", "0", "write a number above 0"),
            ("variance", "abc", "'abc' is not a number such as 0.05"),
            ("differences", "-1", "write a number above 0"),
            ("runs", "1", "a whole number from 2 to 10,000"),
            ("runs", "2.5", "a whole number from 2 to 10,000"),
            ("runs", "10001", "a whole number from 2 to 10,000"),
            ("difference", "nan", "is not a number"),
            ("level", "0", "between 1e-09 and 1"),
            ("level", "1", "between 1e-09 and 1"),
            ("level", "1e-300", "between 1e-09 and 1"),
            ("power", "0.05", "above the level, up to 0.999999"),
            ("power", "0.9999991", "above the level, up to 0.999999"),
        ],
    )
    def test_each_field_says_what_is_wrong(self, name: str, value: str, words: str) -> None:
        text = self.calculator(**{name: value})
        assert words in text.replace("&#x27;", "'")
        assert "The topics cannot be computed" in text


class TestLeaderboard:
    def test_marks_appear_when_they_are_computed(self) -> None:
        campaign = make_board(*SCORES)
        assert "rank-mark" not in get("leaderboard", campaign).content.decode()
        perform_waiting_jobs(campaign)
        html = get("leaderboard", campaign).content.decode()
        assert html.count('<svg class="rank-mark" role="img"') == 3
        assert "ranks 1–2 in 95 % of resampled topic sets, first in" in html
        assert ", rank set 1–" in html
        assert html.count('<line class="set"') == 4  # and one in the key
        assert "possible ranks 1–2" in html
        assert "ranks=on" in html

    def test_columns_of_tables_are_requested(self) -> None:
        campaign = make_board(*SCORES)
        assert get("leaderboard-csv", campaign, ranks="on").status_code == 202
        perform_waiting_jobs(campaign)
        board = table(get("leaderboard-csv", campaign, ranks="on"))
        ranks = table(get("ranks-csv", campaign))
        names = (
            "rank_best", "rank_worst", "first_share", "rank_set_best", "rank_set_worst",
            "possible_best", "possible_worst",
        )  # fmt: skip
        assert [[row[name] for name in names] for row in board] == [
            [row[name] for name in names] for row in ranks
        ]
        assert "rank_best" not in table(get("leaderboard-csv", campaign))[0]
        interval = api("leaderboard", campaign, ranks="on")[0]["interval"]
        assert interval["rank_best"] == interval["rank_set_best"] == 1
        assert "interval" not in api("leaderboard", campaign)[0]
        latex = get("leaderboard-latex", campaign, ranks="on").content.decode()
        assert "ranks, 95" in latex
        assert "& first & rank set, 95 \\% & possible ranks" in latex

    def test_ranks_among_other_runs_have_no_marks(self) -> None:
        campaign = make_board(*SCORES)
        get("leaderboard", campaign)
        perform_waiting_jobs(campaign)
        page = get("leaderboard", campaign, runs="best").content.decode()
        assert "rank-mark" not in page

    @pytest.mark.parametrize(
        ("query", "why"),
        [
            ({"runs": "best"}, "among all runs, not among the best run of each team."),
            ({"p": "0.7"}, "computed at the campaign’s own values of p only."),
            ({"measure": "Judged@10"}, "There are no ranges of ranks by Judged@10."),
            ({"measure": "GMAP"}, "There are no ranges of ranks by GMAP."),
        ],
    )
    def test_ranks_on_is_refused_where_it_has_no_effect(
        self, query: dict[str, str], why: str
    ) -> None:
        campaign = make_board(*SCORES, measures=[RBP, "Judged@10", "GMAP"])
        for format_ in ("csv", "latex"):
            refused = get(f"leaderboard-{format_}", campaign, ranks="on", **query)
            assert refused.status_code == 404
            assert f"{why} Leave out ranks=on." in text_of(refused)
        url = reverse("api:leaderboard", args=[campaign.slug])
        refused = Client().get(url, {"ranks": "on"} | query)
        assert refused.status_code == 400
        assert refused.json()["message"].endswith(f"{why} Leave out ranks=on.")
        page = get("leaderboard", campaign, ranks="on", **query)
        assert why in text_of(page)
        (link,) = re.findall(r'leaderboard\.csv([^"]*)"', page.content.decode())
        assert "ranks" not in link

    def test_ranks_on_is_refused_before_a_run_has_a_rank(self) -> None:
        campaign = make_campaign(topics=TOPICS, **SHOWN)
        refused = get("leaderboard-csv", campaign, ranks="on")
        assert refused.status_code == 404
        assert "because no run has a rank. Leave out ranks=on." in text_of(refused)

    @pytest.mark.parametrize("query", [{"type": "automatic"}, {"qrels": "1"}, {"ties": "on"}])
    def test_ranks_on_goes_with_what_keeps_the_ranks(self, query: dict[str, str]) -> None:
        campaign = make_board(*SCORES)
        assert get("leaderboard-csv", campaign, ranks="on", **query).status_code == 202

    def test_one_run_has_no_mark(self) -> None:
        campaign = make_board(noisy(0.5, 1))
        get("leaderboard", campaign)
        perform_waiting_jobs(campaign)
        assert "rank-mark" not in get("leaderboard", campaign).content.decode()


def test_without_qrels_the_pages_say_so() -> None:
    campaign = make_campaign(topics=TOPICS, **SHOWN)
    for name in PAGES:
        assert "there are no qrels" in text_of(get(name, campaign))


def test_only_those_who_see_the_board_see_them() -> None:
    campaign = make_board(*SCORES, board_audience=Audience.ORGANISERS)
    for name in PAGES:
        assert "r1" not in text_of(get(name, campaign))
        assert get(f"{name}-csv", campaign).status_code == 404
        response = Client().get(reverse(f"api:{name}", args=[campaign.slug]))
        assert response.status_code == 404
    assert not Analysis.objects.exists()
    organiser = make_organiser(campaign)
    answered("ranks", campaign, organiser)
    assert "r1 leads" in text_of(get("ranks", campaign, organiser))


def test_the_share_of_judged_documents_is_no_measure_to_plan_for() -> None:
    campaign = make_board(*SCORES, measures=[RBP, "Judged@10"])
    answered("needed-topics", campaign)
    found = {row["measure"] for row in api("needed-topics", campaign)}
    assert RBP in found
    assert "Judged@10" not in found
