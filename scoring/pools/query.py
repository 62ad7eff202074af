"""What a request asks about pools, and as much of the answer as there is: the same for page,
downloads and API."""

from dataclasses import dataclass
from typing import Any

from campaigns import access
from campaigns.models import Qrels
from scoring.analyses.requests import request_analysis, result_of
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.pools.options import PoolChoice, chosen_pool
from scoring.pools.rows import LeftOut, PoolStudy, left_out, pool_study, pooled_board_runs
from scoring.results.options import chosen_version, versions_offered
from scoring.results.runs import BoardRun


@dataclass(frozen=True, eq=False)
class PoolQuery:
    """What an address asks for, and as much of the answer as there is."""

    choice: PoolChoice
    versions: list[Qrels]
    qrels: Qrels | None
    runs: tuple[BoardRun, ...] = ()
    analysis: Analysis | None = None

    @property
    def is_done(self) -> bool:
        return self.analysis is not None and self.analysis.state == Analysis.State.DONE


def depths_query(viewer: access.Viewer, query: Any) -> PoolQuery:
    """For the page, the CSVs and scripts. The viewer must be one who may see the board."""
    measures = [str(measure) for measure in rules_of(viewer.campaign).measures]
    return _asked(viewer, query, "pool_depths", lambda choice: {"measures": measures})


def team_query(viewer: access.Viewer, query: Any) -> PoolQuery:
    return _asked(
        viewer,
        query,
        "left_out",
        lambda choice: {"measure": str(choice.measure), "depth": choice.pool.asked},
    )


def _asked(viewer: access.Viewer, query: Any, kind: str, question: Any) -> PoolQuery:
    choice = chosen_pool(viewer, query)
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, query.get("qrels"), versions) or viewer.campaign.active_qrels
    if qrels is None:
        return PoolQuery(choice, versions, None)
    runs = pooled_board_runs(viewer, qrels, choice.measure)
    if not runs:
        return PoolQuery(choice, versions, qrels)
    return PoolQuery(
        choice, versions, qrels, runs, request_analysis(viewer, qrels, kind, question(choice))
    )


def study_of(viewer: access.Viewer, asked: PoolQuery) -> PoolStudy | None:
    if asked.analysis is None or not asked.is_done:
        return None
    measures = rules_of(viewer.campaign).measures
    return pool_study(asked.choice, asked.runs, measures, result_of(asked.analysis))


def teams_left_out(viewer: access.Viewer, asked: PoolQuery) -> LeftOut | None:
    if asked.analysis is None or asked.qrels is None or not asked.is_done:
        return None
    return left_out(viewer, asked.qrels, asked.choice, result_of(asked.analysis))
