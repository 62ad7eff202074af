"""Moffat, Seven numeric properties of effectiveness metrics (AIRS 2013): its worked numbers."""

import numpy as np
import pytest

from tests.core.drawn import base, bounds
from tests.core.test_paper_numbers import printed

MODERATE = {"highest": 4, "gain_map": [0, 0.1, 0.3, 0.7, 1]}  # None, Low ... Very High


class TestSection2:
    def test_dcg_has_no_bound_that_holds_for_every_ranking(self):
        assert printed(base("DCG@5", "11000"), "1.63")
        assert printed(base("DCG@11", "00000111111"), "1.874")

    def test_scaled_dcg(self):
        assert printed(base("SDCG@5", "11000"), ".55")
        assert base("SDCG@5", "11111") == pytest.approx(1, abs=1e-15)

    def test_a_scale_of_five_grades_has_its_gains(self):
        from_map = [base("HIT@1", grade, **MODERATE) for grade in "01234"]
        assert from_map == [0, 0.1, 0.3, 0.7, 1]
        assert base("P(rel=2)@5", "01234", **MODERATE) == 0.6  # Moderate or better

    def test_one_answer_satisfies(self):
        assert base("HIT@3", "0210", **MODERATE) == 0.3
        assert base("Success@3", "00010") == 0
        assert bounds("HIT@3", "02?", **MODERATE) == (0.3, 1)
        assert bounds("HIT@3", "020", **MODERATE) == (0.3, 0.3)
        assert bounds("Success@3", "0?1") == (1, 1)
        assert bounds("Success@3", "00") == (0, 1)

    def test_weights_that_sum_to_one(self):
        assert base("WP(w=harmonic)", "11111") == pytest.approx(1 - 1 / 6, abs=1e-15)


class TestSection3:
    def test_self_normalised_dcg(self):
        assert printed(base("SNDCG@5", "10100"), ".92")

    def test_one_more_relevant_document_lowers_it(self):
        # 1.8869/2.1309 = .8855: printed .88 (measures.md section 9)
        assert printed(base("SNDCG@5", "10101"), ".885")
        assert base("SNDCG@5", "10101") < base("SNDCG@5", "10100")

    def test_r_precision_is_capped(self):
        assert base("Rprec@5", "11000", relevant=2) == 1
        assert base("Rprec@2", "11000", relevant=9) == 1


class TestSection4:
    def test_self_normalised_ap(self):
        assert base("SNAP@5", "10000") == 1
        assert base("SNAP@5", "10001") == pytest.approx(0.7, abs=1e-15)

    def test_what_falls_when_an_irrelevant_document_follows(self):
        assert printed(base("P@6", "111110"), ".83")
        assert printed(base("SDCG@6", "111110"), ".89")
        assert printed(base("nDCG@6", "111110", relevant=6), ".89")
        for name in ("P", "SDCG", "nDCG"):
            assert base(f"{name}@5", "11111", relevant=6) == pytest.approx(1, abs=1e-15)

    def test_reciprocal_rank_does_not_rise(self):
        assert base("RR@5", "01000") == base("RR@5", "01100") == 0.5
        assert base("RR@5", "10001") == base("RR@5", "11000") == 1

    def test_the_self_normalised_are_undefined_where_nothing_is_found(self):
        assert np.isnan(base("SNDCG@3", "0001"))
        assert np.isnan(base("SNAP@3", "0001"))
