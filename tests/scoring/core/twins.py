"""What the slow twins of the measures share: random topics, and the comparison to 1e-12."""

from decimal import Decimal, localcontext

import numpy as np
from hypothesis import strategies as st

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures.graded import GradedTopics, evaluate

HIGHEST = 3
WORTH = (0.0, 0.25, 0.5, 0.875)  # exact in binary; the highest grade is worth less than 1
TOLERANCE = 1e-12


@st.composite
def topics(draw):
    """(grades of each topic's documents, judged documents per grade, depth of the matrix)"""
    depth = draw(st.integers(1, 12))
    cell = st.integers(UNJUDGED, HIGHEST)
    runs = draw(st.lists(st.lists(cell, max_size=depth), min_size=1, max_size=4))
    elsewhere = st.lists(st.integers(0, 3), min_size=HIGHEST + 1, max_size=HIGHEST + 1)
    counts = [
        [run.count(grade) + more for grade, more in enumerate(draw(elsewhere))] for run in runs
    ]
    return runs, counts, depth


def graded(runs, counts, depth):
    rows = [run + [PAST_END] * (depth - len(run)) for run in runs]
    return GradedTopics(
        np.array(rows, np.int8).reshape(len(runs), depth),
        np.array(counts, np.int64),
        np.array(WORTH),
    )


def is_relevant(grade, rel):
    return grade >= rel  # unjudged is -1


def relevant_known(counts, rel):
    return sum(counts[rel:])


def log2(number):
    return Decimal(number).ln() / Decimal(2).ln()


def gain_table(kind):
    return {"grade": range(HIGHEST + 1), "exp": [0, 1, 3, 7], "map": WORTH}[kind]


def agrees(measure, twin, case):
    runs, counts, _ = case
    found = evaluate([measure], graded(*case))[measure]
    with localcontext(prec=50):
        for topic, (run, known) in enumerate(zip(runs, counts, strict=True)):
            base, residual = twin(run, known)
            if np.isnan(float(base)):
                assert np.isnan(found.base[topic])
                continue
            assert abs(float(base) - found.base[topic]) < TOLERANCE
            assert (residual is None) == (found.residual is None)
            if residual is not None:
                assert abs(float(residual) - found.residual[topic]) < TOLERANCE


cutoffs = st.integers(1, 15)
maybe_cutoffs = st.none() | cutoffs
rels = st.integers(1, HIGHEST)
gain_kinds = st.sampled_from(["grade", "exp", "map"])
persistences = st.one_of(
    st.sampled_from([0.0, 0.5, 0.8, 0.95, 0.999]), st.floats(0, 0.9999, allow_subnormal=False)
)
