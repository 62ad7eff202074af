"""The difference of one run from a baseline, by every measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from campaigns.access import Viewer, runs_visible_to
from campaigns.models import Run
from scoring.baselines.rows import (
    CORRECTIONS,
    Difference,
    Differences,
    chosen_baseline,
    chosen_correction,
    differences_from,
)
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis


@dataclass(frozen=True)
class BaselineRun:
    run_id: str
    name: str


@dataclass(frozen=True)
class MeasuredDifference:
    measure: Measure
    difference: Difference
    differences: Differences  # of all runs


@dataclass(frozen=True)
class RunBaselines:
    """The baselines that a run can be compared with, and its differences from the chosen one."""

    offered: tuple[BaselineRun, ...] = ()
    chosen: BaselineRun | None = None
    by_measure: Mapping[Measure, Differences] = field(default_factory=dict)
    run_id: str = ""
    correction: str = next(iter(CORRECTIONS))

    @property
    def pending_analysis(self) -> Analysis | None:
        """The first that no worker has computed yet."""
        pending = (each.analysis for each in self.by_measure.values() if each.is_pending)
        return next(pending, None)

    @property
    def rows(self) -> tuple[MeasuredDifference, ...]:
        """In the order of the measures; those that are computed and have the run."""
        return tuple(
            MeasuredDifference(measure, found.by_run[self.run_id], found)
            for measure, found in self.by_measure.items()
            if self.run_id in found.by_run
        )

    def difference(self, measure: str) -> Difference | None:
        return {str(row.measure): row.difference for row in self.rows}.get(measure)


def run_baselines(
    viewer: Viewer, run: Run, params: Mapping[str, str], measures: Sequence[Measure] | None = None
) -> RunBaselines:
    """For a ranked run and a viewer who may see the board; else without baselines. One query, three
    with `baseline` among the parameters. Raises UnknownChoice."""
    qrels = viewer.campaign.active_qrels
    offered: tuple[BaselineRun, ...] = ()
    if viewer.can_see_baselines and qrels:
        # The ranked baselines besides the run; none if it is not ranked itself.
        named = runs_visible_to(viewer).filter(pk__in=viewer.campaign.runs.ranked())
        runs = {each.pk: each for each in named.filter(Q(is_baseline=True) | Q(pk=run.pk))}
        others = sorted((pk for pk in runs if pk != run.pk) if run.pk in runs else ())
        offered = tuple(BaselineRun(runs[pk].public_id, runs[pk].shown_name) for pk in others)
    chosen = chosen_baseline(offered, params.get("baseline"))
    correction = chosen_correction(params.get("correction"))
    if chosen is None or qrels is None:
        return RunBaselines(offered, correction=correction)
    measures = rules_of(viewer.campaign).measures if measures is None else measures
    found = differences_from(viewer, qrels, chosen.run_id, measures, correction)
    return RunBaselines(offered, chosen, found, run.public_id, correction)
