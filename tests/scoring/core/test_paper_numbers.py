"""Every worked number of the five papers, in their order and at the precision they print.

Not here, because they need the runs of TREC: Tables III and IV of the RBP paper, as far as its
systems' scores are known (test_agreement.py, test_significance.py); Tables 2 to 5 of Strategic
judgments. `docs/reproduction.md` has them. Where a paper slips: test_slips.py.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from scoring.core.judging.selection import Strategy, bounds_of_runs, static_order, weigh
from scoring.core.judging.shares import document_shares
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.means import required_depth, shown_digits
from scoring.core.statistics.pairs import all_pairs
from scoring.core.statistics.projection import attainable_rbp, documents_read
from tests.scoring.core.drawn import base, bounds, drawn, scores
from tests.scoring.core.test_properties import TABLE_2, row
from tests.scoring.core.test_selection import TABLE_1, documents, table_1, unjudged
from tools.reproduction_page import lecture
from tools.reproduction_page.lecture import RUN_1, RUN_2
from tools.reproduction_page.rbp_worked import BETTER, DOUBTFUL, EXAMPLE

LECTURE, TOPIC = lecture.EXAMPLE, lecture.TOPIC


def printed(value: float, text: str) -> bool:
    """The value rounds to the printed text."""
    digits = len(text.partition(".")[2])
    return f"{value:.{digits}f}".lstrip("0") == text.lstrip("0")


def all_printed(values, texts: str) -> bool:
    return all(printed(*pair) for pair in zip(values, texts.split(), strict=True))


class TestRankBiasedPrecision:
    """A. Moffat and J. Zobel. Rank-biased precision ... ACM TOIS 27(1), 2008."""

    @pytest.mark.parametrize(("relevant", "ap"), [(6, ".5263"), (7, ".4511")])
    def test_3_1_missing_documents_count_zero(self, relevant, ap):
        by_hand = sum([1, 1, Fraction(3, 6), Fraction(4, 11), Fraction(5, 17)])
        assert base("AP", EXAMPLE) == pytest.approx(float(by_hand / 5), abs=1e-15)
        assert abs(base("AP", EXAMPLE) - 0.6315) < 1e-4  # printed .6315, and later .6316
        assert printed(base("AP", EXAMPLE, relevant=relevant), ap)
        assert base("SP@20", EXAMPLE) == pytest.approx(float(by_hand), abs=1e-15)

    def test_3_1_recall_at_the_end_bounds_ap(self):
        assert base("AP", EXAMPLE, relevant=20) <= base("SetR", EXAMPLE, relevant=20) == 0.25

    def test_3_1_three_more_relevant_documents_lower_the_mean_over_those_retrieved(self):
        assert abs(base("APret", EXAMPLE) - 0.6315) < 1e-4
        assert printed(base("APret", BETTER), ".5324")
        assert base("P@20", BETTER) > base("P@20", EXAMPLE)

    def test_3_1_judging_one_more_document_relevant_lowers_ap(self):
        judged = "$--$------"
        assert base("AP", judged + "?" * 10) == 0.75
        found = [base("AP", judged + "?" * i + "$" + "?" * (9 - i)) for i in range(10)]
        assert printed(max(found), ".5909")

    def test_3_2_precision_does_not_see_the_order_and_is_hobbled_beyond_r(self):
        assert base("P@10", "$$$$------") == base("P@10", "------$$$$") == 0.4
        assert base("P@10", "$$$$$-----") == 5 / 10  # R/d, with R = 5

    def test_3_2_the_first_position_is_worth_twice_the_second(self):
        assert base("RR", "$-") == 2 * base("RR", "-$") == 1

    def test_4_table_1(self):
        shares = document_shares(parse_measure("AP"), drawn(EXAMPLE))
        shares = shares[[0, 1, 5, 10, 16]]
        assert all_printed(shares * 5, "1.8164 .8164 .3164 .1497 .0588")
        assert all_printed(shares, ".3633 .1633 .0633 .0299 .0118")
        assert all_printed(100 * shares / shares.sum(), "58 26 10 5 2")
        assert shares[0] > sum(shares) / 2  # "more than half"

    @pytest.mark.parametrize(
        ("p", "weights", "total", "rbp"),
        [
            (0.5, "1.0000 .5000 .0313 .0010 .0000", "1.5322", ".7661"),
            (0.8, "1.0000 .8000 .3277 .1074 .0281", "2.2632", ".4526"),
            (0.95, "1.0000 .9500 .7738 .5987 .4401", "3.7626", ".1881"),
        ],
    )
    def test_4_table_2(self, p, weights, total, rbp):
        shares = document_shares(parse_measure(f"RBP(p={p})"), drawn(EXAMPLE))
        assert all_printed(shares[[0, 1, 5, 10, 16]] / (1 - p) + 1e-12, weights)  # .03125 is .0313
        assert printed(base(f"RBP(p={p})", EXAMPLE) / (1 - p), total)
        assert printed(base(f"RBP(p={p})", EXAMPLE), rbp)

    def test_4_1_documents_examined(self):
        assert [documents_read(p) for p in (0, 0.5)] == [1, 2]
        assert documents_read(0.8) == pytest.approx(
            sum(i * 0.8 ** (i - 1) * 0.2 for i in range(1, 400))
        )

    def test_4_2_without_the_first_document_the_impatient_lose_most(self):
        lost = [
            base(f"RBP(p={p})", EXAMPLE) - base(f"RBP(p={p})", "-" + EXAMPLE[1:])
            for p in (0.5, 0.8, 0.95)
        ]
        assert lost == sorted(lost, reverse=True)
        assert min(lost) > 0

    @pytest.mark.parametrize(("p", "rank", "likely"), [(0.95, 11, ".60"), (0.5, 11, ".001")])
    def test_4_2_how_likely_the_next_page_is_read(self, p, rank, likely):
        assert printed(base(f"RBP(p={p})", "-" * (rank - 1) + "$") / (1 - p), likely)

    @pytest.mark.parametrize("ranking", ["$-", "-$", "?$"])
    def test_4_2_feeling_lucky_is_precision_at_1(self, ranking):
        lucky, first = (scores(name, drawn(ranking)) for name in ("RBP(p=0)", "P@1"))
        assert (lucky.base, lucky.residual) == (first.base, first.residual)

    def test_4_2_five_relevant_documents_reach_less_than_23_hundredths(self):
        assert printed(base("RBP(p=0.95)", "$" * 5), ".23")
        assert attainable_rbp(0.95, 5) == pytest.approx(1 - 0.95**5, abs=1e-15)

    @pytest.mark.parametrize(
        ("p", "low", "high", "table_2"),
        [
            (0.5, ".7661", ".7663", ".7661"),
            (0.8, ".447", ".489", ".4526"),
            (0.95, ".17", ".60", ".1881"),
        ],
    )
    def test_4_4_bounds(self, p, low, high, table_2):
        lower, upper = bounds(f"RBP(p={p})", DOUBTFUL)
        assert printed(lower, low)
        assert printed(upper, high)
        by_hand = p**20 + (1 - p) * (p**12 + p**13 + p**16)
        assert upper - lower == pytest.approx(by_hand, abs=1e-15)
        assert lower <= base(f"RBP(p={p})", EXAMPLE) <= upper  # they encompass Table II
        assert printed(base(f"RBP(p={p})", EXAMPLE), table_2)

    def test_4_4_the_depth_that_a_precision_needs(self):
        assert printed(bounds("RBP(p=0.8)", "-" * 20)[1], ".012")
        assert [required_depth(p, 0.0001) for p in (0.5, 0.8, 0.95)] == [14, 42, 180]
        assert required_depth(0.91, 0.0001) <= 100 < required_depth(0.92, 0.0001)
        assert printed(-np.log(0.0001), "9.21")

    def test_4_5_the_hundredth_document(self):
        share = base("RBP(p=0.95)", "-" * 99 + "$") / base("RBP(p=0.95)", "$")
        assert printed(100 * share, "0.6")

    @pytest.mark.parametrize(("depth", "factor"), [(100, "21.79"), (1000, "123.99")])
    def test_4_6_the_scale_factors_of_dcg(self, depth, factor):
        assert printed(base(f"DCG(b=2)@{depth}", "$" * depth), factor)

    @pytest.mark.parametrize(("p", "depth"), [*product([0.5, 0.8, 0.95], [1, 10, 200])])
    def test_4_6_all_that_is_lacking_of_1_is_the_residual(self, p, depth):
        assert bounds(f"RBP(p={p})", "$" * depth)[1] == pytest.approx(1, abs=1e-14)

    def test_4_7_four_way_judgments(self):
        worth = {"highest": 3, "gain_map": [0, 0.33, 0.67, 1]}
        by_hand = 0.2 * (1 + 0.8**2 * 0.33 + 0.8**3 * 0.67 + 0.8**7 * 0.67)
        assert base("RBP(p=0.8,gain=map)", LECTURE, **worth) == pytest.approx(by_hand, abs=1e-15)

    def test_5_pairs_of_61_systems(self):
        assert len(all_pairs(61)) == 1830


class TestStrategicJudgments:
    """A. Moffat, W. Webber and J. Zobel. Strategic system comparisons ... SIGIR 2007."""

    def test_2_about_half_of_the_users_reach_the_fourth_document(self):
        assert printed(base("RBP(p=0.8)", "---$") / 0.2, ".512")

    def test_2_base_and_residual(self):
        lower, upper = bounds("RBP(p=0.8)", "011001?001")
        assert all_printed([lower, upper - lower, upper], ".380 .160 .540")
        assert printed(bounds("RBP(p=0.8)", "-" * 21)[1], ".01")
        assert shown_digits(bounds("RBP(p=0.8)", "-" * 21)[1]) == 2

    def test_3_pooling_takes_the_runs_of_table_1_rank_by_rank(self):
        # The paper goes from run to run at each rank, and says that ties are broken arbitrarily.
        candidates = table_1()
        order = ["18", "22", "21", "10", "35", "15", "11", "16", "13"]
        by_weight = documents(
            candidates, static_order(candidates, Strategy("pooling", 0.8))
        ).split()
        assert [set(by_weight[a:b]) for a, b in ((0, 4), (4, 5), (5, 8))] == [
            set(order[a:b]) for a, b in ((0, 4), (4, 5), (5, 8))
        ]
        assert order[8] in by_weight[8:10]  # 13 and 19 are fourth in runs 1 and 2

    def test_3_table_1(self):
        candidates = table_1()
        outcomes = unjudged(candidates)
        chosen = static_order(candidates, Strategy("A", 0.8))[:6]
        assert documents(candidates, chosen) == "18 22 11 10 21 13"
        weights = weigh(candidates, Strategy("A", 0.8), outcomes)[chosen]
        assert all_printed(weights, ".4780 .4624 .4403 .4124 .2000 .1679")
        outcomes[chosen] = 0
        residuals = bounds_of_runs(candidates, outcomes, 0.8).residual[:, 0]
        assert all_printed(residuals, ".403 .446 .645 .344")
        pool = {"18", "22", "11", "10", "21", "13"}
        assert [len(pool & set(run.split())) for run in TABLE_1] == [5, 4, 3, 5]
        assert printed(residuals[2] / residuals[3], "1.9")  # "nearly twice as large"

    def test_5_pairs_of_the_top_third_of_129_runs(self):
        assert len(all_pairs(129 // 3)) == 903


class TestSevenProperties:
    """A. Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013."""

    @pytest.mark.parametrize("worth", [[0, 0.1, 0.3, 0.7, 1], [0, 0.125, 0.25, 0.5, 1]])
    def test_2_a_scale_of_five_grades(self, worth):
        # None, Low, Moderate, High, Very High; relevant from Moderate or from High on
        scale = {"highest": 4, "gain_map": worth}
        assert [base("HIT@1", grade, **scale) for grade in "01234"] == worth
        assert base("P(rel=2)@5", "01234", **scale) == 0.6
        assert base("P(rel=3)@5", "01234", **scale) == 0.4

    def test_2_recall_is_precision_in_another_unit(self):
        assert base("R@5", "11000", relevant=4) == 5 / 4 * base("P@5", "11000", relevant=4)

    def test_2_a_thousand_relevant_documents_take_dcg_to_123(self):
        assert base("DCG@1000", "1" * 1000) >= 123.0 > base("DCG@999", "1" * 999)

    def test_2_late_relevant_documents_beat_early_ones(self):
        assert printed(base("DCG@5", "11000"), "1.63")
        assert printed(base("DCG@11", "00000111111"), "1.874")
        weights = [base("DCG@5", "0" * i + "1") for i in range(5)]
        assert all_printed(weights, "1.00 .63 .50 .43 .39")
        assert printed(base("SDCG@5", "11000"), ".55")

    def test_2_the_sums_of_harmonic_weights_approach_one(self):
        sums = [base("WP(w=harmonic)", "1" * depth) for depth in (1, 2, 5, 99)]
        assert sums == pytest.approx([1 / 2, 2 / 3, 5 / 6, 0.99], abs=1e-15)

    def test_3_self_normalised_dcg(self):
        assert printed(base("SNDCG@5", "10100"), ".92")
        assert printed(base("DCG@5", "10101"), "1.89")
        assert printed(base("DCG@3", "111"), "2.13")
        assert base("SNDCG@5", "10101") < base("SNDCG@5", "10100")

    def test_3_r_precision_is_capped(self):
        assert base("Rprec@5", "11000", relevant=2) == base("Rprec@2", "11000", relevant=9) == 1

    def test_4_what_falls_when_an_irrelevant_document_follows(self):
        for name, text in (("P", ".83"), ("SDCG", ".89"), ("nDCG", ".89")):
            assert base(f"{name}@5", "11111", relevant=6) == pytest.approx(1, abs=1e-15)
            assert printed(base(f"{name}@6", "111110", relevant=6), text)

    def test_4_self_normalised_ap(self):
        assert base("SNAP@5", "10000") == 1
        assert base("SNAP@5", "10001") == pytest.approx(0.7, abs=1e-15)

    def test_4_reciprocal_rank_does_not_rise(self):
        assert base("RR@5", "01000") == base("RR@5", "01100") == 0.5
        assert base("RR@5", "10001") == base("RR@5", "11000") == 1

    def test_4_table_2_shows_ten_combinations(self):
        rows = {name: row(name).split() for name in TABLE_2}
        assert len(rows) == 13
        assert len({tuple(each) for each in rows.values()}) == 10
        for one, other in ((2, 3), (5, 6)):  # convergent, top-weighted; complete, realizable
            assert len({(each[one], each[other]) for each in rows.values()}) == 4
        assert max(each.count("y") for each in rows.values()) == 6
        assert rows["RBP(p=0.8)@5"] == list("yyyyyyn")

    @pytest.mark.parametrize("relevant", [1, 2, 3, 4])
    def test_4_table_2_where_a_score_of_1_can_be_reached(self, relevant):
        best = {
            name: base(f"{name}@2", "1" * relevant + "0" * 4) for name in ("P", "SDCG", "R", "AP")
        }
        for name in ("P", "SDCG"):
            assert (best[name] == pytest.approx(1, abs=1e-15)) == (relevant >= 2)
        for name in ("R", "AP"):
            assert (best[name] == 1) == (relevant <= 2)


class TestLecture:
    """N. Ferro. Evaluation measures. University of Padua, 2023/2024."""

    def test_the_set_of_ten_documents(self):
        found = [base(name, LECTURE, **TOPIC) for name in ("SetP", "SetR", "SetF")]
        assert found == pytest.approx([4 / 10, 4 / 8, 4 / 9], abs=1e-15)
        assert all_printed(found, ".40 .50 .44")

    def test_the_first_five(self):
        found = [base(name, LECTURE, **TOPIC) for name in ("P@5", "R@5", "Rprec")]
        assert found == [0.6, 0.375, 0.5]

    @pytest.mark.parametrize(
        ("run", "precisions", "recalls"),
        [
            (RUN_1, "0 .50 .66 .50 .60 .50 .42 .50 .55 .50", "0 .2 .4 .4 .6 .6 .6 .8 1 1"),
            (RUN_2, "1 .50 .33 .50 .40 .33 .42 .37 .44 .50", ".2 .2 .2 .4 .4 .4 .6 .6 .8 1"),
        ],
    )
    def test_the_precision_recall_curves(self, run, precisions, recalls):
        # Digits are cut off, not rounded.
        for rank, (precision, recall) in enumerate(
            zip(precisions.split(), recalls.split(), strict=True), start=1
        ):
            assert int(100 * base(f"P@{rank}", run) + 1e-9) == round(100 * float(precision))
            assert base(f"R@{rank}", run) == pytest.approx(float(recall), abs=1e-15)

    def test_the_interpolated_curve(self):
        # .66 .60 .55, cut off; run 2 begins with 1.00
        levels = [base(f"IPrec@{level}", RUN_1) for level in (0, 0.2, 0.4, 0.6, 0.8, 1)]
        assert levels == pytest.approx([2 / 3, 2 / 3, 2 / 3, 3 / 5, 5 / 9, 5 / 9], abs=1e-15)
        assert base("IPrec@0.2", RUN_2) == 1

    def test_average_precision(self):
        assert base("AP", LECTURE, **TOPIC) == pytest.approx(35 / 96, abs=1e-15)
        assert printed(base("AP", LECTURE, **TOPIC), ".36")
        assert base("AUC", RUN_1) == base("AP", RUN_1)

    def test_discounted_gain_of_the_impatient_user(self):
        assert printed(base("DCG(b=2)@10", LECTURE, **TOPIC), "5.2976")
        assert printed(base("DCG(b=2)@10", "3322211100", **TOPIC), "10.1996")
        assert printed(base("nDCG(b=2)@10", LECTURE, **TOPIC), ".5194")

    def test_rank_biased_precision(self):
        assert printed(base("RBP(p=0.8)", LECTURE, **TOPIC), ".4723")

    def test_what_trec_eval_prints_of_topic_601_of_clef_2009(self):
        """Of that run the slide shows the first ten documents and how many are relevant by when."""
        ranking, seen = "1100001000", 3
        for rank, found in ((15, 6), (18, 8), (19, 9), (30, 11), (36, 11), (89, 21), (100, 23)):
            ranking += ("1" * (found - seen)).rjust(rank - len(ranking), "0")
            seen = found
        for rank, found in ((200, 39), (500, 60), (1000, 67)):
            ranking += ("1" * (found - seen)).rjust(rank - len(ranking), "0")
            seen = found
        ranks = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
        rows = {
            "SetP SetR SetAP SetF set_relative_P": ".0670 .7528 .0504 .1230 .7528",
            "utility NumRet NumRel NumRelRet RR": "-866 1000 89 67 1.0000",
            "Rprec Rprec(mult=0.2) Rprec(mult=0.4)": ".2360 .4444 .3056",
            "IPrec@0 IPrec@0.1 IPrec@0.8 AP@5": "1.0000 .4737 .0000 .0225",
            "nDCG@5 nDCG@10": ".5531 .4323",
            " ".join(f"P@{k}" for k in ranks): (
                ".4000 .3000 .4000 .4500 .3667 .2300 .1950 .1200 .0670"
            ),
            " ".join(f"R@{k}" for k in ranks): (
                ".0225 .0337 .0674 .1011 .1236 .2584 .4382 .6742 .7528"
            ),
        }
        for names, texts in rows.items():
            found = [base(name, ranking, relevant=89) for name in names.split()]
            assert all_printed(found, texts), names
