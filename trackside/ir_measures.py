"""Trackside as a provider of ir_measures. Importing this module registers it; `install()` puts it
before the other providers, so that what uses ir_measures, such as `pt.Experiment` of PyTerrier,
computes by it.

Only measures that mean the same in both are offered; the others stay with their providers. Not the
same are ERR and Judged, and INSQ and INST, whose weights ir_measures scales over 1,000 ranks.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import ir_measures
from ir_measures import measures as theirs
from ir_measures import providers
from ir_measures.providers.base import NOT_PROVIDED, Choices
from ir_measures.providers.base import Any as Anything

from scoring.core.diversity.measures import (
    DIVERSITY_FAMILIES,
    diversity_family,
    parse_diversity_measure,
)
from scoring.core.measures.names import parse_measure
from scoring.library.diversity import diversity
from scoring.library.evaluation import Scores, evaluate
from scoring.library.sources import Qrels, read_qrels

ANY, GIVEN = Anything(), Anything(required=True)
NOT_TRUE = Choices(NOT_PROVIDED, False)
HUNDREDTHS = Choices(*(level / 100 for level in range(101)))  # others are rounded by ir_measures
SUBTOPIC_MEASURES = {family.name for family in DIVERSITY_FAMILIES}


class TracksideProvider(providers.Provider):
    """Computes measures of ir_measures in double precision, ties in trec_eval's order."""

    NAME = "trackside"
    SUPPORTED_MEASURES = [
        theirs._P(cutoff=GIVEN, rel=ANY, judged_only=ANY),
        theirs._R(cutoff=GIVEN, rel=ANY, judged_only=ANY),
        theirs._RR(cutoff=ANY, rel=ANY, judged_only=ANY),
        theirs._AP(cutoff=ANY, rel=ANY, judged_only=ANY),
        theirs._nDCG(cutoff=ANY, dcg=ANY, gains=Choices(NOT_PROVIDED), judged_only=ANY),
        theirs._Rprec(rel=ANY, judged_only=ANY),
        theirs._Success(cutoff=GIVEN, rel=ANY, judged_only=ANY),
        theirs._IPrec(recall=HUNDREDTHS, rel=ANY, judged_only=ANY),
        theirs._Bpref(rel=ANY),
        theirs._infAP(rel=ANY),
        theirs._SetP(rel=ANY, relative=Choices(False), judged_only=ANY),
        theirs._SetR(rel=ANY),
        theirs._SetF(rel=ANY, beta=ANY, judged_only=ANY),
        theirs._SetAP(rel=ANY, judged_only=ANY),
        theirs._RBP(cutoff=ANY, p=ANY, rel=GIVEN),
        theirs._Compat(p=ANY, normalize=ANY),
        theirs._Accuracy(cutoff=ANY, rel=ANY),
        theirs._NumQ(),
        theirs._NumRel(rel=ANY),
        theirs._ERR_IA(cutoff=GIVEN, rel=ANY, judged_only=NOT_TRUE),
        theirs._nERR_IA(cutoff=GIVEN, rel=ANY, judged_only=NOT_TRUE),
        theirs._alpha_DCG(cutoff=GIVEN, alpha=ANY, rel=ANY, judged_only=NOT_TRUE),
        theirs._alpha_nDCG(cutoff=GIVEN, alpha=ANY, rel=ANY, judged_only=NOT_TRUE),
        theirs._NRBP(alpha=ANY, beta=ANY, rel=ANY),
        theirs._nNRBP(alpha=ANY, beta=ANY, rel=ANY),
        theirs._AP_IA(rel=ANY, judged_only=NOT_TRUE),
        theirs._P_IA(cutoff=GIVEN, rel=ANY, judged_only=NOT_TRUE),
        theirs._StRecall(cutoff=GIVEN, rel=ANY),
    ]

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "TracksideEvaluator":
        judged = list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter())
        return TracksideEvaluator(list(measures), judged)


class TracksideEvaluator(providers.Evaluator):
    """Evaluates any number of runs by the same qrels."""

    def __init__(self, measures: list[Any], judged: list[Any]) -> None:
        super().__init__(measures, {each.query_id for each in judged})
        self.judged = judged
        self.by_name: dict[str, list[Any]] = {}
        self.of_subtopics: dict[int, dict[str, list[Any]]] = {}  # by the lowest relevant grade
        for measure in measures:
            by_name = self.by_name
            if measure.NAME in SUBTOPIC_MEASURES:
                by_name = self.of_subtopics.setdefault(measure["rel"], {})
            by_name.setdefault(name_of(measure), []).append(measure)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        """The base class adds the default score of topics that are missing or not defined."""
        documents = _documents(run)
        if len(documents) == 0:
            return
        if self.by_name:
            scores = evaluate(self.qrels, documents, list(self.by_name))
            yield from _metrics(scores, self.by_name)
        for rel, by_name in self.of_subtopics.items():
            yield from _metrics(diversity(self.subtopics, documents, by_name, rel=rel), by_name)

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
    return converter.as_dict_of_dict()


def _metrics(scores: Scores, by_name: dict[str, list[Any]]) -> Iterator[Any]:
    for row in scores:
        if row.value == row.value:  # defined
            for measure in by_name[row.measure]:
                yield ir_measures.Metric(row.topic, measure, row.value)


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
