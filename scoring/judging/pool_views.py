"""Exports the pool for judging with other tools: of the active plan, or by depth."""

import numpy as np
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.judging.plans import active_plan
from campaigns.judging.pool_files import Pool, pool_csv, pool_of, pool_prels
from campaigns.judging.pool_views import DEPTHS
from campaigns.options import choice_or_404
from scoring.judging.candidates import candidates_of_campaign
from scoring.output.responses import CSV, PLAIN, file_response

PERSISTENCE = 0.8  # its candidates go deeper than any of DEPTHS


@login_required
@require_safe
def pool_table(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    pool = _pool(viewer, request.GET.get("depth"))
    return file_response(pool_csv(viewer.campaign, pool), f"{slug}-pool-to-judge.csv", CSV)


@login_required
@require_safe
def pool_prels_file(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    pool = _pool(viewer, request.GET.get("depth"))
    return file_response(pool_prels(viewer.campaign, pool), f"{slug}-pool.prels", PLAIN)


def _pool(viewer: access.Viewer, depth: str | None) -> Pool:
    """The pool by depth if requested, else the plan's; empty if there is none."""
    if not depth:
        plan = active_plan(viewer.campaign)
        return pool_of(plan) if plan else {}
    offered = list(map(str, DEPTHS))
    deepest = int(choice_or_404("depth", depth, offered, called="pool depth"))
    run_candidates = candidates_of_campaign(viewer.campaign, persistence=PERSISTENCE)
    if run_candidates is None:
        return {}
    candidates = run_candidates.candidates
    chosen = np.flatnonzero(candidates.best_positions < deepest)
    pool: dict[str, list[str]] = {code: [] for code in candidates.topics}
    for row, doc_id in zip(
        candidates.topic_rows[chosen].tolist(), candidates.doc_ids[chosen].tolist(), strict=True
    ):
        pool[candidates.topics[row]].append(doc_id.decode())
    return pool
