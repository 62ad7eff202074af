"""How many documents a plan by depth would have judged: the budget that pooling needs."""

from dataclasses import dataclass
from typing import Final

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.analyses.means import FILES_AT_ONCE, NotComputedYet
from scoring.analyses.requests import last_computed, request_analysis, result_of
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.data.grades import UNJUDGED
from scoring.judging.candidates import (
    candidates_of_campaign,
    contributing_runs,
    depth_of,
    known_outcomes,
)
from scoring.models import Analysis

# Ranked documents of the contributing runs: what a web process reads in half a second.
AT_ONCE: Final = 2_000_000


@dataclass(frozen=True)
class PoolToDepth:
    p: float
    priority: int | None  # of the runs that contribute: up to this one, or all
    depth: int


@dataclass(frozen=True)
class PoolSize:
    documents: int


def request_pool_size(
    viewer: Viewer, starts_from: Qrels | None, question: PoolToDepth
) -> int | NotComputedYet:
    """How many documents among the first `depth` of any contributing run are unjudged. If many
    rankings must be read, a worker counts; while people judge, its last answer is used."""
    runs = contributing_runs(viewer.campaign, question.priority)
    ranked = sum(run.ranking.document_count for run in runs)
    if len(runs) <= FILES_AT_ONCE and ranked <= AT_ONCE:
        return compute(viewer.campaign, starts_from, question).documents
    analysis = request_analysis(viewer, starts_from, POOL_SIZE, question)
    last = None if analysis.state == Analysis.State.FAILED else last_computed(analysis)
    return NotComputedYet(analysis) if last is None else result_of(POOL_SIZE, last).documents


def compute(campaign: Campaign, starts_from: Qrels | None, question: PoolToDepth) -> PoolSize:
    pooled = candidates_of_campaign(
        campaign,
        persistence=question.p,
        lowest_priority=question.priority,
        # Deeper documents are no candidates of a plan.
        depth=min(question.depth, depth_of(campaign, question.p)),
    )
    if pooled is None:
        return PoolSize(0)
    outcomes = known_outcomes(campaign, pooled.candidates, starts_from=starts_from)
    return PoolSize(int((outcomes == UNJUDGED).sum()))


POOL_SIZE: Final = declare(
    Study(
        kind="pool_size",
        title="size of a pool",
        question=PoolToDepth,
        compute=compute,
        result=PoolSize,
        reads=Reads.RANKINGS | Reads.JUDGMENTS,
        seconds=lambda size, _: size.reading,
    )
)
