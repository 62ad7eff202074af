"""Merging two teams, and a preview of the merge."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from campaigns.errors import CannotMergeTeams
from campaigns.log import record
from campaigns.models import Run, Team, User
from campaigns.models.runs import run_name
from campaigns.people import teams
from campaigns.quotas import quota_of
from campaigns.trec.names import name_key


@dataclass(frozen=True)
class Outcome:
    """The effects of merging `team` into `into`."""

    team: Team  # is deleted
    into: Team  # stays
    members: Sequence[User]  # of `team`
    runs: int  # of `team`, of any status
    runs_there: int  # of `into`
    used: int  # of the quota, together
    limit: int | None
    attempts: int  # files within 24 hours, together
    is_anonymous: bool
    shares_files: bool
    obstacle: str  # why they cannot be merged, or ""

    @property
    def is_above_quota(self) -> bool:
        return self.limit is not None and self.used > self.limit

    @property
    def has_full_quota(self) -> bool:
        return self.limit is not None and self.used == self.limit


def outcome_of(*, team: Team, into: Team, moment: datetime) -> Outcome:
    """The effects of a merge at this moment. Changes nothing."""
    going, staying = (quota_of(each.campaign, each, moment) for each in (team, into))
    members = team.memberships.select_related("person").order_by("created_at", "pk")
    return Outcome(
        team=team,
        into=into,
        members=[membership.person for membership in members],
        runs=team.runs.count(),
        runs_there=into.runs.count(),
        used=going.used + staying.used,
        limit=staying.limit,
        attempts=going.attempts + staying.attempts,
        is_anonymous=team.is_anonymous or into.is_anonymous,
        shares_files=team.shares_files and into.shares_files,
        obstacle=_obstacle(team, into),
    )


@transaction.atomic
def merge_teams(*, team: Team, into: Team, actor: User) -> None:
    """Moves members and runs of `team` to `into` and deletes `team`. The runs count together, and
    `into` is anonymous if either team was."""
    if team.pk == into.pk or team.campaign_id != into.campaign_id:
        raise CannotMergeTeams("Choose another team of this campaign.")
    in_order = sorted((team, into), key=lambda each: each.pk)  # prevents a deadlock
    locked = {each.pk: each for each in map(teams.lock_team, in_order)}
    team, into = locked[team.pk], locked[into.pk]
    if obstacle := _obstacle(team, into):
        raise CannotMergeTeams(obstacle)
    into.is_anonymous = into.is_anonymous or team.is_anonymous
    into.shares_files = into.shares_files and team.shares_files
    into.admitted_at = into.admitted_at or team.admitted_at
    into.save(update_fields=["is_anonymous", "shares_files", "admitted_at"])
    # Idempotency keys are unique in a team. A key that both used would name the wrong file.
    used = into.runs.exclude(idempotency_key="").values("idempotency_key")
    team.runs.filter(idempotency_key__in=used).update(idempotency_key="")
    moved = team.runs.update(team=into)
    team.memberships.update(team=into)
    record(into, actor, "merged", team=team.name, public_id=team.public_id, runs=moved)
    team.delete()


def _obstacle(team: Team, into: Team) -> str:
    if team.approved_at is None or into.approved_at is None:
        return "Approve both teams first."
    if team.disqualified_at is not None or into.disqualified_at is not None:
        return "A disqualified team cannot be merged. Reinstate it first."
    runs = Run.objects.live()
    mine = {name_key(name) for name in runs.filter(team=into).values_list(run_name(), flat=True)}
    theirs = runs.filter(team=team).values_list(run_name(), flat=True)
    shared = sorted(name for name in theirs if name_key(name) in mine)
    if not shared:
        return ""
    names = ", ".join(shared[:10])
    return f"Both teams have a run named {names}. Rename or withdraw one of them first."
