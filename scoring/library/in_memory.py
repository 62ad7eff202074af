"""Runs and qrels that are in memory, as dictionaries or data frames, in the form of those that were
read from files, and checked as carefully."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from numbers import Integral, Real
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import unseen_name
from campaigns.trec.columns import DOC_BYTES, LONGEST_NAME
from campaigns.trec.problems import SHOWN_PROBLEMS, shown
from campaigns.trec.qrels import MAX_GRADE, ParsedQrels
from campaigns.trec.records import repeated_rows
from campaigns.trec.runs import ParsedRun
from scoring.core.data.ranking import whole_words
from scoring.library.bad_input import BadInput
from scoring.library.table import Table

_UNFIT: Final = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")  # no file can hold these in an id

# What data frames call their columns, the best name first: PyTerrier has `docid`, a number of its
# own, beside `docno`, and `query`, a text, beside `qid`.
_TOPIC_NAMES: Final = (
    *("qid", "query_id", "q_id", "topic", "topic_id", "query-id", "topicid", "query"),
)
_DOC_NAMES: Final = (
    *("docno", "doc_id", "document_id", "docid", "doc-id", "corpus-id", "corpus_id", "doc"),
)
_SCORE_NAMES: Final = ("score", "retrieval_score", "sim", "rsv")
_GRADE_NAMES: Final = ("label", "relevance", "rel", "grade", "score", "judgment")

T = TypeVar("T")


class Frame(Protocol):
    """A data frame of pandas, polars, pyarrow or another library: its columns have names."""

    @property
    def columns(self) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...


@dataclass(frozen=True)
class _Records:
    """Lines of a run or of qrels. `place` names the line at an index, for messages."""

    topics: Sequence[Any]
    doc_ids: Sequence[Any]
    values: Sequence[Any]
    place: Callable[[int], str]


def columns_of(source: object, name: str) -> Mapping[str, Any] | None:
    """The columns of a data frame by their names, or None for what is no data frame.

    Frames are those of pandas, polars, pyarrow and whatever else narwhals reads, and our own
    tables. One that is not computed yet is computed here. Raises BadInput if names coincide.
    """
    if isinstance(source, Table):
        return source.columns
    # Takes as long as numpy to import, and whoever has files or dictionaries needs none of it.
    narwhals = import_module("narwhals.stable.v2")
    try:
        frame = narwhals.from_native(source, pass_through=True)
        if isinstance(frame, narwhals.LazyFrame):
            frame = frame.collect()
    except narwhals.exceptions.DuplicateError as error:
        raise BadInput([f"{name}: {' '.join(str(error).split())}"]) from None
    return frame.to_dict() if isinstance(frame, narwhals.DataFrame) else None


def run_of_dict(run: Mapping[Any, Mapping[Any, Any]], name: str) -> ParsedRun:
    """`{topic: {document: score}}`. Raises BadInput."""
    return _run(_records_of_dict(run, name), name)


def qrels_of_dict(qrels: Mapping[Any, Mapping[Any, Any]], name: str) -> ParsedQrels:
    """`{topic: {document: grade}}`. Raises BadInput."""
    return _qrels(_records_of_dict(qrels, name), name)


def run_of_columns(columns: Mapping[str, Any], name: str) -> ParsedRun:
    """Columns by name: one for the topic, one for the document, one for the score."""
    return _run(_records_of_columns(columns, name, "score", _SCORE_NAMES), name)


def qrels_of_columns(columns: Mapping[str, Any], name: str) -> ParsedQrels:
    """Columns by name: one for the topic, one for the document, one for the grade."""
    return _qrels(_records_of_columns(columns, name, "grade", _GRADE_NAMES), name)


def run_of_rows(rows: Iterable[Any], name: str) -> ParsedRun:
    """Named tuples, such as those of ir_measures and ir_datasets."""
    return run_of_columns(_columns_of_rows(rows, name), name)


def qrels_of_rows(rows: Iterable[Any], name: str) -> ParsedQrels:
    """The same for judgments."""
    return qrels_of_columns(_columns_of_rows(rows, name), name)


# --- where the lines are -----------------------------------------------------------------------


def _records_of_dict(source: Mapping[Any, Mapping[Any, Any]], name: str) -> _Records:
    for topic, documents in source.items():
        if not isinstance(documents, Mapping):
            kind = type(documents).__name__
            why = f"its value is a {kind}, expected a dictionary of documents"
            raise BadInput([f"{name}: topic {topic!r}: {why}"])
    topics = [topic for topic, documents in source.items() for _ in documents]
    doc_ids = [document for each in source.values() for document in each]
    values = [value for each in source.values() for value in each.values()]
    return _Records(
        topics, doc_ids, values, lambda at: f"topic {topics[at]!r}, document {doc_ids[at]!r}"
    )


def _records_of_columns(
    columns: Mapping[str, Any], name: str, what: str, names: Sequence[str]
) -> _Records:
    found: list[Sequence[Any]] = []
    for kind, known in (("topic", _TOPIC_NAMES), ("document", _DOC_NAMES), (what, names)):
        called = next((column for column in known if column in columns), None)
        if called is None:
            why = f"no column for the {kind}: call it {known[0]}, {known[1]} or {known[2]}"
            raise BadInput([f"{name}: {why} (there are: {', '.join(map(str, columns))})"])
        column = columns[called]
        if isinstance(column, np.ndarray):
            # Python's own numbers, whose types are checked below.
            column = column.tolist()
        found.append(column if isinstance(column, list) else column.to_list())
    topics, doc_ids, values = found
    return _Records(topics, doc_ids, values, lambda at: f"row {at + 1}")


def _columns_of_rows(rows: Iterable[Any], name: str) -> dict[str, list[Any]]:
    rows = list(rows)
    if not rows:
        raise BadInput([f"{name}: there are no rows"])
    if nameless := [row for row in rows if not hasattr(row, "_fields")]:
        kind = type(nameless[0]).__name__
        raise BadInput([f"{name}: a {kind} is not a row: use named tuples, or a dictionary"])
    if len(known := dict.fromkeys(row._fields for row in rows)) > 1:
        first, second, *_ = map(", ".join, known)
        raise BadInput([f"{name}: rows have different fields: {first} and {second}"])
    return dict(zip(rows[0]._fields, map(list, zip(*rows, strict=True)), strict=True))


# --- what the lines say ------------------------------------------------------------------------


class _Faults:
    """What is wrong with the lines, as the readers of files report it: the first 25, and their
    number."""

    def __init__(self, name: str, records: _Records) -> None:
        self._name, self._records = name, records
        self._messages: list[str] = []
        self._count = 0

    def add(self, at: int, reason: str) -> None:
        self._count += 1
        if self._count <= SHOWN_PROBLEMS:
            self._messages.append(f"{self._name}: {self._records.place(at)}: {reason}")

    def refuse_any(self) -> None:
        if not self._count:
            return
        if self._count > len(self._messages):
            shown_count = f"{self._count:,} problems, the first {len(self._messages)} shown"
            self._messages.append(f"{self._name}: {shown_count}")
        raise BadInput(self._messages)


@dataclass(frozen=True)
class _Columns:
    topics: tuple[str, ...]
    topic_index: NDArray[np.int32]
    doc_ids: NDArray[np.bytes_]


def _run(records: _Records, name: str) -> ParsedRun:
    faults = _Faults(name, records)
    columns = _columns(records, name, faults, "the run has no documents")
    scores = _scores(records.values, faults)
    faults.refuse_any()
    _refuse_repeated(columns, records, faults)
    return ParsedRun(
        tag=name,
        topics=columns.topics,
        topic_index=columns.topic_index,
        doc_ids=columns.doc_ids,
        retrieval_scores=scores,
        line_count=len(scores),
        warnings=(),
    )


def _qrels(records: _Records, name: str) -> ParsedQrels:
    faults = _Faults(name, records)
    columns = _columns(records, name, faults, "there is no judgment")
    grades = np.array(_numbers(records.values, faults, _grade), np.int16)
    faults.refuse_any()
    _refuse_repeated(columns, records, faults)
    return ParsedQrels(
        topics=columns.topics,
        topic_index=columns.topic_index,
        doc_ids=columns.doc_ids,
        grades=grades,
        lines=np.arange(1, len(grades) + 1),
        line_count=len(grades),
        warnings=(),
    )


def _columns(records: _Records, name: str, faults: _Faults, empty: str) -> _Columns:
    if not len(records.topics):
        raise BadInput([f"{name}: {empty}"])
    topics = _ids(records.topics, faults, "topic id", LONGEST_NAME)
    doc_ids = _ids(records.doc_ids, faults, "document id", DOC_BYTES)
    numbers = {topic: number for number, topic in enumerate(dict.fromkeys(topics))}
    return _Columns(
        tuple(numbers),
        np.array([numbers[topic] for topic in topics], np.int32),
        # Ids with faults are encoded, too: they are refused after the other columns are checked.
        whole_words(np.array([each.encode("utf-8", "surrogatepass") for each in doc_ids], "S")),
    )


def _ids(values: Sequence[Any], faults: _Faults, what: str, most: int) -> list[str]:
    """Texts, of which whole numbers are taken too. A text is refused once."""
    if _are_fit(values, most):
        return list(values)
    texts = []
    known: set[str] = set()
    for at, value in enumerate(values):
        text = value
        # Integral includes the integers of numpy; a boolean is one, too, but no id.
        if isinstance(value, Integral) and not isinstance(value, bool):
            text = str(value)
        elif not isinstance(value, str):
            kind = type(value).__name__
            faults.add(at, f"{what} {shown(repr(value))} is a {kind}, not text: write it as a str")
            text = ""
        # A topic occurs on many lines: its id is checked on the first.
        if text not in known:
            known.add(text)
            if (reason := _id_fault(text, most)) and isinstance(value, str):
                faults.add(at, what + reason)
            elif what == "topic id" and text.startswith("#"):
                faults.add(at, f"{what} '{shown(text)}' begins with #, a comment in a file")
        texts.append(text)
    return texts


def _are_fit(values: Sequence[Any], most: int) -> bool:
    """Whether all are texts without a fault, decided in a fraction of the time."""
    if set(map(type, values)) != {str}:
        return False
    texts = set(values)
    together = "".join(texts)
    is_plain = together.isascii() and "#" not in together and not _UNFIT.search(together)
    return is_plain and "" not in texts and max(map(len, texts)) <= most


def _id_fault(text: str, most: int) -> str:
    if not text:
        return " is empty"
    if _UNFIT.search(text):
        return f" '{shown(text)}' contains white space or a control character: remove it"
    if name := unseen_name(text.encode()):
        return f" '{shown(text)}' contains {name}: remove it"
    if len(text.encode()) > most:
        return f" '{shown(text)}' has more than {most:,} bytes"
    return ""


def _scores(values: Sequence[Any], faults: _Faults) -> NDArray[np.float64]:
    # The usual case, in one step of numpy.
    if set(map(type, values)) == {float}:
        scores = np.array(values, np.float64)
        if np.isfinite(scores).all():
            return scores
    return np.array(_numbers(values, faults, _score), np.float64)


def _numbers(
    values: Sequence[Any], faults: _Faults, read: Callable[[Any], tuple[T, str]]
) -> list[T]:
    numbers = []
    for at, value in enumerate(values):
        number, reason = read(value)
        numbers.append(number)
        if reason:
            faults.add(at, reason)
    return numbers


def _score(value: Any) -> tuple[float, str]:
    if isinstance(value, bool) or not isinstance(value, Real):
        kind = type(value).__name__
        return 0.0, f"the score {shown(repr(value))} is a {kind}, not a number: convert it to float"
    try:
        score = float(value)
    except OverflowError:
        return 0.0, "the score is too large for a double"
    return (score, "") if math.isfinite(score) else (0.0, f"the score is not finite: {score}")


def _grade(value: Any) -> tuple[int, str]:
    if isinstance(value, bool) or not isinstance(value, Real):
        kind = type(value).__name__
        return 0, f"the grade {shown(repr(value))} is a {kind}, not a number: convert it to int"
    try:
        grade = float(value)
    except OverflowError:
        return 0, f"the grade is outside -{MAX_GRADE}..{MAX_GRADE}"
    if not grade.is_integer():
        return 0, f"the grade {value} is not a whole number: grades are 0, 1, 2 and so on"
    if abs(grade) > MAX_GRADE:
        return 0, f"the grade {value} is outside -{MAX_GRADE}..{MAX_GRADE}"
    return int(grade), ""


def _refuse_repeated(columns: _Columns, records: _Records, faults: _Faults) -> None:
    # After the ids are known to be good: those that are no text have become empty, and would be
    # equal.
    again, first = repeated_rows(columns.topic_index, columns.doc_ids)
    for row, earlier in zip(again.tolist(), first.tolist(), strict=True):
        topic = columns.topics[columns.topic_index[row]]
        document = shown(columns.doc_ids[row])
        place = records.place(earlier)
        faults.add(row, f"document '{document}' of topic '{topic}' is already at {place}")
    faults.refuse_any()
