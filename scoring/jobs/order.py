"""Which waiting job comes next: by priority, then in fair shares, then by age.

Jobs are shared out between clients: each team is one, and so is each kind of work of a campaign
that belongs to no team, such as its analyses, and the mails about accounts. The client with the
fewest running jobs comes first; of those with equally many, the one that used the least worker time
in the last FAIR_SHARE_SECONDS, or else the fewest jobs, for SQLite's clock measures no job below a
millisecond. So a team that uploads one run waits for at most one job of a team that uploads a
hundred.

Work of no team (analyses, mails, the next documents of assessors) that has waited PRIORITY_SECONDS
counts as one priority higher. So it gets its share however many runs are uploaded, and no more.
Runs that are scored again stay behind uploads.

At most ANALYSES_AT_ONCE analyses run at a time on all workers together: the other slots stay free
for uploads. The state of all live jobs is read in one statement, and the same state gives the same
choice. Workers that choose at the same moment therefore choose the same job and only one of them
gets it. That holds the limit without a lock, but for one case: where another analysis came to be
the next one between two choices, each of the two workers may start one.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

from django.conf import settings
from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Coalesce, Now

from scoring.models import Job

FAIR_SHARE_SECONDS = 600
PRIORITY_SECONDS = 300

Client: TypeAlias = int | tuple[str, int | None]  # a team, or a kind of work of a campaign


@dataclass(frozen=True)
class _Group:
    """The live jobs of one kind, campaign, team and priority."""

    kind: str
    campaign: int | None
    team: int | None
    priority: int
    running: int
    oldest: int | None  # the key of the first one that is due
    waited: timedelta | None  # how long the longest waiting one of those has waited

    @property
    def rank(self) -> int:
        """The priority; waiting raises that of work of no team."""
        if self.team is not None:
            return self.priority
        seconds = self.waited.total_seconds() if self.waited else 0.0
        return max(self.priority - int(seconds // PRIORITY_SECONDS), 0)

    @property
    def client(self) -> Client:
        return _client(self.kind, self.campaign, self.team)


def free() -> Q:
    """Jobs that may be claimed: they wait, or the lease of the worker that holds them ran out."""
    is_abandoned = Q(state=Job.State.RUNNING, lease_until__lt=Now())
    waits = Q(state=Job.State.WAITING)
    return (waits | is_abandoned) & Q(attempts__lt=settings.JOB_ATTEMPTS)


def due() -> Q:
    """Jobs that should be claimed now: free, and with no attempt that has just failed."""
    return free() & (Q(due_at=None) | Q(due_at__lte=Now()))


def next_job() -> int | None:
    """The key of the job that a worker should claim now; None where none may be. Two queries."""
    groups = _live_groups()
    running: Counter[Client] = Counter()
    for group in groups:
        running[group.client] += group.running
    analyses = sum(group.running for group in groups if group.kind == Job.Kind.ANALYSE)
    if analyses >= max(settings.ANALYSES_AT_ONCE, 1):
        groups = [group for group in groups if group.kind != Job.Kind.ANALYSE]
    waiting = [group for group in groups if group.oldest is not None]
    if not waiting:
        return None
    seconds, jobs = _recent_use()

    def place(group: _Group) -> tuple[Any, ...]:
        client = group.client
        return group.rank, running[client], seconds[client], jobs[client], group.oldest

    return min(waiting, key=place).oldest


def _live_groups() -> list[_Group]:
    """One row for each group, however long the queue is."""
    is_running = Q(state=Job.State.RUNNING, lease_until__gte=Now())
    live = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    waited = ExpressionWrapper(
        Now() - Min("waiting_since", filter=due()), output_field=DurationField()
    )
    rows = live.values("kind", "campaign", "team", "priority").annotate(
        running=Count("pk", filter=is_running), oldest=Min("pk", filter=due()), waited=waited
    )
    return [_Group(**row) for row in rows]


def _recent_use() -> tuple[Counter[Client], Counter[Client]]:
    """The worker time that each client used of late, and for how many jobs."""
    spent = ExpressionWrapper(
        Coalesce(F("finished_at"), Now()) - F("claimed_at"), output_field=DurationField()
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
