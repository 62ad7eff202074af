"""Two runs by RBP at every p: what each is known to score, and what it could (Fig. 6 of the RBP
paper, for the two)."""

import io
from dataclasses import dataclass
from typing import Final

from defusedcsv import csv

from campaigns.access import Viewer
from campaigns.models import Campaign
from scoring.asked_means import NotYet, means_asked
from scoring.comparison import Comparison
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure, with_default_rel
from scoring.definitions import rules_of
from scoring.models import Analysis

PERSISTENCES: Final = tuple(hundredths / 100 for hundredths in range(5, 100, 5))
COLUMNS: Final = (
    "p", "measure", "a", "b", "a_base", "a_residual", "a_upper", "b_base", "b_residual", "b_upper",
    "qrels",
)  # fmt: skip


@dataclass(frozen=True)
class Band:
    """From what a run scores by what is judged to what it could."""

    base: float
    residual: float

    @property
    def upper(self) -> float:
        return self.base + self.residual


@dataclass(frozen=True)
class AtPersistence:
    p: float
    measure: Measure
    first: Band
    second: Band

    @property
    def leader(self) -> int:
        """1 or 2 for the run that is ahead whatever the unjudged documents are; 0 for neither."""
        if self.first.base > self.second.upper:
            return 1
        return 2 if self.second.base > self.first.upper else 0


def bands(viewer: Viewer, found: Comparison) -> tuple[tuple[AtPersistence, ...], Analysis | None]:
    """For each p, with the gains of the compared measure where it is a graded RBP; empty where
    the grades of one of the two are not stored, and while a worker computes them: the analysis.
    Two queries; four by a worker. The viewer must be one who may see scores by topic."""
    first, second = found.first.run_id, found.second.run_id
    measures = [_rbp(viewer.campaign, found.measure, p) for p in PERSISTENCES]
    means = means_asked(viewer, found.qrels, measures, run_ids={first, second})
    if isinstance(means, NotYet):
        return (), means.analysis
    rows = []
    for p, measure in zip(PERSISTENCES, measures, strict=True):
        of_both = [_band(*means[measure].get(run_id, (None, None))) for run_id in (first, second)]
        if of_both[0] is None or of_both[1] is None:
            return (), None
        rows.append(AtPersistence(p, measure, of_both[0], of_both[1]))
    return tuple(rows), None


def bands_csv(found: Comparison | None, rows: tuple[AtPersistence, ...]) -> str:
    """At full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows if found else ():
        cells = [cell for b in (row.first, row.second) for cell in (b.base, b.residual, b.upper)]
        names = (str(row.measure), found.first.tag, found.second.tag)
        writer.writerow([row.p, *names, *cells, found.qrels.version])
    return out.getvalue()


def _rbp(campaign: Campaign, compared: Measure, p: float) -> Measure:
    is_graded = compared.family == "RBP" and dict(compared.parameters).get("gain") == "map"
    gains = {"gain": "map"} if is_graded else {}
    return with_default_rel(make_measure("RBP", p=p, **gains), rules_of(campaign).rel)


def _band(base: float | None, residual: float | None) -> Band | None:
    return None if base is None or residual is None else Band(base, residual)
