"""Ferro's lecture on evaluation measures (2024), what test_paper_numbers.py does not have."""

from fractions import Fraction

import pytest

from tests.core.drawn import base
from tests.core.test_paper_numbers import LECTURE, LECTURE_TOPIC, printed

TOPIC = {"highest": 3, "per_grade": LECTURE_TOPIC}
RUN_1, RUN_2 = "0110100110", "1001001011"  # five relevant documents in the collection


def test_the_set_of_ten_documents():
    assert printed(base("SetP", LECTURE, **TOPIC), ".40")
    assert printed(base("SetR", LECTURE, **TOPIC), ".50")
    assert printed(base("SetF", LECTURE, **TOPIC), ".44")
    assert base("SetF", LECTURE, **TOPIC) == pytest.approx(4 / 9, abs=1e-15)
    assert base("SetAP", LECTURE, **TOPIC) == pytest.approx(0.2, abs=1e-15)


def test_counts():
    counts = [base(name, LECTURE, **TOPIC) for name in ("NumRet", "NumRel", "NumRelRet")]
    assert counts == [10, 8, 4]


def test_f_weighs_recall_by_trec_evals_beta():
    # P = 2/5, R = 1/2, beta = 3: 4 * .2 / (1.2 + .5)
    assert base("SetF(beta=3)", LECTURE, **TOPIC) == pytest.approx(0.8 / 1.7, abs=1e-15)


@pytest.mark.parametrize(
    ("rank", "precision", "recall"),
    [
        (2, "1/2", ".20"),
        (3, "2/3", ".40"),
        (5, "3/5", ".60"),
        (8, "1/2", ".80"),
        (9, "5/9", "1.00"),
    ],
)
def test_the_precision_recall_curve(rank, precision, recall):
    assert base(f"P@{rank}", RUN_1) == pytest.approx(float(Fraction(precision)), abs=1e-15)
    assert printed(base(f"R@{rank}", RUN_1), recall)


def test_the_interpolated_curve():
    # Printed .66 .60 .55: the lecture cuts digits off where it should round
    levels = [base(f"IPrec@{level}", RUN_1) for level in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    by_hand = [2 / 3, 2 / 3, 2 / 3, 3 / 5, 5 / 9, 5 / 9]
    assert levels == pytest.approx(by_hand, abs=1e-15)


def test_eleven_and_three_points():
    eleven = (5 * Fraction(2, 3) + 2 * Fraction(3, 5) + 4 * Fraction(5, 9)) / 11
    assert base("IPrec11", RUN_1) == pytest.approx(float(eleven), abs=1e-15)
    three = (Fraction(2, 3) + Fraction(3, 5) + Fraction(5, 9)) / 3
    assert base("IPrec3", RUN_1) == pytest.approx(float(three), abs=1e-15)


def test_a_level_is_reached_at_whole_documents():
    # R = 4: .3 takes 2 documents (trec_eval 10 rounds 1.2 to 1), R = 10: .3 takes 3 exactly
    assert base("IPrec@0.3", "1001", relevant=4) == 0.5
    assert base("IPrec(levels=trec_eval)@0.3", "1001", relevant=4) == 1
    assert base("IPrec@0.3", "1110", relevant=10) == 1


def test_areas():
    assert base("AUC", RUN_1) == base("AP", RUN_1)
    # Each step of recall is 1/5: .6667 .6667 .6 .5556 .5556
    by_hand = (2 * Fraction(2, 3) + Fraction(3, 5) + 2 * Fraction(5, 9)) / 5
    assert base("AUC(interpolated)", RUN_1) == pytest.approx(float(by_hand), abs=1e-15)


def test_discounted_gain_of_the_impatient_user():
    assert printed(base("DCG(b=2)@10", LECTURE, **TOPIC), "5.2976")
    assert printed(base("DCG(b=2)@10", "3322211100", **TOPIC), "10.1996")
    assert printed(base("nDCG(b=2)@10", LECTURE, **TOPIC), ".5194")
    assert base("CG@10", LECTURE, **TOPIC) == 8


def test_the_patient_user():
    # All ten ranks lie within the base: no discount
    assert base("DCG(b=10)@10", LECTURE, **TOPIC) == 8


def test_q_of_the_lectures_ranking():
    # measures.md section 2, checked against pyNTCIREVAL
    assert printed(base("Q", LECTURE, **TOPIC), ".33876")
    thirds = {"gain_map": [0, 1 / 3, 2 / 3, 1]}
    assert printed(base("Q(gain=map)", LECTURE, **TOPIC, **thirds), ".34786")


def test_err_of_the_lectures_ranking():
    # s = 7/8, 0, 1/8, 3/8, ..., 3/8 at 8: 7/8 + (1/3)(1/8)(1/8) + (1/4)(3/8)(1/8)(7/8) + ...
    by_hand = Fraction(7, 8) + Fraction(1, 3 * 64) + Fraction(3 * 7, 4 * 8**3)
    by_hand += Fraction(1, 8) * Fraction(3 * 7 * 5, 8**4)
    assert base("ERR", LECTURE, **TOPIC) == pytest.approx(float(by_hand), abs=1e-15)
