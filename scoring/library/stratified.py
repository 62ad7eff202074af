"""`trackside.stratified_inferred_ap`: average precision from samples of the strata of a pool."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from campaigns.trec.compression import read_text
from campaigns.trec.problems import FormatError, Problem, ProblemList, refuse, shown
from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE, UNJUDGED
from scoring.core.data.ranking import Ranking
from scoring.core.sampling.stratified_inferred import (
    OUTSIDE,
    count_strata,
)
from scoring.core.sampling.stratified_inferred import (
    stratified_inferred_ap as inferred_ap,
)
from scoring.library.bad_input import BadInput
from scoring.library.prepared import rank_run
from scoring.library.score_tables import run_names
from scoring.library.sources import Path, RunSources, open_file, read_runs
from scoring.library.table import Table

Judged: TypeAlias = tuple[str, int]  # the stratum of a document, and its grade, below 0 for none
StratifiedQrels: TypeAlias = Mapping[str, Mapping[str, Judged]]
_GRADE = re.compile(r"-?[0-9]{1,3}")
_MAX_BYTES = 1 << 28


def stratified_inferred_ap(
    judgments: Path | StratifiedQrels, runs: RunSources, *, rel: int = 1
) -> Table:
    """xinfAP (E. Yilmaz, E. Kanoulas and J. A. Aslam, SIGIR 2008) of each run and topic.

    `judgments` are the file of NIST's `sample_eval.pl`, with lines `topic 0 document stratum
    grade`, or `{topic: {document: (stratum, grade)}}`. They have all documents of the pool; a grade
    below 0 is that of a document outside of the sample. One row for each run and topic of the
    judgments: `run, topic, value`; a topic that the run misses has 0. Raises BadInput.

    >>> pool = {"1": {"a": ("top", 1), "b": ("rest", 0), "c": ("rest", -1), "d": ("rest", 1)}}
    >>> stratified_inferred_ap(pool, {"x": {"1": {"a": 3.0, "c": 2.0, "d": 1.0}}})
    run  topic  value
    x    1      0.9000
    """
    if not 1 <= rel <= HIGHEST_POSSIBLE_GRADE:
        raise BadInput([f"rel: {rel} is not one of the grades 1..{HIGHEST_POSSIBLE_GRADE}"])
    known = _checked(judgments) if isinstance(judgments, Mapping) else _opened(judgments)
    read = read_runs(runs)
    names = run_names([run.tag for run in read], [run.name for run in read])
    topics = sorted(known, key=str.encode)
    rows: list[tuple[str, str, float]] = []
    pools = {topic: _Pool(known[topic], rel) for topic in topics}
    for name, run in zip(names, read, strict=True):
        ranking = rank_run(run.parsed)
        documents = {topic: list(_documents(ranking, topic)) for topic in topics}
        rows += [(name, topic, pools[topic].score(documents[topic])) for topic in topics]
    runs_column, topics_column, values = (list(column) for column in zip(*rows, strict=True))
    return Table({"run": runs_column, "topic": topics_column, "value": np.array(values)})


class _Pool:
    """The documents of one topic's pool."""

    def __init__(self, judged: Mapping[str, Judged], rel: int) -> None:
        names = sorted({stratum for stratum, _ in judged.values()})
        number = {name: at for at, name in enumerate(names)}
        self._known = {
            doc_id: (number[stratum], UNJUDGED if grade < 0 else int(grade >= rel))
            for doc_id, (stratum, grade) in judged.items()
        }
        own, outcomes = zip(*self._known.values(), strict=True)
        self._strata = count_strata(np.array(own), np.array(outcomes, np.int8), len(names))

    def score(self, documents: Iterable[str]) -> float:
        # A document outside the pool counts as not relevant, and belongs to no stratum.
        found = [self._known.get(each, (OUTSIDE, UNJUDGED)) for each in documents]
        strata = np.array([stratum for stratum, _ in found], np.int64)
        outcomes = np.array([outcome for _, outcome in found], np.int8)
        return inferred_ap(strata, outcomes, self._strata)


def _documents(ranking: Ranking, topic: str) -> Iterator[str]:
    """Best first."""
    if topic in ranking.topics:
        at = ranking.topics.index(topic)
        for doc_id in ranking.doc_ids[ranking.offsets[at] : ranking.offsets[at + 1]].tolist():
            yield doc_id.decode()


def _checked(judgments: Mapping[Any, Any]) -> StratifiedQrels:
    if not judgments:
        raise BadInput(["judgments: there is no judgment"])
    for topic, documents in judgments.items():
        are_judged = isinstance(documents, Mapping) and all(map(_is_judged, documents.items()))
        if not (_is_text(topic) and documents and are_judged):
            expected = "expected {topic: {document: (stratum, grade)}}"
            raise BadInput([f"judgments: topic {topic!r}: {documents!r:.100}: {expected}"])
    return judgments


def _is_judged(item: tuple[Any, Any]) -> bool:
    match item:
        case str(), (str(), int()):
            return True
    return False


def _is_text(topic: object) -> bool:
    return isinstance(topic, str) and not re.search("[\ud800-\udfff]", topic)


def _opened(path: Path) -> StratifiedQrels:
    try:
        with open_file(path) as file:
            return read_stratified_qrels(file)
    except FormatError as error:
        raise BadInput(f"{os.fspath(path)}: {line}" for line in str(error).splitlines()) from None


def read_stratified_qrels(source: BinaryIO) -> dict[str, dict[str, Judged]]:
    """Lines `topic 0 document stratum grade`, plain or gzipped. Raises FormatError."""
    findings, known = ProblemList(), dict[str, dict[str, Judged]]()
    with findings.gathered():
        text = read_text(source, findings, max_bytes=_MAX_BYTES)
        for line, row in enumerate(text.split("\n"), start=1):
            cells = [cell.decode() for cell in row.encode().split()]  # at ASCII white space
            if problem := _problem(line, cells, known):
                findings.add(problem)
            elif cells:
                topic, _, doc_id, stratum, grade = cells
                known.setdefault(topic, {})[doc_id] = stratum, int(grade)
        if not known and not findings.total:
            refuse("EMPTY", "the file has no judgment")
    return known


def _problem(line: int, cells: Sequence[str], known: StratifiedQrels) -> Problem | None:
    if not cells:
        return None
    if len(cells) != 5:
        message = f"{len(cells)} fields, expected topic 0 document stratum grade"
        return Problem("FIELDS", line, message)
    if not _GRADE.fullmatch(cells[4]):
        return Problem("GRADE", line, "the grade is not a whole number", 5, shown(cells[4]))
    if cells[2] in known.get(cells[0], {}):
        return Problem("DUP", line, "the document is judged twice in its topic", 3, shown(cells[2]))
    return None
