"""Trackside as a provider of ir_measures: the scores are those of its other providers."""

import random
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trackside as ts
from scoring.cli.opening import open_run
from scoring.library.prepared import rank_run
from tests.scoring.oracles.peers import peer
from tests.scoring.oracles.round_one import (
    WITH_DATA,
    ordered_documents,
    plain_grades,
    run_paths,
)

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}, "3": {"e": 1}}
RUN = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}, "2": {"d": 1.0, "y": 0.5}, "9": {"z": 1.0}}
NAMES = (
    *("AP", "AP(rel=2)", "AP@2", "P@2", "P(judged_only=True)@2", "R@2", "RR", "RR(rel=2)"),
    *("nDCG", "nDCG@10", "nDCG(judged_only=True)@2", "Rprec", "Success@1", "IPrec@0.7", "Bpref"),
    *("infAP", "SetP", "SetR", "SetF", "SetAP", "NumQ", "NumRel"),
)


@pytest.fixture(scope="module")
def tool() -> Any:
    return peer("ir_measures")


def cells(evaluator: Any, run: Any) -> dict[tuple[str, str], float]:
    return {(str(each.measure), each.query_id): each.value for each in evaluator.iter_calc(run)}


def test_the_provider_is_first_once_it_is_installed_and_not_before() -> None:
    code = (
        "import ir_measures, trackside.ir_measures as ours;"
        "providers = ir_measures.DefaultPipeline.providers;"
        "assert ours.PROVIDER not in providers;"
        "assert ir_measures.providers.registry['trackside'] is ours.PROVIDER;"
        "ours.install(); ours.install();"
        "assert providers[0] is ours.PROVIDER and providers.count(ours.PROVIDER) == 1;"
        f"print(ir_measures.calc_aggregate([ir_measures.AP], {QRELS}, {RUN}))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "{AP: 0.4166666666666667}"  # (.25 + 1 + 0) / 3


def others(tool: Any) -> Any:
    """What ir_measures computes by without Trackside."""
    pipeline = [each for each in tool.DefaultPipeline.providers if each.NAME != "trackside"]
    return tool.providers.FallbackProvider(pipeline)


def agrees(tool: Any, name: str, qrels: Any, run: Any) -> None:
    from trackside.ir_measures import TracksideProvider

    measure = tool.parse_measure(name)
    assert TracksideProvider().supports(measure), name
    ours = cells(TracksideProvider().evaluator([measure], qrels), run)
    theirs = cells(others(tool).evaluator([measure], qrels), run)
    assert ours == pytest.approx(theirs, abs=1e-12), name


def test_every_measure_has_the_scores_of_its_other_provider(tool: Any) -> None:
    for name in NAMES:
        agrees(tool, name, QRELS, RUN)


SUBTOPICS = (
    *("ERR_IA@5", "nERR_IA@5", "alpha_DCG@3", "alpha_nDCG(alpha=0.3)@10", "NRBP(alpha=0.3)"),
    *("nNRBP", "AP_IA", "P_IA@2", "StRecall@2", "StRecall(rel=2)@2", "alpha_nDCG(rel=2)@5"),
)


def test_measures_of_subtopics_have_the_scores_of_pyndeval(tool: Any) -> None:
    from trackside.ir_measures import TracksideProvider

    peer("pyndeval")
    judged = [
        tool.Qrel("1", "a", 1, "1"),
        tool.Qrel("1", "a", 2, "2"),
        tool.Qrel("1", "b", 0, "1"),
        tool.Qrel("1", "c", 2, "3"),
        tool.Qrel("2", "d", 1, "1"),
        tool.Qrel("3", "e", 1, "1"),
    ]
    for name in SUBTOPICS:
        agrees(tool, name, judged, RUN)
    assert not TracksideProvider().supports(tool.parse_measure("P_IA(judged_only=True)@2"))


def with_ties(tool: Any, seed: int) -> tuple[list[Any], dict[str, dict[str, float]]]:
    """Judgments by subtopic, and a run of whole scores from -3 to 3."""
    draw = random.Random(seed)
    judged, run = [], {}
    for topic in "12345":
        documents = draw.sample([f"d{n}" for n in range(30)], 20)
        judged += [
            tool.Qrel(topic, each, draw.randint(0, 2), subtopic)
            for each in documents[:12]
            for subtopic in draw.sample("123", 2)
        ]
        draw.shuffle(documents)
        run[topic] = {each: float(draw.randint(-3, 3)) for each in documents}
    return judged, run


@pytest.mark.parametrize("seed", range(3))
def test_tied_documents_are_in_the_order_of_the_other_provider(tool: Any, seed: int) -> None:
    for module in ("cwl", "pyndeval"):
        peer(module)
    judged, run = with_ties(tool, seed)
    for name in SUBTOPICS:
        agrees(tool, name, judged, run)
    grades: dict[str, dict[str, int]] = {topic: {} for topic in run}
    for each in judged:
        grades[each.query_id][each.doc_id] = each.relevance
    for name in (*NAMES, "RR@3", "RR(rel=2)@10", "RBP(rel=1)", "RBP(p=0.97,rel=2)"):
        agrees(tool, name, grades, run)


def test_what_means_something_else_is_left_to_others(tool: Any) -> None:
    from trackside.ir_measures import TracksideProvider

    names = (
        *("ERR@20", "Judged@10", "INST(max_rel=3)", "RBP(p=0.8)", "nDCG(gains={1:2})@5"),
        *("Compat", "Accuracy", "RBP(p=0.98,rel=1)", "IPrec@0.125", "P(rel=0)@5", "P(rel=200)@5"),
    )
    for name in names:
        try:
            measure = tool.parse_measure(name)
        except ValueError:
            measure = tool.nDCG(gains={1: 2}) @ 5
        assert not TracksideProvider().supports(measure), name


def test_a_run_without_documents_has_the_default_scores(tool: Any) -> None:
    from trackside.ir_measures import TracksideProvider

    evaluator = TracksideProvider().evaluator([tool.AP], QRELS)
    assert cells(evaluator, {}) == {("AP", topic): 0 for topic in QRELS}


def test_nothing_to_evaluate_is_no_error(tool: Any) -> None:
    """No topic in common, as in a batch of PyTerrier's, and no judgments."""
    judged = [tool.Qrel("1", "a", 1, "1"), tool.Qrel("1", "b", 1, "2")]
    for name, qrels in (("AP", QRELS), ("alpha_nDCG@5", judged)):
        for run in ({"9": {"z": 1.0}}, {"1": {}, "2": {}}):
            agrees(tool, name, qrels, run)
        agrees(tool, name, [], RUN)


def test_a_topic_without_judgments_counts_as_in_the_other_provider(tool: Any) -> None:
    for name in ("AP", "RR@10"):
        for qrels in (QRELS | {"4": {}, "9": {}}, {"4": {}, "9": {}}):
            agrees(tool, name, qrels, RUN)


def test_topics_that_are_numbers_have_one_score(tool: Any) -> None:
    """As in a data frame that was read from a file of numbers."""
    from trackside.ir_measures import TracksideProvider

    rows = [(1, "a", 1), (1, "b", 0), (2, "d", 1), (3, "e", 1)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame([(1, "b", 2.0), (1, "a", 1.0), (2, "d", 1.0)])
    run.columns = ["query_id", "doc_id", "score"]
    expected = {("AP", "1"): 0.5, ("AP", "2"): 1.0, ("AP", "3"): 0.0}
    assert cells(TracksideProvider().evaluator([tool.AP], qrels), run) == expected


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS, {"1": {"a b": 1.0}}, "document id 'a b' contains white space"),
        (QRELS, {"1": {"a": np.nan}}, "the score is not finite: nan"),
        ({"1": {"a": 300}}, RUN, "the grade 300 is outside -127..127"),
    ],
)
def test_what_trackside_cannot_read_is_refused(
    tool: Any, qrels: Any, run: Any, message: str
) -> None:
    from trackside.ir_measures import TracksideProvider

    with pytest.raises(ts.BadInput, match=message):
        cells(TracksideProvider().evaluator([tool.AP], qrels), run)


@pytest.mark.long
@pytest.mark.data
@WITH_DATA[1]
@pytest.mark.xdist_group("ir_measures")
def test_real_runs_have_the_scores_of_pytrec_eval(tool: Any) -> None:
    """All 143 runs of TREC-COVID, with scores that single precision keeps apart."""
    from trackside.ir_measures import TracksideProvider

    names = [*NAMES, *(f"IPrec@{level}" for level in (0.0, 0.1, 0.3, 0.37, 1.0))]
    measures = [tool.parse_measure(name) for name in names]
    qrels = plain_grades()
    ours = TracksideProvider().evaluator(measures, qrels)
    theirs = tool.pytrec_eval.evaluator(measures, qrels)
    compared = 0
    for path in run_paths():
        documents = ordered_documents(rank_run(open_run(str(path))))
        run = {
            topic: {doc_id: float(len(ids) - rank) for rank, doc_id in enumerate(ids)}
            for topic, ids in documents
        }
        found, expected = cells(ours, run), cells(theirs, run)
        assert found.keys() == expected.keys()
        apart = [found[cell] - expected[cell] for cell in found]
        assert np.abs(apart).max() <= 1e-12, path.name
        compared += len(found)
    assert compared == 143 * 30 * len(measures)


EXPERIMENT = {
    "AP": "map", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "R@100": "recall_100",
    "RR": "recip_rank", "Rprec": "Rprec", "Bpref": "bpref", "Success@5": "success_5",
}  # fmt: skip


@pytest.fixture
def installed(tool: Any) -> Iterator[None]:
    """Trackside before the other providers, in this test alone."""
    providers = tool.DefaultPipeline.providers
    before = list(providers)
    import_module("trackside.ir_measures").install()
    yield
    providers[:] = before


def experiment(tool: Any, measures: list[Any], qrels: Any, run: Any) -> dict[Any, float]:
    """What `pt.Experiment` does with the frames of PyTerrier."""
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    found = tool.iter_calc(measures, qrels.rename(columns=names), run.rename(columns=names))
    return {(str(each.measure), each.query_id): each.value for each in found}


def _noted(evaluated: list[Any], qrels: Any, run: Any, names: list[str]) -> Any:
    evaluated.append((type(run), len(run), len(names)))
    return ts.evaluate(qrels, run, names)


@pytest.mark.usefixtures("installed")
def test_frames_of_pyterrier_are_evaluated_by_trackside(
    tool: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated: list[Any] = []
    monkeypatch.setattr("trackside.ir_measures.evaluate", lambda *args: _noted(evaluated, *args))
    rows = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"]).assign(docid=7, rank=0, query="a")
    rows = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label"])
    measures = [tool.parse_measure(name) for name in EXPERIMENT]
    found = experiment(tool, measures, qrels, run)
    assert evaluated == [(ts.Run, len(run), len(EXPERIMENT))]
    assert found == cells(tool.evaluator(measures, QRELS), RUN)
    assert experiment(tool, measures, qrels, run.head(0)) == dict.fromkeys(found, 0)
    with pytest.raises(ts.BadInput, match="row 2: document 'b' of topic '1' is already at row 1"):
        experiment(tool, measures, qrels, run.iloc[[0, 0]])


@pytest.mark.long
@pytest.mark.data
@WITH_DATA[1]
@pytest.mark.xdist_group("ir_measures")
@pytest.mark.usefixtures("installed")
def test_an_experiment_has_the_scores_of_pytrec_eval(tool: Any) -> None:
    """All 143 runs of TREC-COVID, with their retrieval scores in single precision and with their
    ties, by ir_measures and Trackside, and by pytrec_eval without ir_measures."""
    qrels = plain_grades()
    rows = [(topic, doc, grade) for topic, docs in qrels.items() for doc, grade in docs.items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "label"])
    measures = [tool.parse_measure(name) for name in EXPERIMENT]
    measures.append(tool.AP(rel=2))
    names = {*EXPERIMENT.values()}
    lenient = peer("pytrec_eval").RelevanceEvaluator(qrels, names)
    strict = peer("pytrec_eval").RelevanceEvaluator(qrels, {"map"}, relevance_level=2)
    compared = tied = 0
    for path in run_paths():
        run = pd.DataFrame(ts.read_run(path).columns)
        run = run.rename(columns={"topic": "qid", "doc_id": "docno"})
        run["score"] = run["score"].astype("float32").astype("float64")
        tied += int(run.duplicated(["qid", "score"]).any())
        found = experiment(tool, measures, frame, run)
        documents: dict[str, dict[str, float]] = {topic: {} for topic in run["qid"]}
        for topic, doc, score in zip(run["qid"], run["docno"], run["score"], strict=True):
            documents[topic][doc] = score
        theirs = lenient.evaluate(documents)
        expected = {
            (name, topic): theirs.get(topic, {}).get(its, 0.0)
            for name, its in EXPERIMENT.items()
            for topic in qrels
        }
        of_strict = strict.evaluate(documents)
        expected |= {
            ("AP(rel=2)", topic): of_strict.get(topic, {}).get("map", 0.0) for topic in qrels
        }
        assert found.keys() == expected.keys()
        assert max(abs(found[cell] - expected[cell]) for cell in found) <= 1e-12, path.name
        compared += len(found)
    assert compared == 143 * 30 * 10
    assert tied > 100
