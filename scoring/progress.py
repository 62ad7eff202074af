"""Where a run stands on its way from file to scores, as its page and the API tell it."""

from dataclasses import dataclass
from datetime import datetime

from campaigns.models import Run
from scoring.definitions import rules_of
from scoring.models import Evaluation, Job, TieRule

# What a run passes through, in order, with what the page says of it.
STEPS = ("waiting", "checking", "accepted", "scoring", "scored")


@dataclass(frozen=True)
class Progress:
    """`state` is one of STEPS, or refused or failed; `ahead` counts jobs before it in the queue."""

    state: str
    since: datetime
    ahead: int | None

    @property
    def is_final(self) -> bool:
        """Nothing more happens to it by itself."""
        return self.state in {"scored", "accepted", "refused", "failed"}

    @property
    def step(self) -> int:
        """How many of STEPS it has reached."""
        return STEPS.index(self.state) + 1 if self.state in STEPS else 0


def progress_of(run: Run) -> Progress:
    """Two queries. An accepted run without qrels to score it by stays *accepted*."""
    if run.state != Run.State.ACCEPTED:
        is_waiting = run.state == Run.State.WAITING
        return Progress(
            state=run.state,
            since=run.submitted_at if is_waiting else run.state_changed_at,
            ahead=_jobs_ahead(Job.Kind.CHECK, run.pk) if is_waiting else None,
        )
    evaluation = Evaluation.objects.filter(
        run=run,
        qrels=run.campaign.active_qrels_id,
        definitions=rules_of(run.campaign).digest,
        tie_rule=TieRule.DOCNO,
    ).first()
    if evaluation is None:
        return Progress(state=run.state, since=run.state_changed_at, ahead=None)
    if evaluation.state == Evaluation.State.WAITING:  # accepted, with its scores on the way
        ahead = _jobs_ahead(Job.Kind.EVALUATE, evaluation.pk)
        return Progress(state="scoring", since=evaluation.created_at, ahead=ahead)
    since = evaluation.scored_at or evaluation.created_at
    return Progress(state=evaluation.state, since=since, ahead=None)


def _jobs_ahead(kind: Job.Kind, subject: int) -> int:
    """How many jobs wait or run that were asked for before this one."""
    mine = Job.objects.filter(kind=kind, subject=subject, state=Job.State.WAITING).first()
    if mine is None:
        return 0
    live = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    return live.filter(pk__lt=mine.pk).count()
