"""The progress of a run from file to scores, for its page and the API."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from campaigns.access import Viewer
from campaigns.models import Campaign, Run
from scoring.evaluation.rules import rules_of
from scoring.models import Evaluation, Job, TieRule


@dataclass(frozen=True)
class RunProgress:
    """`state` is one of `steps`, or refused or failed. `ahead` counts the jobs before it in the
    queue, for organisers only, because it reveals how many runs other teams submit."""

    state: str
    since: datetime
    ahead: int | None
    steps: tuple[str, ...]

    @property
    def is_final(self) -> bool:
        """Whether the state no longer changes by itself."""
        return self.state in {"scored", "accepted", "checked", "refused", "failed"}

    @property
    def step(self) -> int:
        """How many steps the run has reached."""
        return self.steps.index(self.state) + 1 if self.state in self.steps else 0


def progress_of(run: Run, viewer: Viewer) -> RunProgress:
    """At most two queries. For viewers who may not see the scores, progress ends with *accepted*:
    they must not learn whether there are qrels or whether scoring failed."""
    campaign = viewer.campaign
    sees_scores = viewer.can_see_scores_of(run)
    # A run that awaits its acceptance still does so after the campaign has stopped asking for it.
    waits_for_its_team = campaign.asks_acceptance or run.state == Run.State.CHECKED
    steps = (
        "waiting",
        "checking",
        *(("checked",) if waits_for_its_team else ()),
        "accepted",
        *(("scoring", "scored") if sees_scores else ()),
    )
    if run.state != Run.State.ACCEPTED:
        is_waiting = run.state == Run.State.WAITING
        # A retry of the check sets `state_changed_at` too, but the team has waited for longer.
        return RunProgress(
            state=run.state,
            since=run.submitted_at if is_waiting else run.state_changed_at,
            ahead=_jobs_ahead(viewer, Job.Kind.CHECK, run.pk) if is_waiting else None,
            steps=steps,
        )
    evaluation = _evaluation_of(run, campaign) if sees_scores else None
    if evaluation is None:
        return RunProgress(state=run.state, since=run.state_changed_at, ahead=None, steps=steps)
    if evaluation.state == Evaluation.State.WAITING:  # accepted, scores requested
        ahead = _jobs_ahead(viewer, Job.Kind.EVALUATE, evaluation.pk)
        return RunProgress(state="scoring", since=evaluation.created_at, ahead=ahead, steps=steps)
    since = evaluation.scored_at or evaluation.created_at
    return RunProgress(state=evaluation.state, since=since, ahead=None, steps=steps)


def _evaluation_of(run: Run, campaign: Campaign) -> Evaluation | None:
    return Evaluation.objects.filter(
        run=run,
        qrels=campaign.active_qrels_id,
        definitions=rules_of(campaign).digest,
        tie_rule=TieRule.DOCNO,
    ).first()


def _jobs_ahead(viewer: Viewer, kind: Job.Kind, subject: int) -> int | None:
    """How many jobs run, or wait with a higher priority or for longer. `order.next_job` also gives
    each team its share, so the run may come sooner or later."""
    if not viewer.is_organiser:
        return None
    # None if a worker has claimed it since the state of the run was read.
    mine = Job.objects.filter(kind=kind, subject=subject, state=Job.State.WAITING).first()
    if mine is None:
        return 0
    live = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    comes_first = Q(priority__lt=mine.priority) | Q(priority=mine.priority, pk__lt=mine.pk)
    return live.filter(Q(state=Job.State.RUNNING) | comes_first).count()
