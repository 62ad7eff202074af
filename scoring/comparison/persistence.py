"""RBP of two runs as a function of p, base and upper bound (Fig. 6 of the RBP paper)."""

from dataclasses import dataclass
from typing import Final

from campaigns.access import Viewer
from scoring.analyses.means import NotComputedYet, request_means
from scoring.comparison.rows import Comparison
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure, with_default_rel
from scoring.core.statistics.means import Interval
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis

PERSISTENCES: Final = tuple(hundredths / 100 for hundredths in range(5, 100, 5))


@dataclass(frozen=True)
class AtPersistence:
    p: float
    measure: Measure
    first: Interval
    second: Interval

    @property
    def leader(self) -> int:
        """1 or 2: the run that scores higher whatever the unjudged documents are; 0: neither."""
        if self.first.base > self.second.upper:
            return 1
        return 2 if self.second.base > self.first.upper else 0


def bands(
    viewer: Viewer, comparison: Comparison
) -> tuple[tuple[AtPersistence, ...], Analysis | None]:
    """For each p, with the gains of the compared measure if it is a graded RBP. Empty if the grades
    of one run are not stored, and, with the analysis, until a worker has computed them. Two
    queries; four with a worker. The viewer must be one who may see scores by topic."""
    first, second = comparison.first.run_id, comparison.second.run_id
    is_graded = dict(comparison.measure.parameters).get("gain") == "map"
    gains = {"gain": "map"} if comparison.measure.family == "RBP" and is_graded else {}
    rel = rules_of(viewer.campaign).rel
    measures = [with_default_rel(make_measure("RBP", p=p, **gains), rel) for p in PERSISTENCES]
    means = request_means(viewer, comparison.qrels, measures, run_ids={first, second})
    if isinstance(means, NotComputedYet):
        return (), means.analysis
    rows = []
    for p, measure in zip(PERSISTENCES, measures, strict=True):
        a, b = (Interval(*means[measure].get(run_id, (None, None))) for run_id in (first, second))
        # The grades of this run are not stored.
        if a.upper is None or b.upper is None:
            return (), None
        rows.append(AtPersistence(p, measure, a, b))
    return tuple(rows), None
