"""The parameters of a request about ranks and topics, with the result if it is computed: the same
for page, downloads and API."""

from dataclasses import dataclass, replace

from django.http import QueryDict

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.analyses.requests import request_analysis, result_of
from scoring.analyses.studies import OfMeasure, OfMeasures, Question, Result, Study
from scoring.core.measures.measure import Measure
from scoring.core.statistics.topic_set_size import Requirement
from scoring.models import Analysis
from scoring.ranks.analysis import RANK_INTERVALS
from scoring.ranks.halves import Halves, halves_of
from scoring.ranks.halves_analysis import SPLIT_HALVES
from scoring.ranks.options import chosen_correction, chosen_requirement, ranks_question
from scoring.ranks.rows import RankedMeans, RankRow, rank_rows, ranked_means
from scoring.ranks.topics import NeededRow, needed_rows
from scoring.ranks.variance_analysis import VARIANCES
from scoring.results.options import chosen_version, versions_offered
from scoring.significance.options import tested_measure, tested_measures


@dataclass(frozen=True, eq=False)
class RanksQuery:
    """The parameters, and the rows if they are computed."""

    measure: Measure
    versions: list[Qrels]
    qrels: Qrels | None
    ranked: RankedMeans | None = None
    analysis: Analysis | None = None
    rows: tuple[RankRow, ...] = ()
    halves: Halves | None = None
    correction: str = ""
    no_sets: str = ""  # why there are no rank sets
    caution: str = ""  # about rank sets that are wide


@dataclass(frozen=True, eq=False)
class TopicsQuery:
    """The same for the number of topics."""

    required: Requirement
    versions: list[Qrels]
    qrels: Qrels | None
    analysis: Analysis | None = None
    rows: tuple[NeededRow, ...] = ()


def ranks_query(viewer: Viewer, params: QueryDict) -> RanksQuery:
    """The viewer must be one who may see the board."""
    correction = chosen_correction(params)
    query = replace(_of_measure(viewer, params), correction=correction)
    if query.qrels is None or query.ranked is None or not query.ranked.runs:
        return query
    question = ranks_question(query.measure, correction)
    analysis = request_analysis(viewer, query.qrels, RANK_INTERVALS, question, is_free=True)
    result = _result(RANK_INTERVALS, analysis)
    if result is None:
        return replace(query, analysis=analysis)
    return replace(
        query,
        analysis=analysis,
        rows=tuple(rank_rows(query.ranked, result)),
        no_sets=result.no_sets,
        caution=result.caution,
    )


def halves_query(viewer: Viewer, params: QueryDict) -> RanksQuery:
    """The viewer must be one who may see the board."""
    query = _of_measure(viewer, params)
    if query.qrels is None or query.ranked is None or len(query.ranked.runs) < 2:
        return query
    question = OfMeasure(str(query.measure))
    analysis = request_analysis(viewer, query.qrels, SPLIT_HALVES, question)
    result = _result(SPLIT_HALVES, analysis)
    halves = None if result is None else halves_of(result)
    return RanksQuery(
        query.measure, query.versions, query.qrels, query.ranked, analysis, halves=halves
    )


def topics_query(viewer: Viewer, params: QueryDict) -> TopicsQuery:
    """The viewer must be one who may see the board."""
    required = chosen_requirement(params)
    versions, qrels = _version(viewer, params)
    measures = [each for each in tested_measures(viewer) if each.family != "Judged"]
    if qrels is None or not measures or viewer.campaign.runs.ranked().count() < 2:
        return TopicsQuery(required, versions, qrels)
    question = OfMeasures([str(measure) for measure in measures])
    analysis = request_analysis(viewer, qrels, VARIANCES, question)
    result = _result(VARIANCES, analysis)
    rows = () if result is None else tuple(needed_rows(measures, result, required))
    return TopicsQuery(required, versions, qrels, analysis, rows)


def _of_measure(viewer: Viewer, params: QueryDict) -> RanksQuery:
    measure = tested_measure(viewer, params.get("measure"))
    versions, qrels = _version(viewer, params)
    ranked = None if qrels is None else ranked_means(viewer, qrels, measure)
    return RanksQuery(measure, versions, qrels, ranked)


def _version(viewer: Viewer, params: QueryDict) -> tuple[list[Qrels], Qrels | None]:
    versions = versions_offered(viewer)
    chosen = chosen_version(viewer, params.get("qrels"), versions)
    return versions, chosen or viewer.campaign.active_qrels


def _result(study: Study[Question, Result], analysis: Analysis) -> Result | None:
    return result_of(study, analysis) if analysis.state == Analysis.State.DONE else None
