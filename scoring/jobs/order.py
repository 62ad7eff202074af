"""Which waiting job comes next: by priority, then by fair shares, then by age.

Workers are shared between clients. Each team is a client, and so is each kind of job of a campaign
that belongs to no team, such as its analyses, and the emails about accounts. The client with the
fewest running jobs comes first; then the one that used the least worker time in the last
FAIR_SHARE_SECONDS; then the one with the fewest jobs, because SQLite's clock measures no job below
a millisecond. So a team that uploads one run waits for at most one job of a team that uploads a
hundred.

A job of no team (an analysis, an email, the next documents to judge) that has waited
PRIORITY_SECONDS counts as one priority higher. So it gets its share however many runs are uploaded.
Runs that are scored again stay behind uploads.

Analyses have a share of the slots of all workers, ANALYSES_SHARE, and the other slots stay free for
uploads (`workers.py`). Long analyses have half as many of their own, so that quick ones need not
wait for them. Tables that workers write, and large files of qrels and documents, count as long
analyses. One statement reads the state of all live jobs, and the same state gives the same
choice. Workers that choose at the same moment choose the same job, and only one of them claims it.
This enforces the limit without a lock, with one exception: if another analysis becomes the next job
between two choices, each of the two workers may start one.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

from django.conf import settings
from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Coalesce, Now

from scoring.jobs import workers
from scoring.models import Evaluation, Job

FAIR_SHARE_SECONDS = 600
PRIORITY_SECONDS = 300
# Of the runs that one attempt scores again: as many as take a worker less than half a second.
BATCH_RUNS = 16
BATCH_DOCUMENTS = 1_000_000
SHARED_SLOTS = (Job.Kind.ANALYSE, Job.Kind.WRITE, Job.Kind.READ)  # jobs that share some slots

Client: TypeAlias = int | tuple[str, int | None]  # a team, or a kind of job of a campaign


@dataclass(frozen=True)
class _Group:
    """The live jobs of one kind, length, campaign, team and priority."""

    kind: str
    is_long: bool
    campaign: int | None
    team: int | None
    priority: int
    running: int
    oldest: int | None  # the key of the first job that is due
    waited: timedelta | None  # the longest wait of the jobs that are due

    @property
    def rank(self) -> int:
        """The priority, raised by waiting if the jobs belong to no team."""
        if self.team is not None:
            return self.priority
        seconds = self.waited.total_seconds() if self.waited else 0.0
        return max(self.priority - int(seconds // PRIORITY_SECONDS), 0)

    @property
    def client(self) -> Client:
        return _client(self.kind, self.campaign, self.team)


def free() -> Q:
    """Jobs that may be claimed: they wait, or the lease of their worker expired."""
    is_abandoned = Q(state=Job.State.RUNNING, lease_until__lt=Now())
    is_waiting = Q(state=Job.State.WAITING)
    # The sweeper fails a job without attempts left; until then nobody may claim it.
    return (is_waiting | is_abandoned) & Q(attempts__lt=settings.JOB_ATTEMPTS)


def due() -> Q:
    """Jobs that should be claimed now: free, and not delayed by a failed attempt."""
    return free() & (Q(due_at=None) | Q(due_at__lte=Now()))


def next_job() -> int | None:
    """The key of the job that a worker should claim now; None if there is none. Two queries, and
    one more for quick and for long analyses of which any runs."""
    groups = _live_groups()
    running: Counter[Client] = Counter()
    for group in groups:
        running[group.client] += group.running
    waiting = [group for group in groups if group.oldest is not None]
    for is_long in (False, True):
        analyses = [
            each for each in groups if each.kind in SHARED_SLOTS and each.is_long == is_long
        ]
        at_once = sum(group.running for group in analyses)
        # The limit is 1 at least, so it is only looked up if any of them runs.
        if at_once and at_once >= workers.analyses_at_once(is_long=is_long):
            waiting = [group for group in waiting if group not in analyses]
    if not waiting:
        return None
    seconds, jobs = _recent_use()

    def place(group: _Group) -> tuple[Any, ...]:
        client = group.client
        return group.rank, running[client], seconds[client], jobs[client], group.oldest

    return min(waiting, key=place).oldest


def is_batched(kind: str, priority: int) -> bool:
    """Whether one attempt performs several such jobs: nobody waits for a run that is scored
    again."""
    return kind == Job.Kind.EVALUATE and priority != Job.Priority.UPLOAD


def companions(job: Job) -> list[Job]:
    """The jobs that a claim of this job takes along: further runs of its campaign that are scored
    again. They share its transactions and the qrels in memory. Locked until the transaction ends.

    A job that was attempted before is performed alone, so that a run that kills its worker costs no
    other run more than one attempt.
    """
    if not is_batched(job.kind, job.priority) or job.attempts > 1:
        return []
    same = Job.objects.filter(kind=job.kind, campaign=job.campaign_id, priority=job.priority)
    waiting = same.filter(due(), state=Job.State.WAITING, attempts=0).order_by("pk")
    # Jobs that another claim has locked are skipped, so that no worker waits for another.
    found = list(waiting.select_for_update(skip_locked=True, of=("self",))[: BATCH_RUNS - 1])
    if not found:
        return []
    evaluations = Evaluation.objects.filter(pk__in=[each.subject for each in (job, *found)])
    sizes = dict(evaluations.values_list("pk", "run__ranking__document_count"))
    taken, documents = [], sizes.get(job.subject, 0)
    for other in found:
        documents += sizes.get(other.subject, 0)
        if documents > BATCH_DOCUMENTS:
            break
        taken.append(other)
    return taken


def _live_groups() -> list[_Group]:
    """One row for each group, whatever the length of the queue."""
    is_running = Q(state=Job.State.RUNNING, lease_until__gte=Now())
    live = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    waited = ExpressionWrapper(
        Now() - Min("waiting_since", filter=due()), output_field=DurationField()
    )
    rows = live.values("kind", "is_long", "campaign", "team", "priority").annotate(
        running=Count("pk", filter=is_running), oldest=Min("pk", filter=due()), waited=waited
    )
    return [_Group(**row) for row in rows]


def _recent_use() -> tuple[Counter[Client], Counter[Client]]:
    """The worker time that each client used recently, and for how many jobs."""
    spent = ExpressionWrapper(
        # A job that still runs counts with the time that it has taken so far.
        Coalesce(F("finished_at"), Now()) - F("claimed_at"),
        output_field=DurationField(),
    )
    recent = Job.objects.exclude(state=Job.State.WAITING).filter(
        claimed_at__gt=Now() - timedelta(seconds=FAIR_SHARE_SECONDS)
    )
    seconds: Counter[Any] = Counter()
    jobs: Counter[Any] = Counter()
    groups = recent.values("kind", "campaign", "team")
    for row in groups.annotate(spent=Sum(spent), count=Count("pk")):
        client = _client(row["kind"], row["campaign"], row["team"])
        seconds[client] += row["spent"].total_seconds()
        jobs[client] += row["count"]
    return seconds, jobs


def _client(kind: str, campaign: int | None, team: int | None) -> Client:
    return (kind, campaign) if team is None else team
