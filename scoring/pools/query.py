"""The parameters of a request about pools, with the result if it is computed: the same for page,
downloads and API."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import QueryDict

from campaigns import access
from campaigns.models import Qrels
from scoring.analyses.requests import request_analysis, result_of
from scoring.analyses.studies import OfMeasures, Question, Result, Study
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.pools.analysis import POOL_DEPTHS
from scoring.pools.left_out_analysis import LEFT_OUT, LeaveTeamsOut
from scoring.pools.options import PoolChoice, chosen_pool
from scoring.pools.rows import LeftOut, PoolStudy, left_out, pool_study, pooled_board_runs
from scoring.results.options import chosen_version, versions_offered
from scoring.results.runs import BoardRun


@dataclass(frozen=True, eq=False)
class PoolQuery:
    """The parameters, and the analysis."""

    choice: PoolChoice
    versions: list[Qrels]
    qrels: Qrels | None
    runs: tuple[BoardRun, ...] = ()
    analysis: Analysis | None = None

    @property
    def is_done(self) -> bool:
        return self.analysis is not None and self.analysis.state == Analysis.State.DONE


def depths_query(viewer: access.Viewer, params: QueryDict) -> PoolQuery:
    """For page, CSV and API. The viewer must be one who may see the board."""
    # All measures at once: another choice on the page then needs no worker.
    measures = [str(measure) for measure in rules_of(viewer.campaign).measures]
    return _pool_query(viewer, params, POOL_DEPTHS, lambda _: OfMeasures(measures))


def team_query(viewer: access.Viewer, params: QueryDict) -> PoolQuery:
    def question(choice: PoolChoice) -> LeaveTeamsOut:
        return LeaveTeamsOut(str(choice.measure), choice.pool.requested)

    return _pool_query(viewer, params, LEFT_OUT, question)


def _pool_query(
    viewer: access.Viewer,
    params: QueryDict,
    study: Study[Question, Result],
    question: Callable[[PoolChoice], Question],
) -> PoolQuery:
    choice = chosen_pool(viewer, params)
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, params.get("qrels"), versions) or viewer.campaign.active_qrels
    if qrels is None:
        return PoolQuery(choice, versions, None)
    runs = pooled_board_runs(viewer, qrels, choice.measure)
    if not runs:
        return PoolQuery(choice, versions, qrels)
    return PoolQuery(
        choice, versions, qrels, runs, request_analysis(viewer, qrels, study, question(choice))
    )


def study_of(viewer: access.Viewer, query: PoolQuery) -> PoolStudy | None:
    if query.analysis is None or not query.is_done:
        return None
    measures = rules_of(viewer.campaign).measures
    result = result_of(POOL_DEPTHS, query.analysis)
    return pool_study(query.choice, query.runs, measures, result)


def teams_left_out(viewer: access.Viewer, query: PoolQuery) -> LeftOut | None:
    if query.analysis is None or query.qrels is None or not query.is_done:
        return None
    return left_out(viewer, query.qrels, query.choice, result_of(LEFT_OUT, query.analysis))
