"""The order of the runs in a forecast: by RBP with the plan's own p, by a measure of the
leaderboard, or by their projection."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.options import choice_or_404
from scoring.analyses.means import NotComputedYet, request_means
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure, with_default_rel
from scoring.core.statistics.ranks import DECIMALS
from scoring.evaluation.rules import rules_of
from scoring.results.options import chosen_measure
from scoring.results.vectors import visible_means

PROJECTED: Final = "projected"


def orders_offered(viewer: Viewer, persistence: float) -> dict[str, str]:
    """The orders by name. The default is the first: RBP with the plan's own p, because the plan
    reduces its residuals, whatever the leaderboard shows first."""
    projected = {PROJECTED: f"projected RBP(p={persistence})"}
    if viewer.campaign.active_qrels is None:
        return projected
    measures = dict.fromkeys((_rbp(viewer, persistence), *rules_of(viewer.campaign).measures))
    return {str(measure): f"mean {measure}" for measure in measures} | projected


def chosen_order(viewer: Viewer, name: str | None, persistence: float) -> str:
    """Raises UnknownChoice."""
    offered = orders_offered(viewer, persistence)
    return choice_or_404("order", name, offered, usual=next(iter(offered)), called="order of runs")


def rank_keys(
    viewer: Viewer,
    order: str,
    run_ids: list[str],
    projected: NDArray[np.float64],
    persistence: float,
) -> list[float] | NotComputedYet:
    """The sort key of each run, higher first; runs without a score come last."""
    qrels = viewer.campaign.active_qrels
    if order == PROJECTED or qrels is None:
        # Runs with the same score must not be ordered by rounding errors.
        return [round(value, DECIMALS) for value in projected.tolist()]
    own = _rbp(viewer, persistence)
    measure = own if order == str(own) else chosen_measure(viewer, order)
    sign = sign_of(measure)
    if measure in rules_of(viewer.campaign).measures:
        runs, bases, _ = visible_means(viewer, qrels, [measure])
        means = {run.run_id: base for run, base in zip(runs, bases[0].tolist(), strict=True)}
    else:
        # No evaluation has this p of the plan, so it is computed from the grades.
        found = request_means(viewer, qrels, [measure])
        if isinstance(found, NotComputedYet):
            return found
        means = {run_id: base for run_id, (base, _) in found[measure].items() if base is not None}
    keys = [round(sign * means.get(run_id, np.nan), DECIMALS) for run_id in run_ids]
    return [-np.inf if np.isnan(key) else key for key in keys]


def _rbp(viewer: Viewer, persistence: float) -> Measure:
    """With the campaign's lowest relevant grade, as plans use it."""
    return with_default_rel(make_measure("RBP", p=persistence), viewer.campaign.rel)
