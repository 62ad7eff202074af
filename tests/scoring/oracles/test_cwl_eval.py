"""RBP with its residual, INSQ, INST, BPM and NERR against cwl-eval, given documents in our order.

cwl-eval scores the order of the lines of a file, whatever their scores: what it gets here are the
lines of a copy that is sorted by score. Every twelfth of the 143 runs; for RBP all of them in
`make test-exhaustive`, and for INSQ under ORACLES_IN_FULL=1.
"""

import numpy as np
import pytest
from scipy.special import polygamma

from scoring.cli.opening import open_run
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from scoring.library.prepared import rank_run
from tests.scoring.oracles.peers import peer
from tests.scoring.oracles.round_one import (
    EACH_TWELFTH_OR_ALL,
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
NERRS = ("NERR8@20", "NERR9@20", "NERR10(p=0.9)")
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
                residual = scores[measure].residual
                ours = scores[measure].base[row], np.nan if residual is None else residual[row]
                theirs = metric.expected_utility, metric.residual_expected_utility
                found[measure].append((ours, theirs))
    return {measure: np.array(pairs).swapaxes(0, 1) for measure, pairs in found.items()}


@pytest.fixture(scope="module", params=EACH_TWELFTH_OR_ALL)
def rbp(request):
    measures = [parse_measure(f"RBP(p={p})") for p in PERSISTENCES]
    metric = peer("cwl.ruler.measures.cwl_rbp").RBPCWLMetric
    return compare_with_cwl_eval(
        measures, [metric(p) for p in PERSISTENCES], run_paths()[:: request.param]
    )


@pytest.fixture(scope="module")
def insq():
    measures = [parse_measure(f"INSQ(T={target})") for target in TARGETS]
    metric = peer("cwl.ruler.measures.cwl_insq").INSQCWLMetric
    paths = run_paths() if IN_FULL else run_paths()[::12]
    return compare_with_cwl_eval(measures, [metric(float(t)) for t in TARGETS], paths)


def test_rbp_and_its_residual_are_equal_in_every_topic_of_every_run(rbp):
    for measure, (ours, theirs) in rbp.items():
        assert len(ours) in (143 * 30, 12 * 30)
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


def inst_weights(gains, target):
    """The weights of these ranks and the sum of those after them, where nothing is relevant."""
    weight, step, weights = 1.0, 2.0 * target, []
    for rank, gain in enumerate(gains, start=1):
        weights.append(weight)
        step = rank + 2 * target - sum(gains[:rank]) if gain else step + 1
        weight *= ((step - 1) / step) ** 2
    return np.array(weights), weight * step**2 * polygamma(1, step)


@pytest.fixture(scope="module")
def adaptive():
    """INST, BPM and NERR, in the same order."""
    names = ("INST(T=1)", "INST(T=2)", "BPM(T=1)@10", "BPM(T=3)@20", *NERRS, "NERR11(T=2)")
    inst = peer("cwl.ruler.measures.cwl_inst").INSTCWLMetric
    bpm = peer("cwl.ruler.measures.cwl_bpm").BPMCWLMetric
    nerr = peer("cwl.ruler.measures.cwl_nerr")
    metrics = [inst(1.0), inst(2.0), bpm(1.0, 10), bpm(3.0, 20)]
    metrics += [nerr.NERReq8CWLMetric(20), nerr.NERReq9CWLMetric(20)]
    metrics += [nerr.NERReq10CWLMetric(0.9), nerr.NERReq11CWLMetric(2.0)]
    measures = [parse_measure(name) for name in names]
    found = compare_with_cwl_eval(measures, metrics, run_paths()[::12])
    return dict(zip(names, found.values(), strict=True))


@pytest.fixture(scope="module")
def gains():
    """The gains of the first thousand documents of each topic, in the same order."""
    table = judgment_table()
    rows = []
    for path in run_paths()[::12]:
        ranking = rank_run(open_run(str(path)))
        graded = graded_topics(ranking, table)
        for topic, _ in ordered_documents(ranking):
            relevant = graded.grades[table.row_of[topic], :RANKS] >= 1
            rows.append([int(each) for each in relevant] + [0] * (RANKS - len(relevant)))
    return rows


def test_inst_is_equal_where_its_weights_sum_to_one_over_all_ranks(adaptive, gains):
    for target in (1, 2):
        ours, theirs = adaptive[f"INST(T={target})"]
        assert len(ours) == 12 * 30 == len(gains)
        for our, their, row in zip(ours[:, 0], theirs[:, 0], gains, strict=True):
            weights, after = inst_weights(row, target)
            assert abs(our - their * weights.sum() / (weights.sum() + after)) <= 1e-12


def test_bpm_is_equal_in_every_topic(adaptive):
    for name in ("BPM(T=1)@10", "BPM(T=3)@20"):
        ours, theirs = adaptive[name]
        assert len(ours) == 12 * 30
        assert np.abs(ours[:, 0] - theirs[:, 0]).max() <= 1e-12, name
        assert len(set(ours[:, 0])) > 10


def test_nerr_and_its_residual_are_equal_in_every_topic(adaptive):
    for name in NERRS:
        ours, theirs = adaptive[name]
        assert len(ours) == 12 * 30
        assert np.abs(ours - theirs).max() <= 1e-12, name
        assert (ours[:, 1] > 0.001).any()
    assert len(set(adaptive["NERR9@20"][0][:, 0])) > 5


def test_nerr_with_a_target_is_equal_but_for_the_ranks_after_a_thousand(adaptive, gains):
    """Where nothing is relevant our user reads on for ever; else all stop in the first ranks."""
    ours, theirs = adaptive["NERR11(T=2)"]
    for our, their, row in zip(ours[:, 0], theirs[:, 0], gains, strict=True):
        assert abs(our - their) <= 1e-12
        assert (our > 0) == (1 in row)
