"""What the functions compute: by hand, as the command line, as pytrec_eval."""

import csv
import io
import math
import os
import pickle
import warnings
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import trackside as ts
from scoring.cli.main import main
from tests.scoring.cli.command import QRELS, RUN, TIED

DATA = os.environ.get("TRACKSIDE_DATA", "")
MEASURES = ["AP", "P@10", "nDCG@10", "RBP(p=0.8)", "RR", "bpref", "GMAP", "NumRelRet", "Rprec"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = tmp_path / "qrels", tmp_path / "mine", tmp_path / "tied"
    for path, text in zip(paths, (QRELS, RUN, TIED), strict=True):
        path.write_text(text)
    return paths


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, str]]:
    """The rows that a command prints as CSV."""
    assert main([str(each) for each in arguments]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def texts(table: ts.Table) -> list[dict[str, str]]:
    """The rows of a table as its CSV has them: equal texts are equal doubles."""
    return list(csv.DictReader(io.StringIO(table.to_csv())))


def named(measures: list[str]) -> list[str]:
    return [text for name in measures for text in ("-m", name)]


def cells(rows: list[dict[str, str]]) -> dict[tuple[str, str, str], list[str]]:
    keys = ("run", "topic", "measure")
    return {
        (row["run"], row.get("topic", "all"), row["measure"]): [
            value for name, value in row.items() if name not in keys
        ]
        for row in rows
    }


def test_a_budget_may_be_a_number_of_numpy() -> None:
    """As `for budget in np.arange(1, 3)` has them."""
    runs, qrels = {"a": {"1": {"d": 2.0, "e": 1.0}}, "b": {"1": {"e": 1.0}}}, {"1": {"e": 1}}
    found = ts.simulate(runs, qrels, method="A", p=0.5, budget=np.int64(2))
    assert found["judged"].tolist() == [2]


def test_scores_by_hand(files: tuple[Path, Path, Path]) -> None:
    qrels, run, _ = files
    scores = ts.evaluate(qrels, run, ["AP", "RBP(p=0.5)"])
    # topic 1: A at rank 2, C at rank 5, two relevant: (1/2 + 2/5) / 2; topic 2 has none relevant
    ap = scores.where(measure="AP")
    assert [(row.topic, row.value) for row in ap] == [("1", 0.45), ("10", 1.0), ("2", 0.0)]
    means = {row.measure: row for row in scores.means}
    assert means["AP"].value == pytest.approx((0.45 + 1 + 0) / 3, abs=1e-15)
    # topic 1: 1/4 + 1/32, unknown are ranks 3, 4 and all after 5: 1/8 + 1/16 + 1/32
    rbp = scores.where(measure="RBP(p=0.5)")[0]
    assert (rbp.value, rbp.residual) == (9 / 32, 7 / 32)


@pytest.mark.parametrize(
    "options", [{}, {"complete": True}, {"rel": 2}, {"no_relevant": "exclude"}]
)
def test_every_cell_is_that_of_the_command(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], options: dict[str, Any]
) -> None:
    flags = {
        "complete": ["-c"],
        "rel": ["-l", "2"],
        "no_relevant": ["--no-relevant", "exclude"],
    }
    given = [flag for name in options for flag in flags[name]]
    command = ["evaluate", *files, *named(MEASURES), "-q", "--format", "csv", *given]
    scores = ts.evaluate(files[0], list(files[1:]), MEASURES, **options)
    assert cells(printed(capsys, *command)) == cells(texts(scores)) | cells(texts(scores.means))


def test_measures_keep_the_order_in_which_they_are_named(files: tuple[Path, Path, Path]) -> None:
    scores = ts.evaluate(files[0], files[1], ["RR", "P.10,5", "AP", "RR"])
    assert scores.means["measure"] == ["RR", "P@5", "P@10", "AP"]


class OfIrMeasures:
    """A measure of ir_measures: it is written without what has its default."""

    NAME = "RBP"
    SUPPORTED_PARAMS = {"p": SimpleNamespace(default=0.8)}

    def __init__(self, **params: Any) -> None:
        self.params = params

    def __str__(self) -> str:
        return "RBP"


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({}, "RBP(p=0.8,gain=map)"),
        ({"p": 0.5, "cutoff": 10}, "RBP(p=0.5,gain=map)@10"),
        ({"p": 0.5, "rel": 2}, "RBP(p=0.5,rel=2)"),
    ],
)
def test_rbp_of_ir_measures_means_what_it_means_there(
    files: tuple[Path, Path, Path], params: dict[str, Any], name: str
) -> None:
    means = ts.evaluate(files[0], files[1], [OfIrMeasures(**params), "AP"]).means
    assert means["measure"][0].replace(" ", "") == name


def test_runs_are_called_by_the_keys_of_a_dictionary(files: tuple[Path, Path, Path]) -> None:
    scores = ts.evaluate(files[0], {"a": files[1], "b": files[2]}, "AP")
    assert scores.means["run"] == ["a", "b"]
    assert ts.evaluate(files[0], [files[1], files[1]], "AP").means["run"] == [str(files[1])] * 2


def test_a_table_turns_into_a_data_frame(files: tuple[Path, Path, Path]) -> None:
    scores = ts.evaluate(files[0], files[1:], ["AP", "RR"])
    frame = pd.DataFrame(scores.columns)
    assert list(frame.columns) == list(scores.names)
    assert len(frame) == len(scores) == 10
    assert frame.groupby(["run", "measure"])["value"].mean()["mine", "AP"] == pytest.approx(
        scores.means[0].value
    )


def test_a_table_whose_rows_were_read_can_be_pickled(files: tuple[Path, Path, Path]) -> None:
    scores = ts.evaluate(files[0], files[1], "AP")
    rows = list(scores)
    again = pickle.loads(pickle.dumps(scores))
    assert (texts(again), texts(again.means)) == (texts(scores), texts(scores.means))
    assert [row.value for row in again] == [row.value for row in rows]


def test_a_topic_that_is_a_number_is_found_by_it(files: tuple[Path, Path, Path]) -> None:
    scores = ts.evaluate(files[0], files[1], "AP")
    assert texts(scores.where(topic=1)) == texts(scores.where(topic="1")) != []
    assert len(scores.where(value=scores[0].value)) >= 1


def test_rows_of_a_measure_have_its_means(files: tuple[Path, Path, Path]) -> None:
    scores = ts.evaluate(files[0], files[1:], ["AP", "RR"])
    assert texts(scores.where(measure="AP", run="mine").means) == texts(scores.means[:1])
    assert not hasattr(scores.where(topic="1"), "means")  # a mean is of all topics


def test_significance_takes_the_scores_that_evaluate_gives(
    files: tuple[Path, Path, Path],
) -> None:
    scores = ts.evaluate(files[0], files[1:], ["AP", "RR"], complete=True)
    expected = texts(ts.significance(files[0], files[1:], "AP"))
    of_measure = scores.where(measure="AP")
    for form in (of_measure, of_measure.columns, pl.DataFrame(of_measure.columns)):
        assert texts(ts.significance_of_scores(form)) == expected
    with pytest.raises(ts.BadInput, match=r"more than one measure: AP, RR: choose one"):
        ts.significance_of_scores(scores)
    twice = {name: [*column, column[0]] for name, column in of_measure.columns.items()}
    with pytest.raises(ts.BadInput, match="mine: topic 1 has two scores"):
        ts.significance_of_scores(twice)


def test_topics_that_nobody_judged_are_told(files: tuple[Path, Path, Path]) -> None:
    with pytest.warns(UserWarning, match="1 topic has no grade of 0 or more.*: 5"):
        ts.evaluate({"1": {"A": 1}, "5": {"A": -1}}, files[1], "AP")


def test_without_a_topic_that_counts_there_are_means_that_are_not_defined() -> None:
    found = ts.evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, ["AP", "P@5"], no_relevant="exclude")
    assert (len(found), found.names) == (0, ("run", "topic", "measure", *found.names[3:]))
    assert [(row.measure, math.isnan(row.value)) for row in found.means] == [
        ("AP", True),
        ("P@5", True),
    ]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda q, r: ts.evaluate(q, r, "map@"), "measures map@: "),
        (lambda q, r: ts.evaluate(q, r, ["APP", "nDGC"]), "measures APP: there is no measure"),
        (lambda q, r: ts.evaluate(q, r, []), "measures: name at least one"),
        (lambda q, r: ts.evaluate(q, r, "runid"), "measures runid: it is text, no score"),
        (lambda q, r: ts.evaluate(q, r, "AP", rel=0), "rel: 0 is not one of the grades 1..127"),
        (lambda q, r: ts.evaluate(q, r, "AP", ties="mean"), "ties: 'mean' is none of docno,"),
        (lambda q, r: ts.evaluate(q, r, "bpref", ties="expected"), "ties: 'expected' is not def"),
        (lambda q, r: ts.evaluate(q, r, "AP", max_depth=0), "max_depth: 0 is not a whole number"),
        (lambda q, r: ts.evaluate(q, r, "AP", max_depth=5, ties="bounds"), "as in AP@5"),
        (lambda q, r: ts.evaluate(q, r, "AP", gain_map={1: 0.5}), "gain_map: grade 2 has no gain"),
        (lambda q, r: ts.evaluate(q, r, "AP", gain_map={1: 2}), "a gain is 0..1"),
        (
            lambda q, r: ts.evaluate(q, r, "AP", no_relevant="drop"),
            "no_relevant: 'drop' is neither",
        ),
        (lambda q, r: ts.bounds(q, r, "GMAP"), "measures: GMAP has no bounds"),
        (lambda q, r: ts.agreement(q, r, "AP"), "measures: name at least two"),
        (lambda q, r: ts.agreement(q, r, ["AP", "RR"]), "runs: give at least two runs to order"),
        (lambda q, r: ts.significance(q, r, "AP"), "give at least two runs to compare"),
        (lambda q, r: ts.significance(q, r, "GMAP"), "it is one number over all topics"),
        (lambda q, r: ts.significance(q, r, "P.5,10"), "expected one measure, got 2: "),
        (lambda q, r: ts.significance(q, r, ["AP", "RR"]), "expected one measure, got 2: "),
        (lambda q, r: ts.ranks(q, r, ["AP", "RR"]), "expected one measure, got 2: "),
        (lambda q, r: ts.stability(q, r, ["AP", "RR"]), "expected one measure, got 2: "),
        (lambda q, r: ts.significance(q, r, "AP", test="z"), "test: 'z' is none of t, wilcoxon"),
        (lambda q, r: ts.significance(q, r, "AP", alpha=5), "alpha: 5 is not a number between"),
        (lambda q, r: ts.significance(q, r, "AP", against="top"), "against: AP has no residual"),
        (
            lambda q, r: ts.significance(q, r, "AP", correction="tukey", tail="one"),
            "correction: 'tukey' is two-tailed",
        ),
        (
            lambda q, r: ts.significance(q, r, "AP", correction="max-t"),
            "correction: 'max-t' is for runs against a baseline; name one",
        ),
        (
            lambda q, r: ts.significance(q, r, "AP", correction="tukey", baseline="a"),
            "correction: 'tukey' is for all pairs",
        ),
        (
            lambda q, r: ts.significance_of_scores({"a": [1], "b": [2]}, baseline="bm25"),
            "baseline: no run is named bm25, of a, b",
        ),
        (lambda q, r: ts.significance(q, r, "AP", top=-1), "top: -1 is not a whole number above"),
        (lambda q, r: ts.significance_of_scores({"a": [1]}, top=0), "top: 0 is not a whole number"),
        (lambda q, r: ts.simulate(r, q, method="A", p=0.5, budget=1, top=0), "top: 0 is not a"),
        (
            lambda q, r: ts.simulate(r, q, method="A", p=0.5, budget=1, unknown="skip"),
            "unknown: 'skip' is neither nonrelevant nor bypass",
        ),
        (lambda q, r: ts.significance_of_scores({"a": [1], "b": [1, 2]}), "different numbers of"),
        (
            lambda q, r: ts.significance_of_scores({"a": ["x", 2], "b": [1, 2]}),
            "scores: a: not all scores are numbers",
        ),
        (
            lambda q, r: ts.significance_of_scores({"a": [[1, 2]], "b": [1, 2]}),
            "scores: a: give a list with the score of each topic",
        ),
        (
            lambda q, r: ts.diversity({"1": {"a": 1}}, r),
            "qrels: topic '1': 1 is no dictionary: expected {topic: {subtopic: {document: grade}}}",
        ),
        (
            lambda q, r: ts.significance_of_scores({"a": [1, 2], "b": [1e300, 2]}),
            "scores: b: a score is infinite or beyond 1e+100",
        ),
        (lambda q, r: ts.significance_of_scores({}), "scores: give a dictionary, a data frame"),
        (lambda q, r: ts.significance_of_scores("nowhere.csv"), "nowhere.csv: No such file"),
        (lambda q, r: ts.select(r, method="D", p=0.8, budget=1), "method: 'D' is none of pool"),
        (lambda q, r: ts.select(r, method="A", p=1, budget=1), "p: 1 does not lie in 0 <= p < 1"),
        (lambda q, r: ts.select(r, method="A", p=0.5, budget=0), "budget: give at least one"),
        (lambda q, r: ts.select(r, method="A", p=0.5, budget=1, rel=0), "rel: 0 is not one of the"),
        (lambda q, r: ts.agreement(q, r, ["AP", "RR"], rbo_p=1), "rbo_p: 1 is not a number"),
        (lambda q, r: ts.properties(["XY"]), "measures: XY: there is no measure 'XY'"),
    ],
)
def test_arguments_are_refused_in_words(
    files: tuple[Path, Path, Path], call: Any, reason: str
) -> None:
    with pytest.raises(ts.BadInput) as refused:
        call(files[0], files[1])
    assert reason in str(refused.value)


HALF = "\ud800"  # of a surrogate pair, which UTF-8 cannot encode
LONG = {name: ["1", "2"] for name in ("run", "topic", "measure", "value")}  # as of `evaluate`
Judgment = namedtuple("Judgment", "query_id doc_id relevance")
Named = namedtuple("Named", "query_id doc_id")
Reversed = namedtuple("Reversed", "relevance doc_id query_id")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda q, r: ts.read_run(HALF), "surrogates not allowed"),
        (lambda q, r: ts.read_qrels([None]), "qrels: a NoneType is not a row"),
        (
            lambda q, r: ts.read_qrels([Judgment("1", "a", 1), Named("1", "b")]),
            "qrels: rows have different fields: query_id, doc_id, relevance and query_id, doc_id",
        ),
        (
            lambda q, r: ts.read_qrels([Judgment("1", "a", 1), Reversed(1, "b", "1")]),
            "relevance and relevance, doc_id, query_id",
        ),
        (
            lambda q, r: ts.significance_of_scores(LONG | {"value": []}),
            "scores: run, topic, measure and value are not columns of one length",
        ),
        (
            lambda q, r: ts.significance_of_scores(LONG | {"run": None}),
            "scores: run, topic, measure and value are not columns of one length",
        ),
        (lambda q, r: ts.evaluate(q, {HALF: 1}, "AP"), "\\ud800: a int is no path"),
        (lambda q, r: ts.evaluate(q, r, HALF), "measures \\ud800: "),
        (lambda q, r: ts.diversity(None, r), "qrels: None is no path, open file, dictionary or"),
        (lambda q, r: ts.diversity([None], r), "topic, subtopic and document as text"),
        (lambda q, r: ts.diversity({"1": {"s": {HALF: 1}}}, r), "topic, subtopic and document as"),
        (lambda q, r: ts.diversity({"1": {"s": {"a": 1}}}, []), "runs: give at least one"),
        (lambda q, r: ts.select([], method="A", p=0.5, budget=1), "runs: give at least one"),
        (lambda q, r: ts.properties([None]), "measures: None: there is no measure"),
        (lambda q, r: ts.significance_of_scores(HALF), "surrogates not allowed"),
        (
            lambda q, r: ts.stratified_inferred_ap(None, r),
            "None: expected str, bytes or os.PathLike",
        ),
        (lambda q, r: ts.stratified_inferred_ap({}, r), "judgments: there is no judgment"),
        (
            lambda q, r: ts.stratified_inferred_ap({HALF: {"a": ("s", 1)}}, r),
            "expected {topic: {document: (stratum, grade)}}",
        ),
        (
            lambda q, r: ts.stratified_inferred_ap({"1": {"a": 1}}, r),
            "expected {topic: {document: (stratum, grade)}}",
        ),
    ],
)
def test_odd_data_are_refused_in_words_that_can_be_printed(
    files: tuple[Path, Path, Path], call: Any, reason: str
) -> None:
    with pytest.raises(ts.BadInput) as refused:
        call(files[0], files[1])
    assert reason in str(refused.value)
    assert str(refused.value).encode()


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pa.table])
def test_scores_in_data_frames_of_other_libraries(make: Any) -> None:
    scores = {"a": [0.2, 0.4, 0.9], "b": [0.1, 0.2, 0.3]}
    found = ts.significance_of_scores(make({"topic": ["1", "2", "3"]} | scores))
    assert texts(found) == texts(ts.significance_of_scores(scores))


def test_judgments_of_subtopics_from_an_open_file_of_text() -> None:
    lines = "1 cars a 1\n1 animals b 1\n"
    run = {"1": {"a": 2.0, "b": 1.0}}
    found = ts.diversity(io.StringIO(lines), run, "StRecall@1")
    assert texts(found) == texts(ts.diversity(lines.encode(), run, "StRecall@1"))


def test_measures_of_subtopics_by_the_objects_of_ir_measures() -> None:
    theirs = pytest.importorskip("ir_measures")
    qrels = {"1": {"cars": {"a": 1, "b": 1}, "animals": {"c": 1}}}
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    objects = [theirs.StRecall @ 2, theirs.alpha_nDCG(alpha=0.3) @ 3]
    names = ["StRecall@2", "alpha_nDCG(alpha=0.3)@3"]
    assert texts(ts.diversity(qrels, run, objects)) == texts(ts.diversity(qrels, run, names))
    assert ts.diversity(qrels, run, theirs.StRecall @ 2).means["value"].tolist() == [0.5]  # type: ignore[union-attr]


def test_a_run_without_a_score_is_not_among_the_best() -> None:
    """The mean of nothing is not 0, which is above the other means here."""
    scores = {"none": [math.nan, math.nan], "a": [-1.0, -2.0], "b": [-1.5, -2.0], "c": [-9, -9]}
    (pair,) = ts.significance_of_scores(scores, top=2)
    assert (pair.a, pair.b) == ("a", "b")


def test_bounds_are_base_and_base_plus_residual(files: tuple[Path, Path, Path]) -> None:
    found = ts.bounds(files[0], files[1], "RBP(p=0.5)")
    assert found.names == ("run", "topic", "measure", "base", "upper")
    assert (found[0].base, found[0].upper) == (9 / 32, 16 / 32)


def test_ties_by_hand(files: tuple[Path, Path, Path]) -> None:
    # topic 1: A (relevant) and B (not) tie: RR is 1 or 1/2, 3/4 in the mean; trec_eval puts B first
    found = ts.ties(files[0], files[2], ["RR", "bpref"])
    row = found.where(measure="RR")[0]
    assert (row.topic, row.value, row.expected, row.low, row.high) == ("1", 0.5, 0.75, 0.5, 1.0)
    assert math.isnan(found.where(measure="bpref")[0].expected)


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
class TestOnRealRuns:
    """TREC-8 and TREC-COVID: each function and its command give the same doubles."""

    @pytest.fixture
    def qrels(self) -> Path:
        return Path(DATA) / "trec-covid-round1" / "qrels.txt.gz"

    @pytest.fixture
    def runs(self) -> list[Path]:
        return sorted((Path(DATA) / "trec-covid-round1" / "runs").iterdir())[::8]

    def test_evaluate(self, qrels, runs, capsys) -> None:
        measures = [*MEASURES, "official", "P.15,20", "ndcg_cut.5"]
        command = ["evaluate", qrels, *runs, *named(measures), "-q", "--format", "csv"]
        told = cells(printed(capsys, *command))
        scores = ts.evaluate(qrels, runs, measures)
        assert cells(texts(scores)) | cells(texts(scores.means)) == told
        as_dicts = {run.tag: run.to_dict() for run in map(ts.read_run, runs)}
        again = ts.evaluate(ts.read_qrels(qrels).to_dict(), as_dicts, measures)
        assert cells(texts(again)) | cells(texts(again.means)) == told
        assert len(told) > 8_000

    @pytest.mark.parametrize("rule", ["expected", "bounds"])
    def test_ties(self, qrels, runs, capsys, rule) -> None:
        measures = ["AP", "RR", "nDCG@10", "RBP(p=0.8)"]
        command = ["evaluate", qrels, *runs, *named(measures), "-q", "--format", "csv"]
        told = cells(printed(capsys, *command, "--ties", rule))
        found = ts.ties(qrels, runs, measures)
        for row in (*found, *found.means):
            value, _, low, high = told[row.run, getattr(row, "topic", "all"), row.measure]
            if rule == "expected":
                assert repr(row.expected) == value
            else:
                assert [repr(row.value), repr(row.low), repr(row.high)] == [value, low, high]

    def test_agreement(self, qrels, runs, capsys) -> None:
        measures = ["AP", "RR", "RBP(p=0.8)"]
        told = printed(capsys, "agreement", qrels, *runs, *named(measures))
        assert texts(ts.agreement(qrels, runs, measures)) == told

    @pytest.mark.parametrize(
        ("options", "flags"),
        [
            ({"test": "t", "correction": "holm"}, ["--test", "t", "--correction", "holm"]),
            ({"test": "wilcoxon", "top": 5}, ["--test", "wilcoxon", "--top", 5]),
            (
                {"test": "wilcoxon", "tail": "one", "against": "top"},
                ["--test", "wilcoxon", "--tail", "one", "--against", "top"],
            ),
            (
                {"test": "randomisation", "correction": "tukey", "samples": 500, "seed": 7},
                [
                    "--test",
                    "randomisation",
                    "--correction",
                    "tukey",
                    "--samples",
                    "500",
                    "--seed",
                    "7",
                ],
            ),
        ],
        ids=["t", "wilcoxon", "top", "tukey"],
    )
    def test_significance(self, qrels, runs, capsys, options, flags) -> None:
        told = printed(capsys, "significance", qrels, *runs, "-m", "RBP(p=0.8)", *flags)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert texts(ts.significance(qrels, runs, "RBP(p=0.8)", **options)) == told

    def test_significance_against_a_baseline(self, qrels, runs, capsys) -> None:
        baseline = ts.read_run(runs[4]).tag
        flags = ("--test", "randomisation", "--baseline", baseline, "--correction", "max-t")
        told = printed(capsys, "significance", qrels, *runs, "-m", "AP", *flags, "--top", 9)
        found = ts.significance(
            *(qrels, runs, "AP"), test="randomisation", baseline=baseline, correction="max-t", top=9
        )
        assert texts(found) == told
        assert {row["b"] for row in told} == {baseline}

    def test_significance_of_a_matrix(self, capsys) -> None:
        matrix = Path(DATA) / "trec5-scores" / "adhoc5_ap.csv"
        told = printed(capsys, "significance", "--scores", matrix, "--test", "t")
        assert texts(ts.significance_of_scores(matrix)) == told
        frame = pd.read_csv(matrix)
        assert texts(ts.significance_of_scores(frame)) == told

    @pytest.mark.parametrize("method", ["pool", "A", "B", "C"])
    def test_select(self, qrels, runs, capsys, method) -> None:
        command = ["select", *runs, "--method", method, "--p", 0.8, "--budget", 200]
        told = printed(capsys, *command, "--judged", qrels)
        found = ts.select(runs, method=method, p=0.8, budget=200, judged=qrels)
        assert texts(found) == told
        told = printed(capsys, *command, "--simulate", qrels)
        assert texts(ts.simulate(runs, qrels, method=method, p=0.8, budget=200)) == told

    def test_pytrec_eval_gives_the_same(self, qrels) -> None:
        """With whole numbers as retrieval scores: it stores them in single precision."""
        pytrec_eval = pytest.importorskip("pytrec_eval")
        names = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "P_5": "P@5"}
        judged = ts.read_qrels(qrels).to_dict()
        run = ts.read_run(Path(DATA) / "trec-covid-round1" / "runs" / "bm25_baseline.gz").to_dict()
        ranked = {
            topic: {doc: float(len(docs) - at) for at, doc in enumerate(docs)}
            for topic, docs in run.items()
        }
        theirs = pytrec_eval.RelevanceEvaluator(judged, set(names)).evaluate(ranked)
        ours = ts.evaluate(judged, ranked, list(names))
        found = {(row.topic, row.measure): row.value for row in ours}
        for topic, values in theirs.items():
            for name, value in values.items():
                assert abs(found[topic, names[name]] - value) <= 1e-12


def test_properties_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, "properties", "AP", "P@k", "RBP(p=0.8)", "--examples")
    found = texts(ts.properties(["AP", "P@k", "RBP(p=0.8)"], examples=True))
    words = {"True": "yes", "False": "no"}
    assert [{name: words.get(cell, cell) for name, cell in row.items()} for row in found] == told


def test_a_run_without_a_judged_document_is_a_warning(files: tuple[Path, Path, Path]) -> None:
    qrels, mine, _ = files
    passages = {"1": {"A-1": 2.0, "B-7": 1.0}}
    with pytest.warns(UserWarning, match="no document of the run is judged: for topic 1") as heard:
        ts.evaluate(qrels, {"passages": passages, "mine": mine}, ["AP"])
    assert [Path(each.filename).name for each in heard] == ["test_evaluation.py"]
