"""Q, ERR and nERR against pyNTCIREVAL, given each topic's documents in our order with their grades.

It takes time in the square of a ranking's length. So all topics of all 143 runs are compared down
to rank 50, and whole rankings for one topic of each run; under ORACLES_IN_FULL=1 for all topics
(about five minutes).
"""

import numpy as np
import pytest

from scoring.cli.opening import open_run
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from scoring.library.prepared import rank_run
from tests.scoring.oracles.peers import peer
from tests.scoring.oracles.round_one import (
    IN_FULL,
    WITH_DATA,
    graded_topics,
    judgment_table,
    ordered_documents,
    plain_grades,
    run_paths,
)

pytestmark = [pytest.mark.long, *WITH_DATA, pytest.mark.xdist_group("pyNTCIREVAL")]

GRADES = [1, 2]  # what each grade above 0 is worth
EXPONENTIAL = [1, 3]  # 2^grade - 1; ERR divides by the highest plus 1, which is 2^gmax
SHALLOW = 50


def with_cutoff(metric, cutoff):
    """ERR's constructor takes none, but it stops where it is told to."""
    metric.cutoff = cutoff
    return metric


# What makes its metric from the number of documents of each grade.
DEEP = {
    "Q": lambda tools, counts: tools.QMeasure(counts, GRADES, 1.0),
    "ERR": lambda tools, counts: tools.ERR(counts, EXPONENTIAL),
}
METRICS = DEEP | {
    "Q(beta=10)": lambda tools, counts: tools.QMeasure(counts, GRADES, 10.0),
    "Q(gain=exp)": lambda tools, counts: tools.QMeasure(counts, EXPONENTIAL, 1.0),
    "ERR@10": lambda tools, counts: with_cutoff(tools.ERR(counts, EXPONENTIAL), 10),
    "ERR(gain=grade)": lambda tools, counts: tools.ERR(counts, GRADES),
    "nERR@10": lambda tools, counts: tools.nERR(counts, EXPONENTIAL, 10),
    "nERR(gain=grade)@10": lambda tools, counts: tools.nERR(counts, GRADES, 10),
    "nDCG(b=2)@10": lambda tools, counts: tools.nDCG(counts, GRADES, 2, 10),
    "nDCG@10": lambda tools, counts: tools.MSnDCG(counts, GRADES, 10),
    "RBP(p=0.8,gain=map)": lambda tools, counts: tools.RBP(counts, GRADES, 0.8),
}


def compare_with_pyntcireval(metrics, *, depth, is_wanted):
    """For each measure the scores, ours and theirs, of topics for which is_wanted(run, row)."""
    table, known, tools = judgment_table(), plain_grades(), peer("pyNTCIREVAL.metrics")
    measures = {name: parse_measure(name) for name in metrics}
    found = {name: [] for name in metrics}
    for run, path in enumerate(run_paths()):
        ranking = rank_run(open_run(str(path)), max_depth=depth)
        scores = evaluate(list(measures.values()), graded_topics(ranking, table))
        for topic, doc_ids in ordered_documents(ranking):
            row = table.row_of[topic]
            if not is_wanted(run, row):
                continue
            counts = [int(count) for count in table.grade_counts[row]]
            graded = [(doc_id, known[topic].get(doc_id)) for doc_id in doc_ids]
            for name, make in metrics.items():
                ours = float(scores[measures[name]].base[row])
                found[name].append((ours, make(tools, counts).compute(graded)))
    return found


@pytest.fixture(scope="module")
def shallow():
    return compare_with_pyntcireval(METRICS, depth=SHALLOW, is_wanted=lambda run, row: True)


@pytest.fixture(scope="module")
def whole():
    return compare_with_pyntcireval(
        DEEP, depth=None, is_wanted=lambda run, row: IN_FULL or run % 30 == row
    )


def furthest(found):
    """How far the scores of each measure are apart at the most."""
    return {name: np.ptp(pairs, axis=1).max() for name, pairs in found.items()}


def test_every_topic_of_every_run_is_equal_down_to_rank_fifty(shallow):
    assert {len(pairs) for pairs in shallow.values()} == {143 * 30}
    assert furthest(shallow) == pytest.approx(dict.fromkeys(METRICS, 0), abs=1e-12)


def test_whole_rankings_are_equal(whole):
    assert {len(pairs) for pairs in whole.values()} == {143 * 30 if IN_FULL else 143}
    assert furthest(whole) == pytest.approx(dict.fromkeys(DEEP, 0), abs=1e-12)
