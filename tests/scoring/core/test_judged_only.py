"""Measures with judged_only=yes score the ranking of the judged documents."""

import numpy as np
import pytest
from hypothesis import given

from scoring.core.measures.arrays import condensed
from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.entries import example_of
from scoring.core.measures.graded import evaluate, has_residual
from scoring.core.measures.names import make_measure, parse_measure
from scoring.core.ties.groups import condensed_with_ties
from scoring.core.ties.ties import bounds, expected
from tests.scoring.core.drawn import base
from tests.scoring.core.test_tied_scores_paper import tied
from tests.scoring.core.twins import graded, topics

WITH_JUDGED_ONLY = [family for family in FAMILIES if family.parameter("judged_only")]


def both(family):
    """The family's example without and with the parameter."""
    example = example_of(family)
    given = dict(example.parameters) | {"judged_only": "yes"}
    return example, make_measure(family.name, cutoff=example.cutoff, **given)


@pytest.mark.parametrize("family", WITH_JUDGED_ONLY, ids=lambda family: family.name)
@given(case=topics())
def test_the_score_is_that_of_the_condensed_ranking(family, case):
    plain, judged_only = both(family)
    found = evaluate([plain, judged_only], graded(*case))
    of_condensed = evaluate([plain], condensed(graded(*case)))[plain].base
    assert found[judged_only].base.tolist() == of_condensed.tolist()
    assert found[judged_only].residual is None


def test_those_of_ir_measures_have_it():
    names = {"P", "R", "RR", "AP", "nDCG", "Rprec", "Success", "IPrec", "SetP", "SetF", "SetAP"}
    assert {family.name for family in WITH_JUDGED_ONLY} == names | {"ERR"}


def test_by_hand():
    assert base("P(judged_only=yes)@2", "??1?1") == 1
    assert base("RR(judged_only=yes)", "?01") == 0.5
    assert base("AP(judged_only=yes)", "?0?1") == 0.5
    assert base("SetP(judged_only=yes)", "?0?1") == 0.5


def test_a_measure_knows_whether_it_has_a_residual():
    assert has_residual(parse_measure("P@5"))
    assert not has_residual(parse_measure("P(judged_only=yes)@5"))
    assert has_residual(parse_measure("INST(T=2)"))
    assert not has_residual(parse_measure("INST(T=2,gain=map)"))
    assert not has_residual(parse_measure("AP"))


def test_the_mean_over_tied_documents_is_that_of_the_judged_ones():
    measure, plain = parse_measure("P(judged_only=yes)@1"), parse_measure("P@1")
    topic = tied("(?$-)?$")
    assert expected([measure], topic)[measure].base[0] == 0.5
    condensed_topic = condensed_with_ties(topic)
    assert expected([plain], condensed_topic)[plain].base[0] == 0.5
    found = bounds([measure], topic)[measure]
    assert (found.worst[0], found.best[0]) == (0, 1)


def test_a_run_without_judged_documents_scores_zero():
    assert base("nDCG(judged_only=yes)@5", "???") == 0
    assert not np.isnan(base("SetP(judged_only=yes)", "???"))
