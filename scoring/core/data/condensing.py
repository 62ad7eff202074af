"""Condensed rankings: what is left of a run when its unjudged documents are taken out."""

from dataclasses import replace

import numpy as np

from scoring.core.data.grades import PAST_END
from scoring.core.measures.arrays import GradedTopics


def condensed(graded: GradedTopics) -> GradedTopics:
    """The same topics with the unjudged documents left out and the others moved up (trec_eval's
    -J, `judged_only` of ir_measures; T. Sakai, Alternatives to bpref, SIGIR 2007).

    A base is then one over judged documents; residuals only know what lies after the end.
    """
    order = np.argsort(~graded.judged, axis=1, kind="stable")
    grades = np.take_along_axis(graded.grades, order, axis=1)
    return replace(graded, grades=np.where(grades >= 0, grades, np.int8(PAST_END)), pooled=None)
