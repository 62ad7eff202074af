"""The numbers of the papers, at the precision they are printed with.

Sections are those of the RBP paper (Moffat & Zobel, TOIS 2008) unless said otherwise. Where a
paper slips, measures.md section 9 says so, and so does the test.
"""

from fractions import Fraction

import pytest

from scoring.core.means import required_depth
from tests.core.drawn import base, bounds, drawn, scores

EXAMPLE = "$$---$----$-----$---"  # section 3.1: five relevant documents among twenty
DOUBTFUL = "$$---$----$-??--?---"  # section 4.4: three of them unjudged
LECTURE = "3012000200"  # Ferro 2024: highly, not, partially, fairly relevant, ...
LECTURE_TOPIC = (100, 3, 3, 2)  # judged documents per grade: 8 relevant, the ideal is 33222111


def printed(value: float, text: str) -> bool:
    """The value rounds to the printed text."""
    digits = len(text.partition(".")[2])
    return f"{value:.{digits}f}".lstrip("0") == text.lstrip("0")


class TestAveragePrecision:
    def test_the_example_of_section_3_1(self):
        by_hand = Fraction(1, 5) * sum([1, 1, Fraction(3, 6), Fraction(4, 11), Fraction(5, 17)])
        assert base("AP", EXAMPLE) == pytest.approx(float(by_hand), abs=1e-15)
        # .63155 in full: the paper prints .6315 in the text and .6316 under Table I.
        assert abs(base("AP", EXAMPLE) - 0.63155) < 5e-6

    @pytest.mark.parametrize(("relevant", "ap"), [(6, ".5263"), (7, ".4511")])
    def test_relevant_documents_that_were_not_retrieved_count_zero(self, relevant, ap):
        assert printed(base("AP", EXAMPLE, relevant=relevant), ap)

    def test_judging_one_more_document_relevant_can_lower_it(self):
        # Section 3.1: ten judged, ten not; AP .75 with R = 2, with one more at most .5909
        judged = "$--$------"
        assert base("AP", judged + "?" * 10) == 0.75
        best = max(base("AP", judged + "?" * i + "$" + "?" * (9 - i)) for i in range(10))
        assert printed(best, ".5909")

    def test_finding_three_more_at_the_end_lowers_the_mean_over_those_retrieved(self):
        # Section 3.1, AP*: eight relevant, all retrieved
        assert printed(base("AP", "$$---$----$-----$$$$"), ".5324")

    def test_the_lecture(self):
        value = base("AP", LECTURE, highest=3, per_grade=LECTURE_TOPIC)
        assert value == pytest.approx(35 / 96, abs=1e-15)

    def test_the_area_under_the_precision_recall_curve_of_the_lecture_is_ap(self):
        # Printed .5620, from rounded terms; .5644 exactly (measures.md section 9).
        assert printed(base("AP", "0110100110", relevant=5), ".5644")

    def test_a_cutoff_still_divides_by_all_relevant_documents(self):
        assert base("AP@6", EXAMPLE) == pytest.approx(2.5 / 5, abs=1e-15)


class TestRankBiasedPrecision:
    @pytest.mark.parametrize(
        ("p", "rbp", "total"),
        [(0.5, ".7661", "1.5322"), (0.8, ".4526", "2.2632"), (0.95, ".1881", "3.7626")],
    )
    def test_table_2(self, p, rbp, total):
        value = base(f"RBP(p={p})", EXAMPLE)
        assert printed(value, rbp)
        assert printed(value / (1 - p), total)

    @pytest.mark.parametrize(
        ("p", "low", "high"),
        [(0.5, ".7661", ".7663"), (0.8, ".447", ".489"), (0.95, ".17", ".60")],
    )
    def test_the_bounds_of_section_4_4(self, p, low, high):
        lower, upper = bounds(f"RBP(p={p})", DOUBTFUL)
        assert printed(lower, low)
        assert printed(upper, high)

    def test_the_residual_is_the_formula_of_section_4_4(self):
        residual = scores("RBP(p=0.8)", drawn(DOUBTFUL)).residual
        by_hand = 0.8**20 + 0.2 * (0.8**12 + 0.8**13 + 0.8**16)
        assert residual == pytest.approx(by_hand, abs=1e-16)

    def test_the_example_of_strategic_judgments(self):
        # Moffat, Webber & Zobel, SIGIR 2007, section 2: .380 + .160 = .540
        lower, upper = bounds("RBP(p=0.8)", "011001?001")
        assert printed(lower, ".380")
        assert printed(upper - lower, ".160")
        assert printed(upper, ".540")

    @pytest.mark.parametrize(("judged", "residual"), [(20, ".012"), (21, ".009")])
    def test_a_fully_judged_list_leaves_only_the_tail(self, judged, residual):
        lower, upper = bounds("RBP(p=0.8)", "-" * judged)
        assert lower == 0
        assert printed(upper, residual)

    def test_twenty_one_judged_documents_leave_one_hundredth(self):
        assert printed(bounds("RBP(p=0.8)", "-" * 21)[1], ".01")

    def test_five_relevant_documents_reach_less_than_23_hundredths(self):
        # Section 4.2: RBP < 1 - p^R
        assert base("RBP(p=0.95)", "$" * 5) == pytest.approx(1 - 0.95**5, abs=1e-15)
        assert printed(base("RBP(p=0.95)", "$" * 5), ".23")

    @pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
    def test_the_depth_that_four_digits_need(self, p, depth):
        assert required_depth(p, 0.0001) == depth

    @pytest.mark.parametrize("ranking", ["$-", "-$", "?$"])
    def test_without_persistence_it_is_precision_at_1(self, ranking):
        lucky = scores("RBP(p=0)", drawn(ranking))
        first = scores("P@1", drawn(ranking))
        assert lucky.base == first.base
        assert lucky.residual == first.residual

    def test_the_lecture(self):
        assert printed(base("RBP(p=0.8)", LECTURE, highest=3, per_grade=LECTURE_TOPIC), ".4723")

    def test_graded_gains_and_a_document_that_could_have_the_highest(self):
        # The map None..High = {0, .33, .67, 1} of measures.md, worked by hand.
        lower, upper = bounds("RBP(p=0.5,gain=map)", "3?1", highest=3, gain_map=[0, 0.33, 0.67, 1])
        assert lower == pytest.approx(0.5 * (1 + 0.25 * 0.33), abs=1e-15)
        assert upper - lower == pytest.approx(0.5 * 0.5 + 0.5**3, abs=1e-15)


class TestFirstRanks:
    def test_precision_recall_and_r_precision_of_the_lecture(self):
        topic = {"highest": 3, "per_grade": LECTURE_TOPIC}
        assert base("P@5", LECTURE, **topic) == 0.6
        assert base("R@5", LECTURE, **topic) == 0.375
        assert base("Rprec", LECTURE, **topic) == 0.5

    def test_precision_does_not_see_the_order_of_the_first_ten(self):
        # Section 3.2
        assert base("P@10", "$$$$------") == base("P@10", "------$$$$") == 0.4

    def test_precision_falls_when_an_irrelevant_document_follows(self):
        # Seven properties, section 4: 11111 and then 0
        assert base("P@5", "11111") == 1
        assert printed(base("P@6", "111110"), ".83")

    def test_missing_ranks_of_precision_are_unknown(self):
        assert bounds("P@10", "$-?") == (0.1, 0.9)

    def test_r_precision_with_a_cutoff(self):
        # Seven properties, section 3: P@k where k <= R, P@R where k >= R
        assert base("Rprec@2", "10110", relevant=3) == 0.5
        assert base("Rprec@5", "10110", relevant=3) == pytest.approx(2 / 3, abs=1e-15)

    def test_judged_counts_grade_zero_and_divides_by_k(self):
        assert base("Judged@5", "1?0") == 0.4
        assert base("Judged@2", "1?0") == 0.5


class TestReciprocalRank:
    def test_the_first_relevant_document(self):
        assert base("RR", "--$-$") == pytest.approx(1 / 3, abs=1e-15)
        assert base("RR@2", "--$-$") == 0

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


class TestCumulatedGain:
    def test_late_relevant_documents_can_beat_early_ones(self):
        # Seven properties, section 2
        assert printed(base("DCG@5", "11000"), "1.63")
        assert printed(base("DCG@11", "00000111111"), "1.874")

    def test_it_falls_when_an_irrelevant_document_follows(self):
        # Seven properties, section 4, with R > 5
        assert base("nDCG@5", "11111", relevant=6) == 1
        assert printed(base("nDCG@6", "111110", relevant=6), ".89")

    def test_the_lectures_ranking_with_the_discount_of_trec_eval(self):
        # 3/log2(2) + 1/log2(4) + 2/log2(5) + 2/log2(9); the lecture itself uses max(1, log2 i)
        topic = {"highest": 3, "per_grade": LECTURE_TOPIC}
        assert printed(base("DCG@10", LECTURE, **topic), "4.9923")
        # ideal 33222111: 3 + 1.8928 + 1 + .8614 + .7737 + .3562 + .3333 + .3155
        assert printed(base("nDCG@10", LECTURE, **topic), ".5851")

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
