"""Moffat and Zobel, Rank-biased precision (TOIS 2008): the measures it names beside RBP and AP.

Those two are in test_paper_numbers.py.
"""

from fractions import Fraction

import numpy as np
import pytest

from scoring.core.means import required_depth
from tests.core.drawn import base, drawn, scores
from tests.core.test_paper_numbers import EXAMPLE, printed
from tests.core.test_tied_scores_paper import tied_base


class TestSection31:
    def test_the_sum_of_precisions_is_ap_without_the_division(self):
        by_hand = sum([1, 1, Fraction(3, 6), Fraction(4, 11), Fraction(5, 17)])
        assert base("SP@20", EXAMPLE) == pytest.approx(float(by_hand), abs=1e-15)

    def test_the_mean_over_the_retrieved_falls_with_three_more_found(self):
        assert abs(base("APret", EXAMPLE) - 0.63155) < 5e-6
        assert printed(base("APret", "$$---$----$-----$$$$"), ".5324")

    def test_what_recall_ends_at_bounds_ap(self):
        assert base("AP", EXAMPLE, relevant=20) <= base("SetR", EXAMPLE, relevant=20) == 0.25


class TestSection33:
    def test_shaws_combination_at_ten(self):
        # 3 of the first 10 relevant, R = 5: 1/(10/3 + 5/3 - 1) = 1/4
        assert base("PR@10", EXAMPLE) == 0.25
        assert base("PR@10", "-" * 20, relevant=5) == 0

    def test_expected_search_length_counts_the_irrelevant(self):
        # Relevant at 1, 2, 6, 11 and 17; the paper says "documents retrieved", Cooper's are these.
        lengths = [base(f"ESL(n={n})", EXAMPLE) for n in range(1, 6)]
        assert lengths == [0, 0, 3, 7, 12]
        assert base("ESL(n=5,per=1)", EXAMPLE) == pytest.approx(2.4, abs=1e-15)
        assert np.isnan(base("ESL(n=6)", EXAMPLE))

    def test_bpref_of_the_example(self):
        # R = 5, N = 15: n = 0, 0, 3, 7, 12 above: (1 + 1 + 2/5 + 0 + 0)/5
        assert base("bpref", EXAMPLE) == pytest.approx(2.4 / 5, abs=1e-15)
        # k = 10: min(15, n)/min(15, 15): (1 + 1 + 12/15 + 8/15 + 3/15)/5
        by_hand = (2 + 23 / 15) / 5
        assert base("bpref(k=10)", EXAMPLE) == pytest.approx(by_hand, abs=1e-15)

    def test_bpref_condenses_the_ranking(self):
        assert base("bpref", "$?-?$-") == base("bpref", "$-$-") == pytest.approx(0.75, abs=1e-15)

    def test_q_is_ap_with_a_blended_ratio(self):
        # Binary: 2C/(i + min(i, R)) at ranks 1, 2, 6, 11, 17
        by_hand = sum([1, 1, Fraction(6, 11), Fraction(8, 16), Fraction(10, 22)]) / 5
        assert base("Q", EXAMPLE) == pytest.approx(float(by_hand), abs=1e-15)
        assert base("Q(beta=0)", EXAMPLE) == pytest.approx(base("AP", EXAMPLE), abs=1e-15)

    def test_rank_power_is_low_for_good_rankings(self):
        assert base("RankPower", EXAMPLE) == pytest.approx(37 / 25, abs=1e-15)
        assert base("RankPower", "$$$$$") == pytest.approx(15 / 25, abs=1e-15)
        assert np.isnan(base("RankPower", "-----"))


class TestSection42:
    @pytest.mark.parametrize(
        ("p", "rank", "likely"), [(0.95, 11, ".60"), (0.95, 21, ".36"), (0.5, 11, ".001")]
    )
    def test_how_likely_a_rank_is_read(self, p, rank, likely):
        # A second page, "roughly 60%", a third one, "35%"; one in a thousand at p = .5
        weight = base(f"RBP(p={p})", "-" * (rank - 1) + "$") / (1 - p)
        assert printed(weight, likely)

    def test_the_hundredth_document_weighs_six_thousandths_of_the_first(self):
        # Section 4.5, p = .95: "just 0.6%"
        share = base("RBP(p=0.95)", "-" * 99 + "$") / base("RBP(p=0.95)", "$")
        assert printed(share, ".006")

    def test_the_fourth_document_is_read_by_half_of_the_users(self):
        # Strategic judgments, section 2: p = .8, "about 50%"
        assert printed(base("RBP(p=0.8)", "---$") / 0.2, ".512")


class TestSection44:
    def test_a_hundred_judged_documents_give_four_digits_up_to_a_persistence_of_91(self):
        assert required_depth(0.91, 0.0001) <= 100 < required_depth(0.92, 0.0001)

    def test_the_rule_of_thumb_for_the_depth_is_for_large_persistence(self):
        # 9.21/(1 - p): 184 where counting gives 180, but 18 where it gives 14
        assert [round(9.21 / (1 - p)) for p in (0.5, 0.8, 0.95)] == [18, 46, 184]
        assert [required_depth(p, 0.0001) for p in (0.5, 0.8, 0.95)] == [14, 42, 180]


class TestSection47:
    def test_a_tied_group_shares_its_weight(self):
        # Ranks 2 to 4 tied, one of them relevant: (.8 + .64 + .512)/3 each
        shared = 0.2 * (0.8 + 0.64 + 0.512) / 3
        assert tied_base("RBP(p=0.8)", "-($--)") == pytest.approx(shared, abs=1e-15)


class TestSection43:
    def test_the_sceptical_user_waits_for_a_second_document(self):
        assert base("RR(nth=2)", EXAMPLE) == 1 / 2
        assert base("RR(nth=3)", EXAMPLE) == pytest.approx(1 / 6, abs=1e-15)
        assert base("RR(nth=6)", EXAMPLE) == 0

    def test_the_cautious_user_reads_on(self):
        assert base("RR(damp=1)", EXAMPLE) == 1 / 2
        assert base("RR(damp=2)", "--$") == 1 / 5

    def test_a_persistence_for_either_kind_of_document(self):
        # "$-$", p1 = .5, p2 = .8: reads 1, .5, .4 and then .2/(1 - .8); gains at 1 and 3
        by_hand = (1 + 0.4) / (1 + 0.5 + 0.4 + 0.2 / 0.2)
        assert base("RBP(p1=0.5,p2=0.8)", "$-$") == pytest.approx(by_hand, abs=1e-15)

    def test_equal_persistences_are_those_of_table_2(self):
        assert printed(base("RBP(p1=0.8,p2=0.8)", EXAMPLE), ".4526")

    def test_stopping_at_the_first_is_reciprocal_rank(self):
        assert base("RBP(p1=0,p2=0.999999999)", "--$-$") == pytest.approx(1 / 3, abs=1e-8)


class TestSection46:
    @pytest.mark.parametrize(("depth", "factor"), [(100, "21.79"), (1000, "123.99")])
    def test_the_scale_factors_of_dcg(self, depth, factor):
        assert printed(base(f"DCG(b=2)@{depth}", "$" * depth), factor)

    def test_without_discount_to_rank_b(self):
        assert base("DCG(b=2)@2", "$$") == base("CG@2", "$$") == 2
        assert base("DCG(b=10)@10", "$" * 10) == 10


class TestOtherWeights:
    def test_harmonic_weights_by_hand(self):
        found = scores("WP(w=harmonic)", drawn("$?$"))
        assert found.base[0] == pytest.approx(1 / 2 + 1 / 12, abs=1e-15)
        assert found.residual[0] == pytest.approx(1 / 6 + 1 / 4, abs=1e-15)

    def test_inverse_squares_of_one_document(self):
        # T = 1/2: weights 1/i², their sum pi²/6
        assert base("INSQ(T=0.5)", "$") == pytest.approx(6 / np.pi**2, abs=1e-15)
