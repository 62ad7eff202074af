"""trec_eval's relstring. Every line it prints of NIST's test input: tests/scoring/cli."""

import numpy as np

from scoring.core.measures.graded import GradedTopics
from scoring.core.measures.trec_eval import relevance_strings
from tests.scoring.core.drawn import drawn


def test_a_relevance_string_tells_who_looked():
    graded = drawn("1?0", "", "?", highest=1)
    pooled = np.array([[False, True, False], [False] * 3, [False] * 3])
    marked = GradedTopics(graded.grades, graded.grade_counts, graded.gain_map, pooled=pooled)
    assert relevance_strings(graded) == ("1-0", "", "-")
    assert relevance_strings(marked) == ("1.0", "", "-")
    assert relevance_strings(marked, length=1) == ("1", "", "-")
