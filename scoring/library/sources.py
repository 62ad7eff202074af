"""Runs and qrels from a path, an open file, bytes, a dictionary or a data frame."""

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Generic, TextIO, TypeAlias, TypeVar, cast

import numpy as np

from campaigns.trec.columns import LONGEST_NAME
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import ParsedQrels, write_qrels
from campaigns.trec.qrels import read_qrels as parse_qrels
from campaigns.trec.run_faults import tag_problem
from campaigns.trec.runs import ParsedRun, write_run
from campaigns.trec.runs import read_run as parse_run
from scoring.library.bad_input import BadInput
from scoring.library.in_memory import (
    Frame,
    columns_of,
    qrels_of_columns,
    qrels_of_dict,
    qrels_of_rows,
    run_of_columns,
    run_of_dict,
    run_of_rows,
)
from scoring.library.table import Column

Parsed = TypeVar("Parsed", ParsedRun, ParsedQrels)
Path: TypeAlias = str | os.PathLike[str]
File: TypeAlias = BinaryIO | TextIO | bytes


@dataclass(frozen=True, eq=False)
class _Lines(Generic[Parsed]):
    """What runs and qrels have in common."""

    parsed: Parsed
    name: str  # what messages call it

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of first appearance."""
        return self.parsed.topics

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader of the file warns of."""
        return tuple(map(str, self.parsed.warnings))

    def __len__(self) -> int:
        return self.parsed.line_count

    def _columns(self) -> dict[str, Column]:
        topics = self.parsed.topics
        return {
            "topic": [topics[at] for at in self.parsed.topic_index.tolist()],
            "doc_id": [doc_id.decode() for doc_id in self.parsed.doc_ids.tolist()],
        }


class Run(_Lines[ParsedRun]):
    """A run that was read and checked.

    `len(run)` is the number of its documents over all topics, `run.columns` makes a data frame:
    `pandas.DataFrame(run.columns)`.
    """

    @property
    def tag(self) -> str:
        """The run's own name."""
        return self.parsed.tag

    @property
    def columns(self) -> dict[str, Column]:
        """Topic, document and score of each line."""
        return self._columns() | {"score": self.parsed.retrieval_scores}

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{topic: {document: score}}`, as pytrec_eval and ranx have it."""
        return _nested(self.columns, "score")

    def write(self, target: Path | BinaryIO) -> None:
        """Writes the run as text with six columns. Raises BadInput for a name that a file cannot
        hold."""
        if problem := tag_problem(self.tag.encode(), 0):
            raise BadInput([f"{self.name}: {problem.message}: read_run(run, name=…) renames it"])
        _write(target, lambda file: write_run(self.parsed, file))

    def __repr__(self) -> str:
        return f"<Run {self.tag}: {len(self.topics):,} topics, {len(self):,} documents>"


class Qrels(_Lines[ParsedQrels]):
    """Qrels that were read and checked. `len(qrels)` is the number of judgments."""

    @property
    def columns(self) -> dict[str, Column]:
        """Topic, document and grade of each line; below 0 the document is not judged."""
        return self._columns() | {"grade": self.parsed.grades}

    def to_dict(self) -> dict[str, dict[str, int]]:
        """`{topic: {document: grade}}`, as pytrec_eval and ranx have it."""
        return _nested(self.columns, "grade")

    def write(self, target: Path | BinaryIO) -> None:
        """Writes the qrels as text with four columns."""
        _write(target, lambda file: write_qrels(self.parsed, file))

    def __repr__(self) -> str:
        return f"<Qrels: {len(self.topics):,} topics, {len(self):,} judgments>"


RunSource: TypeAlias = (
    Run | Path | File | Mapping[str, Mapping[str, float]] | Frame | Iterable[tuple[Any, ...]]
)
QrelsSource: TypeAlias = (
    Qrels | Path | File | Mapping[str, Mapping[str, int]] | Frame | Iterable[tuple[Any, ...]]
)
RunSources: TypeAlias = RunSource | Sequence[RunSource] | Mapping[str, RunSource]


def read_run(source: RunSource, *, name: str | None = None) -> Run:
    """Reads a run and checks all of it.

    `source` is a path, an open file, the bytes of a file (plain or gzipped), a dictionary `{topic:
    {document: score}}`, a data frame (columns `qid`, `docno`, `score`, or their usual other names),
    or named tuples. `name` is the run's name; by default it is the tag of the file, in a layout
    without tags the name of the file, or `run`. Raises BadInput with every fault: for a file its
    lines, for a dictionary its documents, for a data frame its rows.

    >>> run = read_run({"301": {"FT911-3": 12.5, "FT911-7": 11.0}}, name="bm25")
    >>> run
    <Run bm25: 1 topics, 2 documents>
    >>> run.to_dict()
    {'301': {'FT911-3': 12.5, 'FT911-7': 11.0}}
    >>> read_run({"301": {"FT911-3": float("nan")}}, name="bm25")
    Traceback (most recent call last):
        ...
    scoring.library.bad_input.BadInput: bm25: topic '301', document 'FT911-3': the score is not \
finite: nan
    """
    if isinstance(source, Run):
        return source if name is None else _named(source, name)
    called = _name_of(source, name or "run")
    file_name = os.fsdecode(source) if isinstance(source, str | os.PathLike) else ""
    read = partial(parse_run, max_name_bytes=LONGEST_NAME, file_name=file_name)
    parsed = _parsed(source, called, read, (run_of_dict, run_of_columns, run_of_rows))
    run = Run(parsed, called)
    return run if name is None else _named(run, name)


def read_qrels(source: QrelsSource) -> Qrels:
    """Reads qrels and checks all of them.

    `source` is a path, an open file, bytes, a dictionary `{topic: {document: grade}}`, a data frame
    (columns `qid`, `docno`, `label`, or their usual other names), or named tuples. Raises BadInput
    with every fault.

    >>> read_qrels({"301": {"FT911-3": 1, "FT911-7": 0}})
    <Qrels: 1 topics, 2 judgments>
    """
    if isinstance(source, Qrels):
        return source
    called = _name_of(source, "qrels")
    readers = (qrels_of_dict, qrels_of_columns, qrels_of_rows)
    read = partial(parse_qrels, max_name_bytes=LONGEST_NAME)
    return Qrels(_parsed(source, called, read, readers), called)


def read_runs(sources: RunSources) -> list[Run]:
    """One run or several; those of a dictionary have the names of its keys."""
    if runs := [read() for read in runs_to_read(sources)]:
        return runs
    raise BadInput(["runs: give at least one"])


def runs_to_read(sources: Any) -> Iterator[Callable[[], Run]]:
    """The same, each run read when it is asked for: not all are in memory at once."""
    if isinstance(sources, Mapping) and not _is_one_run(sources):
        for name, source in sources.items():
            yield partial(read_run, source, name=str(name))
    # A list of named tuples is one run: they are its rows.
    elif isinstance(sources, list | tuple) and not hasattr(next(iter(sources), None), "_fields"):
        for number, source in enumerate(sources, start=1):
            has_tag = isinstance(source, Run | str | os.PathLike | bytes) or hasattr(source, "read")
            name = None if has_tag or _name_of(source, "") else f"run{number}"
            yield partial(read_run, source, name=name)
    else:
        yield partial(read_run, sources)


def _is_one_run(source: Mapping[Any, Any]) -> bool:
    """Whether a dictionary is `{topic: {document: score}}`, and not `{name: run}`. One topic with
    scores is enough, since what is no dictionary beside it is a fault of its topic."""
    inner = [each for each in source.values() if isinstance(each, Mapping)]
    values = [value for each in inner for value in islice(each.values(), 1)]
    if values:
        return not isinstance(values[0], Mapping)
    return len(inner) == len(source)


def _parsed(
    source: Any,
    name: str,
    parse: Callable[[BinaryIO], Parsed],
    readers: tuple[Callable[[Any, str], Parsed], ...],
) -> Parsed:
    of_dict, of_columns, of_rows = readers
    if isinstance(source, str | os.PathLike):
        with open_file(source) as file:
            return _checked(file, name, parse)
    if isinstance(source, bytes) or hasattr(source, "read"):
        return _checked(binary_file(source), name, parse)
    if isinstance(source, Mapping):
        return of_dict(source, name)
    # After what needs no package: this imports narwhals.
    if (columns := columns_of(source, name)) is not None:
        return of_columns(columns, name)
    if hasattr(source, "to_dict"):  # of ranx
        return of_dict(source.to_dict(), name)
    if isinstance(source, Iterable):
        return of_rows(source, name)
    kind = type(source).__name__
    message = f"a {kind} is no path, open file, bytes, dictionary or data frame"
    raise BadInput([f"{name}: {message}"])


def open_file(path: Path) -> BinaryIO:
    """Raises BadInput."""
    try:
        return open(os.fspath(path), "rb")
    except OSError as error:
        why = error.strerror or str(error)
    except (TypeError, ValueError) as error:  # no path, a NUL byte, or half of a surrogate pair
        why = str(error)
    raise BadInput([f"{path}: {why}"])


def binary_file(source: File) -> BinaryIO:
    """An open file of bytes; a text is encoded again."""
    if isinstance(source, io.TextIOBase):
        # Bytes that are not UTF-8 come back as they were, and the reader reports them.
        source = source.read().encode("utf-8", "surrogateescape")
    return io.BytesIO(source) if isinstance(source, bytes) else cast(BinaryIO, source)


def _checked(file: BinaryIO, name: str, parse: Callable[[BinaryIO], Parsed]) -> Parsed:
    try:
        return parse(file)
    except FormatError as error:
        raise BadInput(f"{name}: {line}" for line in str(error).splitlines()) from None


def _name_of(source: Any, otherwise: str) -> str:
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and name else otherwise


def _named(run: Run, name: str) -> Run:
    return Run(replace(run.parsed, tag=name), name)


def _nested(columns: Mapping[str, Column], value: str) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {topic: {} for topic in columns["topic"]}
    values = np.asarray(columns[value]).tolist()
    for topic, doc_id, each in zip(columns["topic"], columns["doc_id"], values, strict=True):
        nested[topic][doc_id] = each
    return nested


def _write(target: Path | BinaryIO, write: Callable[[BinaryIO], None]) -> None:
    if isinstance(target, str | os.PathLike):
        with open(target, "wb") as file:
            write(file)
    else:
        write(target)
