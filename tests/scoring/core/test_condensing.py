"""Condensed rankings, and that bpref is defined on them."""

import numpy as np
import pytest

from scoring.core.data.grades import PAST_END
from scoring.core.measures.arrays import condensed
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from tests.scoring.core.drawn import drawn
from tests.scoring.core.test_catalogue import random_topics


def test_the_judged_documents_move_up():
    short = condensed(drawn("?1?0", "??", "", "10"))
    assert short.grades.tolist() == [
        [1, 0, PAST_END, PAST_END],
        [PAST_END] * 4,
        [PAST_END] * 4,
        [1, 0, PAST_END, PAST_END],
    ]
    assert short.grades.dtype == np.int8
    assert short.lengths.tolist() == [2, 0, 0, 2]
    assert short.grade_counts.tolist() == drawn("?1?0", "??", "", "10").grade_counts.tolist()


@pytest.mark.parametrize("name", ["bpref", "bpref(k=10)", "num_nonrel_judged_ret", "NumRelRet"])
def test_measures_of_judged_documents_do_not_see_the_difference(name):
    measure = parse_measure(name)
    whole = random_topics(2)
    before = evaluate([measure], whole)[measure].base
    after = evaluate([measure], condensed(whole))[measure].base
    assert before.tolist() == after.tolist()


def test_precision_among_the_judged():
    measures = [parse_measure("P@2"), parse_measure("RR")]
    found = evaluate(measures, condensed(drawn("??1?1")))
    assert [scores.base[0] for scores in found.values()] == [1, 1]
