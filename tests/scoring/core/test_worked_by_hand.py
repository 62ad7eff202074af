"""Scores worked out by hand that no paper prints: the measures the papers name, and their edges."""

from fractions import Fraction

import numpy as np
import pytest

from scoring.core.statistics.means import required_depth
from tests.scoring.core.drawn import base, bounds, drawn, scores
from tests.scoring.core.test_paper_numbers import EXAMPLE, LECTURE, RUN_1, TOPIC, printed
from tests.scoring.core.test_tied_scores_paper import tied_base


class TestFirstRanks:
    def test_a_cutoff_still_divides_by_all_relevant_documents(self):
        assert base("AP@6", EXAMPLE) == pytest.approx(2.5 / 5, abs=1e-15)

    def test_missing_ranks_of_precision_are_unknown(self):
        assert bounds("P@10", "$-?") == (0.1, 0.9)

    def test_r_precision_with_a_cutoff(self):
        # Seven properties, section 3: P@k where k <= R, P@R where k >= R
        assert base("Rprec@2", "10110", relevant=3) == 0.5
        assert base("Rprec@5", "10110", relevant=3) == pytest.approx(2 / 3, abs=1e-15)

    def test_judged_counts_grade_zero_and_divides_by_k(self):
        assert base("Judged@5", "1?0") == 0.4
        assert base("Judged@2", "1?0") == 0.5

    def test_shaws_combination_at_ten(self):
        # 3 of the first 10 relevant, R = 5: 1/(10/3 + 5/3 - 1) = 1/4
        assert base("PR@10", EXAMPLE) == 0.25
        assert base("PR@10", "-" * 20, relevant=5) == 0

    def test_success_and_the_best_hit(self):
        scale = {"highest": 4, "gain_map": [0, 0.1, 0.3, 0.7, 1]}
        assert base("HIT@3", "0210", **scale) == 0.3
        assert base("Success@3", "00010") == 0
        assert bounds("HIT@3", "02?", **scale) == (0.3, 1)
        assert bounds("HIT@3", "020", **scale) == (0.3, 0.3)
        assert bounds("Success@3", "0?1") == (1, 1)
        assert bounds("Success@3", "00") == (0, 1)


class TestSets:
    def test_counts(self):
        counts = [base(name, LECTURE, **TOPIC) for name in ("NumRet", "NumRel", "NumRelRet")]
        assert counts == [10, 8, 4]
        assert base("SetAP", LECTURE, **TOPIC) == pytest.approx(0.2, abs=1e-15)

    def test_f_weighs_recall_by_trec_evals_beta(self):
        # P = 2/5, R = 1/2, beta = 3: 4 * .2 / (1.2 + .5)
        assert base("SetF(beta=3)", LECTURE, **TOPIC) == pytest.approx(0.8 / 1.7, abs=1e-15)


class TestRecallLevels:
    def test_eleven_and_three_points(self):
        eleven = (5 * Fraction(2, 3) + 2 * Fraction(3, 5) + 4 * Fraction(5, 9)) / 11
        assert base("IPrec11", RUN_1) == pytest.approx(float(eleven), abs=1e-15)
        three = (Fraction(2, 3) + Fraction(3, 5) + Fraction(5, 9)) / 3
        assert base("IPrec3", RUN_1) == pytest.approx(float(three), abs=1e-15)

    def test_a_level_is_reached_at_whole_documents(self):
        # R = 4: .3 takes 2 documents (trec_eval 10 rounds 1.2 to 1), R = 10: .3 takes 3 exactly
        assert base("IPrec@0.3", "1001", relevant=4) == 0.5
        assert base("IPrec(levels=trec_eval)@0.3", "1001", relevant=4) == 1
        assert base("IPrec(levels=trec_eval_9)@0.3", "1001", relevant=4) == 0.5
        # R = 3: .7 takes 3 documents (trec_eval 9 adds .9 to 2.1 and gets 2.9999999999999996)
        assert base("IPrec@0.7", "1101", relevant=3) == 0.75
        assert base("IPrec(levels=trec_eval_9)@0.7", "1101", relevant=3) == 1
        assert base("IPrec@0.3", "1110", relevant=10) == 1

    def test_the_area_under_the_interpolated_curve(self):
        # Each step of recall is 1/5: .6667 .6667 .6 .5556 .5556
        by_hand = (2 * Fraction(2, 3) + Fraction(3, 5) + 2 * Fraction(5, 9)) / 5
        assert base("AUC(interpolated)", RUN_1) == pytest.approx(float(by_hand), abs=1e-15)


class TestReciprocalRank:
    def test_the_first_relevant_document(self):
        assert base("RR", "--$-$") == pytest.approx(1 / 3, abs=1e-15)
        assert base("RR@2", "--$-$") == 0

    def test_the_sceptical_user_waits_for_a_second_document(self):
        assert base("RR(nth=2)", EXAMPLE) == 1 / 2
        assert base("RR(nth=3)", EXAMPLE) == pytest.approx(1 / 6, abs=1e-15)
        assert base("RR(nth=6)", EXAMPLE) == 0

    def test_the_cautious_user_reads_on(self):
        assert base("RR(damp=1)", EXAMPLE) == 1 / 2
        assert base("RR(damp=2)", "--$") == 1 / 5

    @pytest.mark.parametrize(
        ("name", "ranking", "low", "high"),
        [
            ("RR", "-?$", 1 / 3, 1 / 2),
            ("RR", "-$?", 1 / 2, 1 / 2),
            ("RR", "---", 0, 1 / 4),  # nothing found: the next rank could hold it
            ("RR@3", "---", 0, 0),  # unless the cutoff ends before
            ("RR@4", "---", 0, 1 / 4),
            ("RR@1", "-?", 0, 0),
        ],
    )
    def test_its_exact_bounds(self, name, ranking, low, high):
        assert bounds(name, ranking) == pytest.approx((low, high), abs=1e-15)


class TestMeasuresOfTheRbpPaper:
    """Its section 3.3, on the ranking of 3.1: relevant at 1, 2, 6, 11 and 17."""

    def test_expected_search_length_counts_the_irrelevant(self):
        lengths = [base(f"ESL(n={n})", EXAMPLE) for n in range(1, 6)]
        assert lengths == [0, 0, 3, 7, 12]
        assert base("ESL(n=5,per=1)", EXAMPLE) == pytest.approx(2.4, abs=1e-15)
        assert np.isnan(base("ESL(n=6)", EXAMPLE))

    def test_bpref(self):
        # R = 5, N = 15: n = 0, 0, 3, 7, 12 above: (1 + 1 + 2/5 + 0 + 0)/5
        assert base("bpref", EXAMPLE) == pytest.approx(2.4 / 5, abs=1e-15)
        # k = 10: min(15, n)/min(15, 15): (1 + 1 + 12/15 + 8/15 + 3/15)/5
        by_hand = (2 + 23 / 15) / 5
        assert base("bpref(k=10)", EXAMPLE) == pytest.approx(by_hand, abs=1e-15)
        assert base("bpref", "$?-?$-") == base("bpref", "$-$-") == pytest.approx(0.75, abs=1e-15)

    def test_q_is_ap_with_a_blended_ratio(self):
        # Binary: 2C/(i + min(i, R))
        by_hand = sum([1, 1, Fraction(6, 11), Fraction(8, 16), Fraction(10, 22)]) / 5
        assert base("Q", EXAMPLE) == pytest.approx(float(by_hand), abs=1e-15)
        assert base("Q(beta=0)", EXAMPLE) == pytest.approx(base("AP", EXAMPLE), abs=1e-15)

    def test_rank_power_is_low_for_good_rankings(self):
        assert base("RankPower", EXAMPLE) == pytest.approx(37 / 25, abs=1e-15)
        assert base("RankPower", "$$$$$") == pytest.approx(15 / 25, abs=1e-15)
        assert np.isnan(base("RankPower", "-----"))


class TestPersistence:
    def test_one_for_either_kind_of_document(self):
        # "$-$", p1 = .5, p2 = .8: reads 1, .5, .4 and then .2/(1 - .8); gains at 1 and 3
        by_hand = (1 + 0.4) / (1 + 0.5 + 0.4 + 0.2 / 0.2)
        assert base("RBP(p1=0.5,p2=0.8)", "$-$") == pytest.approx(by_hand, abs=1e-15)
        assert printed(base("RBP(p1=0.8,p2=0.8)", EXAMPLE), ".4526")

    def test_stopping_at_the_first_is_reciprocal_rank(self):
        assert base("RBP(p1=0,p2=0.999999999)", "--$-$") == pytest.approx(1 / 3, abs=1e-8)

    def test_graded_gains_and_a_document_that_could_have_the_highest(self):
        lower, upper = bounds("RBP(p=0.5,gain=map)", "3?1", highest=3, gain_map=[0, 0.33, 0.67, 1])
        assert lower == pytest.approx(0.5 * (1 + 0.25 * 0.33), abs=1e-15)
        assert upper - lower == pytest.approx(0.5 * 0.5 + 0.5**3, abs=1e-15)

    def test_a_tied_group_shares_its_weight(self):
        # Ranks 2 to 4 tied, one of them relevant: (.8 + .64 + .512)/3 each
        shared = 0.2 * (0.8 + 0.64 + 0.512) / 3
        assert tied_base("RBP(p=0.8)", "-($--)") == pytest.approx(shared, abs=1e-15)

    def test_the_rule_of_thumb_for_the_depth_is_for_large_persistence(self):
        # 9.21/(1 - p): 184 where counting gives 180, but 18 where it gives 14
        assert [round(9.21 / (1 - p)) for p in (0.5, 0.8, 0.95)] == [18, 46, 184]
        assert [required_depth(p, 0.0001) for p in (0.5, 0.8, 0.95)] == [14, 42, 180]

    def test_harmonic_weights(self):
        found = scores("WP(w=harmonic)", drawn("$?$"))
        assert found.base[0] == pytest.approx(1 / 2 + 1 / 12, abs=1e-15)
        assert found.residual[0] == pytest.approx(1 / 6 + 1 / 4, abs=1e-15)

    def test_inverse_squares_of_one_document(self):
        # T = 1/2: weights 1/i², their sum pi²/6
        assert base("INSQ(T=0.5)", "$") == pytest.approx(6 / np.pi**2, abs=1e-15)


class TestGains:
    def test_the_lectures_ranking_with_the_discount_of_trec_eval(self):
        # 3/log2(2) + 1/log2(4) + 2/log2(5) + 2/log2(9); the lecture itself uses max(1, log2 i)
        assert printed(base("DCG@10", LECTURE, **TOPIC), "4.9923")
        # ideal 33222111: 3 + 1.8928 + 1 + .8614 + .7737 + .3562 + .3333 + .3155
        assert printed(base("nDCG@10", LECTURE, **TOPIC), ".5851")

    def test_within_the_base_of_the_logarithm_nothing_is_discounted(self):
        assert base("CG@10", LECTURE, **TOPIC) == base("DCG(b=10)@10", LECTURE, **TOPIC) == 8
        assert base("DCG(b=2)@2", "$$") == base("CG@2", "$$") == 2
        assert base("DCG(b=10)@10", "$" * 10) == 10

    def test_exponential_and_mapped_gains(self):
        # "12" of grades 0..2, the ideal is "21": gains 1 and 3, or .5 and 1
        second = 0.6309297535714574  # 1 / log2(3)
        assert base("nDCG@2", "12", highest=2) == pytest.approx((1 + 2 * second) / (2 + second))
        exponential = (1 + 3 * second) / (3 + second)
        assert base("nDCG(gain=exp)@2", "12", highest=2) == pytest.approx(exponential)
        mapped = (0.5 + second) / (1 + 0.5 * second)
        assert base("nDCG(gain=map)", "12", highest=2) == pytest.approx(mapped)

    def test_the_bounds_of_dcg(self):
        low, high = bounds("DCG@3", "1?", highest=2)
        assert low == 1
        assert high - low == pytest.approx(2 * (0.6309297535714574 + 0.5), abs=1e-15)

    def test_q_of_the_lectures_ranking(self):
        # checked against pyNTCIREVAL
        assert printed(base("Q", LECTURE, **TOPIC), ".33876")
        thirds = {"gain_map": [0, 1 / 3, 2 / 3, 1]}
        assert printed(base("Q(gain=map)", LECTURE, **TOPIC, **thirds), ".34786")

    def test_err_of_the_lectures_ranking(self):
        # s = 7/8, 0, 1/8, 3/8, ..., 3/8 at 8: 7/8 + (1/3)(1/8)(1/8) + (1/4)(3/8)(1/8)(7/8) + ...
        by_hand = Fraction(7, 8) + Fraction(1, 3 * 64) + Fraction(3 * 7, 4 * 8**3)
        by_hand += Fraction(1, 8) * Fraction(3 * 7 * 5, 8**4)
        assert base("ERR", LECTURE, **TOPIC) == pytest.approx(float(by_hand), abs=1e-15)

    def test_the_self_normalised_are_undefined_where_nothing_is_found(self):
        assert np.isnan(base("SNDCG@3", "0001"))
        assert np.isnan(base("SNAP@3", "0001"))
