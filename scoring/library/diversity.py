"""`trackside.diversity`: scores of runs by judgments of subtopics."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from campaigns.trec.problems import FormatError
from campaigns.trec.subtopics import ParsedSubtopics, SubtopicJudgment, read_subtopics
from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE
from scoring.core.diversity.measures import diversity_score, parse_diversity_measure
from scoring.core.diversity.subtopics import JudgedTopic, judged_topic, labelled
from scoring.core.measures.measure import BadMeasure, Measure, UnknownMeasure
from scoring.library.bad_input import BadArgument, BadInput
from scoring.library.evaluation import MeasureNames, Scores, measure_texts
from scoring.library.prepared import rank_run
from scoring.library.score_tables import run_names
from scoring.library.sources import File, Path, Run, RunSources, binary_file, open_file, read_runs
from scoring.library.table import Column, Table

NDEVAL: Final = (
    *(
        f"{name}@{k}"
        for name in ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG")
        for k in (5, 10, 20)
    ),
    *("NRBP", "nNRBP", "AP_IA"),
    *(f"{name}@{k}" for name in ("P_IA", "StRecall") for k in (5, 10, 20)),
)  # in the order of its columns

SubtopicSource: TypeAlias = (
    Path
    | File
    | ParsedSubtopics
    | Mapping[str, Mapping[str, Mapping[str, int]]]
    | Iterable[tuple[str, str, str, int]]
)


def diversity(
    qrels: SubtopicSource,
    runs: RunSources,
    measures: MeasureNames = NDEVAL,
    *,
    rel: int = 1,
    complete: bool = False,
) -> Scores:
    """Scores of novelty and diversity, as `trackside diversity` and TREC's ndeval compute them.

    `qrels` has a subtopic for each judgment: a file `topic subtopic document grade`, a dictionary
    `{topic: {subtopic: {document: grade}}}`, or such tuples. `measures` are names or measures of
    ir_measures. Rows are `run, topic, measure, value,
    residual`; `means` has the same columns without the topic. `residual` is what unjudged documents
    could still add, NaN for measures that are divided by the score of the ideal ranking. With
    `complete` a topic that the run misses counts as 0. Raises BadInput.

    >>> qrels = {"1": {"jaguar, the car": {"a": 1, "b": 1}, "jaguar, the animal": {"c": 1}}}
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> diversity(qrels, {"mine": run}, ["alpha_nDCG@3", "StRecall@2"]).means
    run   measure       value   residual
    mine  alpha_nDCG@3  0.9652  –
    mine  StRecall@2    0.5000  0.0000
    """
    named = read_diversity_measures(measure_texts(measures))
    topics = judged_topics(qrels, rel=rel)
    opened = read_runs(runs)
    names = run_names([run.tag for run in opened], [run.name for run in opened])
    by_topic = []
    over_all = []
    for name, run in zip(names, opened, strict=True):
        rows = list(_scores(run, topics, named, complete=complete))
        by_topic += [(name, *row) for row in rows]
        for measure in named:
            numbers = np.array([row[2:] for row in rows if row[1] == measure])
            over_all.append((name, measure, *numbers.mean(axis=0).tolist()))
    columns = ("run", "topic", "measure", "value", "residual")
    means = ("run", "measure", "value", "residual")
    return Scores(_columns(columns, by_topic), Table(_columns(means, over_all)))


def read_diversity_measures(names: Iterable[str]) -> dict[str, Measure]:
    """The measures by their canonical names. Raises BadInput with every fault."""
    found, faults = {}, list[tuple[str, str]]()
    for name in names:
        try:
            measure = parse_diversity_measure(name)
        except (BadMeasure, UnknownMeasure) as error:
            faults.append(("measures", str(error)))
            continue
        # By canonical names: two ways of writing one measure give one row.
        found[str(measure)] = measure
    if faults or not found:
        raise BadArgument(faults or [("measures", "name at least one")])
    return found


def judged_topics(qrels: SubtopicSource, *, rel: int = 1) -> dict[str, JudgedTopic]:
    """The judgments of each topic, in ascending order of the topics' bytes. Raises BadInput."""
    if not 1 <= rel <= HIGHEST_POSSIBLE_GRADE:
        raise BadInput([f"rel: {rel} is not one of the grades 1..{HIGHEST_POSSIBLE_GRADE}"])
    judgments = defaultdict(list)
    for topic, subtopic, doc_id, grade in _judgments(qrels):
        judgments[topic].append((subtopic, doc_id, grade))
    ordered = sorted(judgments, key=str.encode)
    return {topic: judged_topic(judgments[topic], rel=rel) for topic in ordered}


def _judgments(qrels: Any) -> Iterable[SubtopicJudgment]:
    try:
        if isinstance(qrels, ParsedSubtopics):
            return qrels.judgments
        if isinstance(qrels, str | os.PathLike):
            with open_file(qrels) as file:
                return read_subtopics(file).judgments
        if isinstance(qrels, bytes) or hasattr(qrels, "read"):
            return read_subtopics(binary_file(qrels)).judgments
    except FormatError as error:
        raise BadInput(f"qrels: {line}" for line in str(error).splitlines()) from None
    if not isinstance(qrels, Iterable):
        raise BadInput([f"qrels: {qrels!r:.100} is no path, open file, dictionary or tuples"])
    return list(map(_checked, _nested(qrels) if isinstance(qrels, Mapping) else qrels))


def _checked(row: Any) -> SubtopicJudgment:
    fields = tuple(row) if isinstance(row, Iterable) else (row,)
    # Not isinstance: True is an int as well, and no grade.
    is_typed = [type(field) for field in fields] == [str, str, str, int]
    if not is_typed or re.search("[\ud800-\udfff]", "".join(fields[:3])):
        expected = "a judgment is topic, subtopic and document as text, and a whole number"
        raise BadInput([f"qrels: {expected}, not {fields!r:.100}"])
    return SubtopicJudgment(*fields)


def _nested(qrels: Mapping[str, Any]) -> Iterator[tuple[str, str, str, int]]:
    for topic, subtopics in qrels.items():
        for subtopic, documents in _dictionary(subtopics, topic).items():
            for doc_id, grade in _dictionary(documents, topic).items():
                yield topic, subtopic, doc_id, grade


def _dictionary(value: Any, topic: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        expected = "expected {topic: {subtopic: {document: grade}}}"
        raise BadInput([f"qrels: topic {topic!r}: {value!r:.100} is no dictionary: {expected}"])
    return value


def _scores(
    run: Run, topics: Mapping[str, JudgedTopic], measures: Mapping[str, Measure], *, complete: bool
) -> Iterator[tuple[str, str, float, float]]:
    ranking = rank_run(run.parsed)
    documents = [doc_id.decode() for doc_id in ranking.doc_ids.tolist()]
    begins = ranking.offsets.tolist()
    rankings = {
        topic: documents[begins[place] : begins[place + 1]]
        for place, topic in enumerate(ranking.topics)
    }
    shared = [topic for topic in topics if complete or topic in rankings]
    if not any(topic in rankings for topic in shared):
        raise BadInput([f"{run.name}: no topic of the run is in the qrels"])
    for topic in shared:
        judged = labelled(topics[topic], rankings.get(topic, ()))
        for name, measure in measures.items():
            base, residual = diversity_score(measure, judged)
            yield topic, name, base, np.nan if residual is None else residual


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, Column]:
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    numbers = {name: np.array(columns[name], np.float64) for name in ("value", "residual")}
    return columns | numbers
