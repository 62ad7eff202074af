"""How many documents a plan by depth would have judged: the budget that pooling needs."""

from collections.abc import Mapping
from typing import Any, Final

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.analyses.means import FILES_AT_ONCE, NotComputedYet
from scoring.analyses.requests import last_computed, request_analysis, result_of
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


def request_pool_size(
    viewer: Viewer, starts_from: Qrels | None, question: Mapping[str, Any]
) -> int | NotComputedYet:
    """The answer to a question of `compute`. If many rankings must be read, a worker counts; while
    people judge, its last answer is used."""
    runs = contributing_runs(viewer.campaign, question["priority"])
    ranked = sum(run.ranking.document_count for run in runs)
    if len(runs) <= FILES_AT_ONCE and ranked <= AT_ONCE:
        return pool_size(viewer.campaign, starts_from, question)
    analysis = request_analysis(viewer, starts_from, "pool_size", question)
    last = None if analysis.state == Analysis.State.FAILED else last_computed(analysis)
    return NotComputedYet(analysis) if last is None else int(result_of(last)["documents"])


def compute(campaign: Campaign, qrels: Qrels | None, question: Mapping[str, Any]) -> dict[str, Any]:
    """`question` holds `p`, `priority` and `depth`; `qrels` is the version that the plan starts
    from. `documents` is the answer."""
    return {"documents": pool_size(campaign, qrels, question)}


def pool_size(campaign: Campaign, starts_from: Qrels | None, question: Mapping[str, Any]) -> int:
    """How many documents among the first `depth` of any contributing run are unjudged."""
    pooled = candidates_of_campaign(
        campaign,
        persistence=question["p"],
        lowest_priority=question["priority"],
        depth=min(question["depth"], depth_of(campaign, question["p"])),
    )
    if pooled is None:
        return 0
    outcomes = known_outcomes(campaign, pooled.candidates, starts_from=starts_from)
    return int((outcomes == UNJUDGED).sum())
