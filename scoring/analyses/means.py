"""Means by measures without stored scores: computed at once if few grades are needed, else by a
worker."""

import hashlib
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.analyses.means_analysis import MEANS, MeansOfRuns, means_from_result
from scoring.analyses.requests import request_analysis, result_of
from scoring.core.measures.measure import Measure
from scoring.evaluation.means import Means, graded_runs, means_of
from scoring.models import Analysis

# Grades times measures: what a web process reads in a fifth of a second and caches.
AT_ONCE: Final = 20_000_000
# Each run has a file. An S3 store needs ten milliseconds for one.
FILES_AT_ONCE: Final = 250


class NotComputedYet(NamedTuple):
    """A worker computes the means, or has failed."""

    analysis: Analysis


def request_means(
    viewer: Viewer,
    qrels: Qrels,
    measures: Sequence[Measure],
    *,
    run_ids: Collection[str] | None = None,
) -> dict[Measure, Means] | NotComputedYet:
    """Of all live runs with stored grades, or of `run_ids`. Two queries; four if a worker computes
    them. The viewer must be allowed to see the scores of all these runs."""
    campaign = viewer.campaign
    runs = graded_runs(campaign, qrels, run_ids)
    grades = campaign.topics.count() * sum(run.depth for run in runs)
    if grades * len(measures) <= AT_ONCE and len(runs) <= FILES_AT_ONCE:
        return means_of(campaign, qrels, measures, runs)
    # Sorted, because the same question must have the same digest.
    chosen = None if run_ids is None else sorted(run_ids)
    question = MeansOfRuns([str(measure) for measure in measures], chosen)
    # The stamp changes when a run is added, removed or graded again.
    graded = "".join(f"{run.run_id} {run.digest}\n" for run in runs)
    stamp = hashlib.sha256(graded.encode()).hexdigest()[:16]
    analysis = request_analysis(viewer, qrels, MEANS, question, stamp=stamp)
    if analysis.state != Analysis.State.DONE:
        return NotComputedYet(analysis)
    return dict(zip(measures, means_from_result(result_of(MEANS, analysis)), strict=True))
