"""Runs and qrels as people have them: files, dictionaries, data frames, named tuples."""

import gzip
import io
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trackside as ts
from tests.scoring.cli.command import QRELS, RUN

RUN_DICT = {
    "1": {"B": 9.0, "A": 8.0, "E": 7.0, "D": 6.0, "C": 5.0},
    "2": {"A": 1.0},
    "10": {"F": 1.0},
    "99": {"A": 1.0},
}
QRELS_DICT = {
    "1": {"A": 2, "B": 0, "C": 1, "D": -1},
    "2": {"A": 0},
    "3": {"E": 1},
    "10": {"F": 2},
}


ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")


def columns(nested: dict[str, dict[str, Any]], *names: str) -> dict[str, list[Any]]:
    rows = [(topic, doc, value) for topic, docs in nested.items() for doc, value in docs.items()]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


RUNS: dict[str, Callable[[Path], Any]] = {
    "path": lambda path: str(path),
    "pathlib": lambda path: path,
    "bytes": lambda path: path.read_bytes(),
    "gzipped": lambda path: gzip.compress(path.read_bytes()),
    "binary file": lambda path: io.BytesIO(path.read_bytes()),
    "text file": lambda path: io.StringIO(path.read_text()),
    "dictionary": lambda _: RUN_DICT,
    "pandas": lambda _: pd.DataFrame(columns(RUN_DICT, "qid", "docno", "score")),
    "pandas of ranx": lambda _: pd.DataFrame(columns(RUN_DICT, "q_id", "doc_id", "score")),
    "pandas of trectools": lambda _: pd.DataFrame(columns(RUN_DICT, "query", "docid", "score")),
    "PyTerrier": lambda _: pd.DataFrame(
        columns(RUN_DICT, "qid", "docno", "score") | {"docid": range(8), "query": ["text"] * 8}
    ),
    "polars": lambda _: pl.DataFrame(columns(RUN_DICT, "query_id", "doc_id", "score")),
    "lazy polars": lambda _: pl.LazyFrame(columns(RUN_DICT, "query_id", "doc_id", "score")),
    "arrow": lambda _: pa.table(columns(RUN_DICT, "query_id", "doc_id", "score")),
    "named tuples": lambda _: [
        ScoredDoc(t, d, s) for t in RUN_DICT for d, s in RUN_DICT[t].items()
    ],
    "numbers of topics": lambda _: {int(topic): docs for topic, docs in RUN_DICT.items()},
    "numpy's numbers": lambda _: {
        topic: {doc: np.float32(score) for doc, score in docs.items()}
        for topic, docs in RUN_DICT.items()
    },
}


@pytest.mark.parametrize("form", RUNS)
def test_a_run_is_the_same_in_every_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(RUN)
    run = ts.read_run(RUNS[form](path))
    assert run.to_dict() == RUN_DICT
    assert (len(run), run.topics) == (8, ("1", "2", "10", "99"))


@pytest.mark.parametrize(
    "source",
    [
        QRELS.encode(),
        QRELS_DICT,
        pd.DataFrame(columns(QRELS_DICT, "qid", "docno", "label")),
        pd.DataFrame(columns(QRELS_DICT, "query-id", "corpus-id", "score")),
        pd.DataFrame(columns(QRELS_DICT, "query", "docid", "rel")).astype({"rel": float}),
        [Qrel(t, d, g, "0") for t in QRELS_DICT for d, g in QRELS_DICT[t].items()],
    ],
    ids=["file", "dictionary", "PyTerrier", "BEIR", "trectools", "ir_measures"],
)
def test_qrels_are_the_same_in_every_form(source: Any) -> None:
    qrels = ts.read_qrels(source)
    assert qrels.to_dict() == QRELS_DICT
    assert repr(qrels) == "<Qrels: 4 topics, 7 judgments>"


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pa.table])
def test_data_frames_of_other_libraries(make: Any) -> None:
    run = ts.read_run(make(columns(RUN_DICT, "qid", "docno", "score")))
    assert run.to_dict() == RUN_DICT
    means = ts.evaluate(make(columns(QRELS_DICT, "qid", "docno", "label")), run, ["AP", "RR"]).means
    assert means["value"] == pytest.approx(
        ts.evaluate(QRELS_DICT, RUN_DICT, ["AP", "RR"]).means["value"]
    )
    assert pa.table(means.columns).shape == pl.DataFrame(means.columns).shape == (2, 6)


def test_a_frame_that_is_not_computed_yet_is_computed_once() -> None:
    computed = []
    frame = pl.LazyFrame(columns(RUN_DICT, "qid", "docno", "score"))
    counted = frame.map_batches(lambda rows: computed.append(len(rows)) or rows)
    assert ts.read_run(counted).to_dict() == RUN_DICT
    assert computed == [8]


def test_a_table_of_ours_is_read_as_a_frame() -> None:
    assert ts.read_run(ts.Table(ts.read_run(RUN_DICT).columns)).to_dict() == RUN_DICT


def test_files_and_dictionaries_do_not_wait_for_the_library_of_data_frames() -> None:
    code = (
        "import sys, trackside as ts;"
        "print(ts.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'AP').means['value'][0],"
        "'narwhals' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["1.0", "False"]


class OfRanx:
    """A run of ranx: no dictionary, and it has a name."""

    def __init__(self, run: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.run, self.name = run, name

    def __getitem__(self, topic: str) -> dict[str, float]:
        return self.run[topic]

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.run


def test_runs_of_ranx_keep_their_names() -> None:
    runs = [OfRanx(RUN_DICT, "bm25"), OfRanx(RUN_DICT), OfRanx(RUN_DICT, "dense")]
    means = ts.evaluate(OfRanx(QRELS_DICT), runs, "AP").means  # type: ignore[arg-type]
    assert means["run"] == ["bm25", "run2", "dense"]


def test_a_name_that_no_file_can_hold_is_refused_when_it_is_written(tmp_path: Path) -> None:
    run = ts.read_run(RUN_DICT, name="BM25, k1 = 0.9")
    assert ts.evaluate(QRELS_DICT, run, "AP").means["run"] == ["BM25, k1 = 0.9"]
    with pytest.raises(
        ts.BadInput, match=r"BM25, k1 = 0\.9: tag is empty, or contains white space"
    ):
        run.write(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_is_read_turns_into_a_data_frame_and_a_file(tmp_path: Path) -> None:
    run, qrels = ts.read_run(RUN_DICT, name="mine"), ts.read_qrels(QRELS_DICT)
    frame = pd.DataFrame(run.columns)
    assert list(frame.columns) == ["topic", "doc_id", "score"]
    assert ts.read_run(frame).to_dict() == RUN_DICT
    run.write(tmp_path / "run")
    qrels.write(tmp_path / "qrels")
    again = ts.read_run(tmp_path / "run")
    assert (again.tag, again.to_dict()) == ("mine", RUN_DICT)
    assert ts.read_qrels(tmp_path / "qrels").to_dict() == QRELS_DICT


def test_warnings_of_the_reader_are_told() -> None:
    assert ts.read_run(b"1 Q0 a 1 1.0 x\n1 Q0 b 2 1.0 x\n").warnings[0].startswith("TIES 2 lines")


def score(value: Any) -> dict[str, dict[str, Any]]:
    return {"7": {"a": 1.0, "b": value}}


REFUSED_RUNS: dict[str, tuple[Any, str]] = {
    "nan": (score(float("nan")), "run: topic '7', document 'b': the score is not finite: nan"),
    "infinite": (score(float("inf")), "document 'b': the score is not finite: inf"),
    "text": (score("1.5"), "the score '1.5' is a str, not a number: convert it to float"),
    "none": (score(None), "the score None is a NoneType, not a number: convert it to float"),
    "bool": (score(True), "the score True is a bool, not a number: convert it to float"),
    "huge": (score(10**400), "the score is too large for a double"),
    "no documents": ({"7": {}}, "run: the run has no documents"),
    "empty": ({}, "run: the run has no documents"),
    "float topic": ({7.0: {"a": 1.0}}, "topic id 7.0 is a float, not text: write it as a str"),
    "empty topic": ({"": {"a": 1.0}}, "topic id is empty"),
    "space": ({"7": {"a b": 1.0}}, "document id 'a b' contains white space or a control character"),
    "NUL": ({"7": {"a\0": 1.0}}, "document id 'a\\x00' contains white space or a control"),
    "surrogate": ({"7": {"\ud800": 1.0}}, "document id '\\ud800' contains"),
    "comment": ({"#7": {"a": 1.0}}, "topic id '#7' begins with #, a comment in a file"),
    "invisible": ({"7": {"a\u200bb": 1.0}}, "contains U+200B ZERO WIDTH SPACE: remove it"),
    "long": ({"7": {"é" * 600: 1.0}}, "has more than 1,024 bytes"),
    "tuple document": ({"7": {("a",): 1.0}}, "document id ('a',) is a tuple, not text"),
    "two spellings": ({"7": {"a": 1.0}, 7: {"a": 2.0}}, "document 'a' of topic '7' is already at"),
    "list of lists": ([["7", "a", 1.0]], "run1: a str is not a row: use named tuples"),
    "number": (7, "run: a int is no path, open file, bytes, dictionary or data frame"),
    "line": (b"1 Q0 a 1 x t\n", "run: line 1: SCORE score is not a decimal number"),
    "no file": ("nowhere.txt", "nowhere.txt: No such file or directory"),
    "topic of another type": (
        {"7": {"a": 1.0}, "8": ["a", "b"], "9": None},
        "run: topic '8': its value is a list, expected a dictionary of documents",
    ),
    "topics of both types": (
        pd.DataFrame({"qid": ["7", 7], "docno": ["a", "a"], "score": [1.0, 2.0]}),
        "run: row 2: document 'a' of topic '7' is already at row 1",
    ),
    "repeated row": (
        pd.DataFrame({"qid": ["7", "7"], "docno": ["a", "a"], "score": [1.0, 2.0]}),
        "run: row 2: document 'a' of topic '7' is already at row 1",
    ),
    "repeated row in polars": (
        pl.DataFrame({"qid": ["7", "7"], "docno": ["a", "a"], "score": [1.0, 1.0]}),
        "run: row 2: document 'a' of topic '7' is already at row 1",
    ),
    "nan in polars": (
        pl.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"], "score": [1.0, float("nan")]}),
        "run: row 2: the score is not finite: nan",
    ),
    "nan in pandas": (
        pd.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"], "score": [1.0, float("nan")]}),
        "run: row 2: the score is not finite: nan",
    ),
    "mixed scores in pandas": (
        pd.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"], "score": [1.0, "high"]}),
        "run: row 2: the score 'high' is a str, not a number: convert it to float",
    ),
    "missing score": (
        pd.DataFrame({"qid": ["7"], "docno": ["a"], "score": [None]}),
        "run: row 1: the score None is a NoneType, not a number",
    ),
    "no column": (
        pd.DataFrame({"qid": ["7"], "docno": ["a"], "points": [1.0]}),
        "no column for the score: call it score, retrieval_score or sim (there are: qid, docno,",
    ),
    "missing score in polars": (
        pl.DataFrame({"qid": ["7"], "docno": ["a"], "score": [None]}),
        "run: row 1: the score None is a NoneType, not a number",
    ),
    "columns of one name": (
        pd.DataFrame([["7", "a", 1.0, 2.0]], columns=["qid", "docno", "score", "score"]),
        "run: Expected unique column names, got: - 'score' 2 times",
    ),
    "float topics": (
        pd.DataFrame({"qid": [7.0], "docno": ["a"], "score": [1.0]}),
        "run: row 1: topic id 7.0 is a float, not text: write it as a str",
    ),
    "shared nothing": ({"8": {"a": 1.0}}, "run: no topic of the run is in the qrels"),
    "no runs": ([], "runs: give at least one"),
    "by name": ({"bm25": score("x")}, "bm25: topic '7', document 'b': the score 'x' is a str"),
    "in a list": ([score(1.0), score("x")], "run2: topic '7', document 'b': the score 'x'"),
}


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_numbers_and_texts_as_topics_are_the_same_topics(make: Any) -> None:
    """An int column of one frame, a text column of the other, in both directions."""
    as_numbers = make({"qid": [7, 8], "docno": ["a", "b"], "score": [2.0, 1.0]})
    as_texts = make({"qid": ["7", "8"], "docno": ["a", "b"], "label": [1, 1]})
    scores = ts.evaluate(as_texts, as_numbers, "AP")
    assert (scores["topic"], scores["value"].tolist()) == (["7", "8"], [1.0, 1.0])
    turned = ts.evaluate({7: {"a": 1}}, make({"qid": ["7"], "docno": ["a"], "score": [2]}), "AP")
    assert turned["topic"] == ["7"]


@pytest.mark.parametrize("case", REFUSED_RUNS)
def test_a_run_is_refused_in_words(case: str) -> None:
    source, reason = REFUSED_RUNS[case]
    with pytest.raises(ts.BadInput) as refused:
        ts.evaluate({"7": {"a": 1}}, source, "AP")
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("grade", "reason"),
    [
        (0.5, "the grade 0.5 is not a whole number: grades are 0, 1, 2 and so on"),
        (float("nan"), "the grade nan is not a whole number"),
        (128, "the grade 128 is outside -127..127"),
        pytest.param(10**5000, "the grade is outside -127..127", id="huge"),
        ("1", "the grade '1' is a str, not a number: convert it to int"),
        (True, "the grade True is a bool, not a number: convert it to int"),
    ],
)
def test_grades_are_refused_in_words(grade: Any, reason: str) -> None:
    with pytest.raises(ts.BadInput) as refused:
        ts.read_qrels({"7": {"a": grade}})
    assert str(refused.value).startswith(f"qrels: topic '7', document 'a': {reason}")


def test_qrels_without_judgments_and_flat_dictionaries_are_refused() -> None:
    with pytest.raises(ts.BadInput, match="qrels: there is no judgment"):
        ts.read_qrels({})
    with pytest.raises(ts.BadInput, match="topic 'a': its value is a int, expected a dictionary"):
        ts.read_qrels({"a": 1})  # type: ignore[dict-item]


IDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1), min_size=1))
def test_a_dictionary_is_accepted_if_and_only_if_a_file_can_hold_it(
    run: dict[str, dict[str, float]],
) -> None:
    rows = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    text = "".join(f"{topic} Q0 {doc} 1 {score!r} mine\n" for topic, doc, score in rows)
    assert (read_or_none(run) == run) == (read_or_none(text.encode()) == run)


def read_or_none(source: Any) -> dict[str, dict[str, float]] | None:
    try:
        return ts.read_run(source).to_dict()
    except ts.BadInput:
        return None


def test_many_faults_are_counted_and_the_first_25_shown() -> None:
    run = {"1": {f"d{n}": float("nan") for n in range(1000)}}
    with pytest.raises(ts.BadInput) as refused:
        ts.read_run(run, name="mine")
    messages = refused.value.messages
    assert len(messages) == 26
    assert messages[0] == "mine: topic '1', document 'd0': the score is not finite: nan"
    assert messages[-1] == "mine: 1,000 problems, the first 25 shown"


def test_faults_of_all_runs_are_told_at_once() -> None:
    runs = {"a": {"8": {"x": 1.0}}, "b": {"9": {"x": 1.0}}}
    with pytest.raises(ts.BadInput) as refused:
        ts.evaluate({"7": {"a": 1}}, runs, "AP")
    assert refused.value.messages == (
        "a: no topic of the run is in the qrels",
        "b: no topic of the run is in the qrels",
    )


def test_faults_of_reading_and_of_topics_are_told_together() -> None:
    runs = {"a": {"8": {"x": 1.0}}, "b": score("high"), "c": "nowhere.txt"}
    with pytest.raises(ts.BadInput) as refused:
        ts.evaluate({"7": {"a": 1}}, runs, "AP")
    assert [message.partition(":")[0] for message in refused.value.messages] == [
        "a",
        "b",
        "nowhere.txt",
    ]
