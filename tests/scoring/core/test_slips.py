"""Where the published papers slip: what they print, and what is so."""

from fractions import Fraction

import pytest

from scoring.core.statistics.means import shown_digits
from tests.scoring.core.drawn import base, bounds, drawn, scores
from tests.scoring.core.test_paper_numbers import EXAMPLE, LECTURE, RUN_1, RUN_2, TOPIC, printed
from tests.scoring.core.test_tied_scores_paper import score, tied_base


class TestTiedScores:
    """McSherry and Najork, ECIR 2008."""

    def all_irrelevant(self, x, relevant, size):
        """f of the paper, with f(0) = 1: the first x of the group are irrelevant."""
        likely = Fraction(1)
        for taken in range(x):
            likely *= 1 - Fraction(relevant, size - taken)
        return likely

    @pytest.mark.parametrize("group", ["$-", "$--", "$$-", "-$$--", "$"])
    def test_reciprocal_rank_takes_the_difference_of_two_chances(self, group):
        size, relevant = len(group), group.count("$")
        f = [self.all_irrelevant(x, relevant, size) for x in range(size + 1)]
        correct = sum((f[x - 1] - f[x]) / x for x in range(1, size + 1))
        as_printed = sum(f[x] / x for x in range(1, size + 1))
        assert tied_base("RR", f"({group})") == pytest.approx(float(correct), abs=1e-15)
        assert as_printed != correct

    def test_two_documents_by_hand(self):
        # First in one of two orderings, second in the other; the printed sum gives 1/2
        assert tied_base("RR", "($-)") == 0.75

    def test_r_counts_the_qrels_not_the_result_vector(self):
        assert score("R@2", "($-)$", relevant=4).base[0] == pytest.approx(1 / 4, abs=1e-15)
        assert score("F1@2", "($-)$", relevant=4).base[0] == pytest.approx(2 / 6, abs=1e-15)
        assert score("AP", "($-)", relevant=4).base[0] == pytest.approx(0.75 / 4, abs=1e-15)

    def test_a_group_of_one_divides_by_zero_nowhere(self):
        assert tied_base("AP", "($)(-)($)") == pytest.approx((1 + 2 / 3) / 2, abs=1e-15)


class TestSevenProperties:
    """Moffat, AIRS 2013."""

    def test_self_normalised_dcg_divides_dcg_not_sdcg(self):
        # "computed as SDCG@k divided by ...", but its own example divides DCG@k: .92
        best = base("DCG@2", "11")
        assert printed(base("SNDCG@5", "10100"), ".92")
        assert printed(base("DCG@5", "10100") / best, ".92")
        assert printed(base("SDCG@5", "10100") / best, ".31")

    def test_a_digit_was_cut_off(self):
        # 1.89/2.13 = .8855, printed .88
        assert printed(base("SNDCG@5", "10101"), ".8855")
        assert printed(base("SNDCG@5", "10101"), ".89")


class TestRankBiasedPrecision:
    """Moffat and Zobel, TOIS 2008."""

    def test_ap_of_the_example_is_printed_twice(self):
        # .6315 in section 3.1, .6316 in section 4
        exact = Fraction(1, 5) * sum([1, 1, Fraction(3, 6), Fraction(4, 11), Fraction(5, 17)])
        assert exact == Fraction(1181, 1870)
        assert base("AP", EXAMPLE) == pytest.approx(float(exact), abs=1e-15)
        assert printed(float(exact), ".63155")

    def test_twenty_judged_documents_allow_one_digit_not_two(self):
        # "at most two decimal places"; by the rule for four digits two need a residual below .01
        residual = bounds("RBP(p=0.8)", "-" * 20)[1]
        assert printed(residual, ".012")
        assert shown_digits(residual) == 1
        assert shown_digits(bounds("RBP(p=0.8)", "-" * 21)[1]) == 2

    def test_search_length_counts_irrelevant_documents(self):
        # "documents retrieved before i relevant ones": 6 down to the third, of which 3 irrelevant
        assert base("ESL(n=3)", EXAMPLE) == 3

    def test_the_chance_of_a_third_page_is_cut_off(self):
        # Section 4.2, p = .95: "35%"; .95^20 = .358
        assert printed(base("RBP(p=0.95)", "-" * 20 + "$") / 0.05, ".358")

    def test_scaling_dcg_to_a_thousand_divides_it_by_more_than_five(self):
        # Section 4.6: "by a factor of almost 5", from 21.79 to 123.99
        factor = base("DCG(b=2)@1000", "$" * 1000) / base("DCG(b=2)@100", "$" * 100)
        assert printed(factor, "5.69")


class TestStrategicJudgments:
    """Moffat, Webber and Zobel, SIGIR 2007. The slip in Table 5's caption needs TREC-8's runs."""

    def test_the_mean_residual_of_table_1(self):
        runs = [
            "18 22 15 13 11 25 10 84",
            "22 10 11 19 38 18 33 17",
            "21 35 16 11 38 33 18 17",
            "10 18 11 22 87 13 17 20",
        ]
        chosen = {"18", "22", "11", "10", "21", "13"}
        lists = ["".join("-" if d in chosen else "?" for d in run.split()) for run in runs]
        residuals = scores("RBP(p=0.8)", drawn(*lists)).residual
        assert all(map(printed, residuals, [".403", ".446", ".645", ".344"]))
        assert printed(residuals.mean(), ".46")  # printed .49


class TestLecture:
    """Ferro, 2024."""

    def test_the_area_was_summed_from_rounded_terms(self):
        rounded = 0.2 * (0.50 + 0.66 + 0.60 + 0.50 + 0.55)
        assert printed(rounded, ".5620")
        assert printed(base("AUC", RUN_1), ".5644")

    @pytest.mark.parametrize(
        ("rank", "run", "cut", "rounded"),
        [(3, RUN_1, ".66", ".67"), (7, RUN_1, ".42", ".43"), (8, RUN_2, ".37", ".38")],
    )
    def test_precisions_have_their_digits_cut_off(self, rank, run, cut, rounded):
        precision = base(f"P@{rank}", run)
        assert printed(precision, rounded)
        assert not printed(precision, cut)
        assert int(precision * 100) == int(cut[1:])

    def test_trec_eval_does_not_use_base_2(self):
        # "it uses b = 2 as base of the logarithm": it divides by log2(i + 1)
        assert printed(base("nDCG(b=2)@10", LECTURE, **TOPIC), ".5194")
        assert printed(base("nDCG@10", LECTURE, **TOPIC), ".5851")
