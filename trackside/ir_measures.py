"""Trackside as a provider of ir_measures. Importing this module registers it; `install()` puts it
before the other providers, so that what uses ir_measures, such as `pt.Experiment` of PyTerrier,
computes by it.

Only measures that mean the same in both are offered; the others stay with their providers. Not the
same are ERR and Judged, Compat and Accuracy with tied documents, and INSQ and INST, whose weights
ir_measures scales over 1,000 ranks. Tied documents are in the order of the provider that a measure
has otherwise.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import ir_measures
import numpy as np
from ir_measures import measures as theirs
from ir_measures import providers
from ir_measures.providers.base import NOT_PROVIDED, Choices
from ir_measures.providers.base import Any as Anything

from scoring.core.data.grades import HIGHEST_POSSIBLE_GRADE
from scoring.core.diversity.measures import (
    DIVERSITY_FAMILIES,
    diversity_family,
    parse_diversity_measure,
)
from scoring.core.measures.names import parse_measure
from scoring.library.diversity import diversity
from scoring.library.evaluation import Scores, evaluate
from scoring.library.prepared import rank_run
from scoring.library.sources import Qrels, Run, read_qrels, read_run

ANY, GIVEN = Anything(), Anything(required=True)
REL = Choices(*range(1, HIGHEST_POSSIBLE_GRADE + 1))
NOT_TRUE = Choices(NOT_PROVIDED, False)
HUNDREDTHS = Choices(*(level / 100 for level in range(101)))  # others are rounded by ir_measures
SUBTOPIC_MEASURES = {family.name for family in DIVERSITY_FAMILIES}


class Persistence(Anything):  # type: ignore[misc]  # ir_measures has no types
    """Up to .97: above, it matters that cwl_eval scales the weights of 1,000 ranks to sum to 1."""

    def validate(self, value: Any) -> bool:
        return bool(value <= 0.97)


class TracksideProvider(providers.Provider):
    """Computes measures of ir_measures in double precision."""

    NAME = "trackside"
    SUPPORTED_MEASURES = [
        theirs._P(cutoff=GIVEN, rel=REL, judged_only=ANY),
        theirs._R(cutoff=GIVEN, rel=REL, judged_only=ANY),
        theirs._RR(cutoff=ANY, rel=REL, judged_only=ANY),
        theirs._AP(cutoff=ANY, rel=REL, judged_only=ANY),
        theirs._nDCG(cutoff=ANY, dcg=ANY, gains=Choices(NOT_PROVIDED), judged_only=ANY),
        theirs._Rprec(rel=REL, judged_only=ANY),
        theirs._Success(cutoff=GIVEN, rel=REL, judged_only=ANY),
        theirs._IPrec(recall=HUNDREDTHS, rel=REL, judged_only=ANY),
        theirs._Bpref(rel=REL),
        theirs._infAP(rel=REL),
        theirs._SetP(rel=REL, relative=Choices(False), judged_only=ANY),
        theirs._SetR(rel=REL),
        theirs._SetF(rel=REL, beta=ANY, judged_only=ANY),
        theirs._SetAP(rel=REL, judged_only=ANY),
        theirs._RBP(cutoff=ANY, p=Persistence(), rel=REL),
        theirs._NumQ(),
        theirs._NumRel(rel=REL),
        theirs._ERR_IA(cutoff=GIVEN, rel=REL, judged_only=NOT_TRUE),
        theirs._nERR_IA(cutoff=GIVEN, rel=REL, judged_only=NOT_TRUE),
        theirs._alpha_DCG(cutoff=GIVEN, alpha=ANY, rel=REL, judged_only=NOT_TRUE),
        theirs._alpha_nDCG(cutoff=GIVEN, alpha=ANY, rel=REL, judged_only=NOT_TRUE),
        theirs._NRBP(alpha=ANY, beta=ANY, rel=REL),
        theirs._nNRBP(alpha=ANY, beta=ANY, rel=REL),
        theirs._AP_IA(rel=REL, judged_only=NOT_TRUE),
        theirs._P_IA(cutoff=GIVEN, rel=REL, judged_only=NOT_TRUE),
        theirs._StRecall(cutoff=GIVEN, rel=REL),
    ]

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "TracksideEvaluator":
        judged = list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter())
        named = set(map(str, qrels)) if isinstance(qrels, dict) else set()
        return TracksideEvaluator(list(measures), judged, named)


class TracksideEvaluator(providers.Evaluator):
    """Evaluates any number of runs by the same qrels."""

    def __init__(self, measures: list[Any], judged: list[Any], named: set[str]) -> None:
        super().__init__(measures, {str(each.query_id) for each in judged})
        self.judged = judged
        self.unjudged_topics = named - self.qrel_qids
        self.by_order: dict[Callable[[Run], Run], dict[str, list[Any]]] = {}
        self.of_subtopics: dict[int, dict[str, list[Any]]] = {}  # by the lowest relevant grade
        for measure in measures:
            if measure.NAME in SUBTOPIC_MEASURES:
                by_name = self.of_subtopics.setdefault(measure["rel"], {})
            else:
                by_name = self.by_order.setdefault(order_of(measure), {})
            by_name.setdefault(name_of(measure), []).append(measure)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        """The base class adds the default score of topics that are missing or not defined."""
        # pytrec_eval counts a topic of a dictionary also if it has no judgments.
        for topic in self.unjudged_topics:
            for measure in chain(*self.by_order.get(by_descending_id, {}).values()):
                yield ir_measures.Metric(topic, measure, measure.DEFAULT)
        documents = _documents(run)
        if len(documents) == 0:
            return
        read = read_run(documents)
        if self.qrel_qids.isdisjoint(read.topics):
            return
        for order, by_name in self.by_order.items():
            yield from _metrics(evaluate(self.qrels, order(read), list(by_name)), by_name)
        for rel, by_name in self.of_subtopics.items():
            scores = diversity(self.subtopics, by_ascending_id(read), by_name, rel=rel)
            yield from _metrics(scores, by_name)

    @cached_property
    def qrels(self) -> Qrels:
        grades: dict[str, dict[str, int]] = {}
        for each in self.judged:
            grades.setdefault(each.query_id, {})[each.doc_id] = each.relevance
        return read_qrels(grades)

    @cached_property
    def subtopics(self) -> list[tuple[str, str, str, int]]:
        return [
            (each.query_id, str(getattr(each, "iteration", "0")), each.doc_id, each.relevance)
            for each in self.judged
        ]


def _documents(run: Any) -> Any:
    """A data frame as it is, since a dictionary of its rows takes longer than the scores."""
    converter = ir_measures.util.RunConverter(run)
    if converter.predict_type()[0] == "pd_dataframe":
        return converter.as_pd_dataframe()[["query_id", "doc_id", "score"]]
    return {topic: scores for topic, scores in converter.as_dict_of_dict().items() if scores}


def _metrics(scores: Scores, by_name: dict[str, list[Any]]) -> Iterator[Any]:
    for row in scores:
        if row.value == row.value:  # defined
            for measure in by_name[row.measure]:
                yield ir_measures.Metric(row.topic, measure, row.value)


def order_of(measure: Any) -> Callable[[Run], Run]:
    """The order of tied documents of the provider that a measure has in ir_measures otherwise."""
    if measure.NAME == "RR" and measure["cutoff"] is not NOT_PROVIDED:
        return by_ascending_id  # of MS MARCO
    return as_given if measure.NAME == "RBP" else by_descending_id


def by_descending_id(run: Run) -> Run:
    """The order of pytrec_eval and gdeval, which is ours."""
    return run


def by_ascending_id(run: Run) -> Run:
    """The order of MS MARCO and pyndeval: the reverse of ours for the negated scores."""
    negated = replace(run.parsed, retrieval_scores=-run.parsed.retrieval_scores)
    ranking = rank_run(negated)
    ascending = replace(
        negated,
        topics=ranking.topics,
        topic_index=np.arange(len(ranking.topics), dtype=np.int32).repeat(ranking.lengths),
        doc_ids=ranking.doc_ids,
        retrieval_scores=ranking.positions.astype(np.float64),
    )
    return Run(ascending, run.name)


def as_given(run: Run) -> Run:
    """The order of cwl_eval: that of the dictionary or the data frame."""
    scores = np.empty(len(run))
    scores[(-run.parsed.retrieval_scores).argsort(kind="stable")] = -np.arange(len(run))
    return Run(replace(run.parsed, retrieval_scores=scores), run.name)


def name_of(measure: Any) -> str:
    """Our name of a measure of ir_measures."""
    if measure.NAME in SUBTOPIC_MEASURES:
        ours = diversity_family(measure.NAME)
        known = [each.name for each in ours.parameters if each.name in measure.SUPPORTED_PARAMS]
        inside = ",".join(f"{name}={measure[name]}" for name in known)
        at = f"@{measure['cutoff']}" if ours.cutoff else ""
        return str(parse_diversity_measure(f"{measure.NAME}({inside}){at}"))
    given = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    cutoff = given.pop(measure.AT_PARAM, NOT_PROVIDED) if measure.AT_PARAM else NOT_PROVIDED
    written = [
        f"{name}={value}"
        for name, value in given.items()
        if value is not NOT_PROVIDED and name != "relative"
    ]
    if measure.NAME == "IPrec":
        written.append("levels=trec_eval_9")  # as in pytrec_eval
    at = "" if cutoff is NOT_PROVIDED else f"@{cutoff}"
    return str(parse_measure(f"{measure.NAME}({','.join(written)}){at}"))


def install() -> None:
    """Puts Trackside before the other providers of `ir_measures.DefaultPipeline`, which has no
    discovery of its own. A second call changes nothing."""
    first = ir_measures.DefaultPipeline.providers
    if PROVIDER not in first:
        first.insert(0, PROVIDER)


PROVIDER = TracksideProvider()
providers.register(PROVIDER)
