"""RBP with its residual, and INSQ, against cwl-eval, given each topic's documents in our order.

cwl-eval scores the order of the lines of a file, whatever their scores: what it gets here are the
lines of a copy that is sorted by score. All 143 runs for RBP; for INSQ, which takes it ten times
as long, every twelfth, or all of them under ORACLES_IN_FULL=1.
"""

import numpy as np
import pytest
from scipy.special import polygamma

from scoring.cli.opening import open_run, rank_run
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
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

pytestmark = [pytest.mark.long, *WITH_DATA, pytest.mark.xdist_group("cwl-eval")]

PERSISTENCES = (0.5, 0.8, 0.95)
TARGETS = (1, 2)  # T of INSQ
RANKS = 1000  # that cwl-eval looks at; it scales the weights of all measures to sum to 1 over them


def compare_with_cwl_eval(measures, metrics, paths):
    """For each measure float64[2, topics of these runs, 2]: ours and theirs; base and residual."""
    table, known = judgment_table(), peer("cwl.seeker.trec_qrel_handler").TrecQrelHandler()
    make = peer("cwl.ruler.ranking").RankingMaker
    for topic, grades in plain_grades().items():
        for doc_id, grade in grades.items():
            known.put_value(topic, doc_id, float(grade >= 1))
    found = {measure: [] for measure in measures}
    for path in paths:
        ranking = rank_run(open_run(str(path)))
        scores = evaluate(list(measures), graded_topics(ranking, table))
        for topic, doc_ids in ordered_documents(ranking):
            maker = make(topic, known, max_n=RANKS)
            for doc_id in doc_ids:
                maker.add(doc_id, "Q0")
            row, list_of_gains = table.row_of[topic], maker.get_ranking()
            for measure, metric in zip(measures, metrics, strict=True):
                metric.residuals = True
                metric.measure(list_of_gains)
                ours = scores[measure].base[row], scores[measure].residual[row]
                theirs = metric.expected_utility, metric.residual_expected_utility
                found[measure].append((ours, theirs))
    return {measure: np.array(pairs).swapaxes(0, 1) for measure, pairs in found.items()}


@pytest.fixture(scope="module")
def rbp():
    measures = [parse_measure(f"RBP(p={p})") for p in PERSISTENCES]
    metric = peer("cwl.ruler.measures.cwl_rbp").RBPCWLMetric
    return compare_with_cwl_eval(measures, [metric(p) for p in PERSISTENCES], run_paths())


@pytest.fixture(scope="module")
def insq():
    measures = [parse_measure(f"INSQ(T={target})") for target in TARGETS]
    metric = peer("cwl.ruler.measures.cwl_insq").INSQCWLMetric
    paths = run_paths() if IN_FULL else run_paths()[::12]
    return compare_with_cwl_eval(measures, [metric(float(t)) for t in TARGETS], paths)


def test_rbp_and_its_residual_are_equal_in_every_topic_of_every_run(rbp):
    for measure, (ours, theirs) in rbp.items():
        assert len(ours) == 143 * 30
        assert np.abs(ours - theirs).max() <= 1e-12, measure
        assert (ours[:, 1] > 0.001).any()  # unjudged documents are among them


def test_insq_is_equal_where_its_weights_sum_to_one_over_all_ranks(insq):
    """cwl-eval's weights sum to 1 over 1,000 ranks, ours over all: hence the share of the first."""
    for target, (ours, theirs) in zip(TARGETS, insq.values(), strict=True):
        assert len(ours) == (143 if IN_FULL else 12) * 30
        share = (1 / (np.arange(RANKS) + 2.0 * target) ** 2).sum() / polygamma(1, 2 * target)
        base = theirs[:, 0] * share
        upper = theirs.sum(axis=1) * share + 1 - share
        assert np.abs(ours[:, 0] - base).max() <= 1e-12, target
        assert np.abs(ours.sum(axis=1) - upper).max() <= 1e-12, target
