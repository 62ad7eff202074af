"""The scores of one run, as its page and the API show them."""

from dataclasses import dataclass

from campaigns.access import Viewer
from campaigns.models import Run
from scoring.core.means import shown_digits
from scoring.definitions import rules_of, version_of
from scoring.models import Score, TieRule


@dataclass(frozen=True)
class RunScore:
    measure: str
    base: float | None
    residual: float | None
    topic_count: int

    @property
    def upper(self) -> float | None:
        if self.base is None or self.residual is None:
            return None
        return self.base + self.residual

    @property
    def digits(self) -> int:
        return shown_digits(self.residual)


def run_scores(viewer: Viewer, run: Run) -> tuple[RunScore, ...]:
    """Its scores under what is in force, in the campaign's order of measures; none where the
    viewer may not see them or they are not there yet."""
    if viewer.campaign.active_qrels_id is None or not viewer.can_see_scores_of(run):
        return ()
    rules = rules_of(viewer.campaign)
    found = {
        (score.measure, score.definition): score
        for score in Score.objects.filter(
            evaluation__run=run,
            evaluation__qrels=viewer.campaign.active_qrels_id,
            evaluation__definitions=rules.digest,
            evaluation__tie_rule=TieRule.DOCNO,
        ).defer("bases", "residuals")
    }
    wanted = [(str(measure), version_of(measure)) for measure in rules.measures]
    return tuple(
        RunScore(s.measure, s.mean_base, s.mean_residual, s.topic_count)
        for s in (found[key] for key in wanted if key in found)
    )
