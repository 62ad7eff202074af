"""Runs: a file with ranked documents for all topics, and its state."""

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Coalesce, NullIf

from campaigns.models.campaign import Campaign
from campaigns.models.identity import new_public_id
from campaigns.models.people import Team, User

# Accepted and current: its name is in use.
LIVE = Q(state="accepted", withdrawn_at=None, replaced_at=None)
# On the leaderboard: live, not late and not disqualified.
RANKED = LIVE & Q(is_late=False, disqualified_at=None, team__disqualified_at=None)
# Accepted or still being checked: it counts towards the quota and blocks the run it replaces.
STANDING = Q(withdrawn_at=None, replaced_at=None) & ~Q(state__in=["refused", "failed"])


def run_name(prefix: str = "") -> Coalesce:
    """`display_name` in the database, of the run to which the prefix leads."""
    return Coalesce(NullIf(f"{prefix}name", Value("")), f"{prefix}tag")


class RunQuerySet(models.QuerySet["Run"]):
    def live(self) -> "RunQuerySet":
        return self.filter(LIVE)

    def ranked(self) -> "RunQuerySet":
        return self.filter(RANKED)

    def without_successors(self) -> "RunQuerySet":
        """Without runs that an upload is about to replace. One subquery for all, because a
        correlated one may scan all runs of the site for each run."""
        successors = self.filter(STANDING, replaces__isnull=False)
        return self.exclude(pk__in=successors.values("replaces"))


class Run(models.Model):
    """The state is the result of checking the file. Withdrawn, replaced, late and disqualified are
    separate columns."""

    class State(models.TextChoices):
        WAITING = "waiting"
        CHECKING = "checking"
        CHECKED = "checked"  # valid; the team has to accept the validation report
        ACCEPTED = "accepted"
        REFUSED = "refused"  # the file has problems
        FAILED = "failed"  # an error of the site; an organiser can retry

    class Type(models.TextChoices):
        AUTOMATIC = "automatic"
        MANUAL = "manual"
        FEEDBACK = "feedback"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="runs")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs")
    uploaded_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    name = models.CharField(  # "": as its tag, also for runs that an older release checked
        max_length=64, blank=True, default="", db_default=""
    )
    tag = models.CharField(max_length=1024, blank=True)  # column 6; known once the file is read
    run_type = models.CharField(max_length=9, choices=Type.choices, default=Type.AUTOMATIC)
    description = models.TextField(blank=True, max_length=4000)
    answers = models.JSONField(  # to the campaign's run_fields
        default=dict, db_default={}, blank=True
    )
    judging_priority = models.PositiveSmallIntegerField(null=True, blank=True)
    is_pooled = models.BooleanField(null=True, blank=True)  # contributed documents to the pool
    is_baseline = models.BooleanField(default=False, db_default=False)
    # Of runs built on the same model, as the organisers mark them. Only they see it.
    family = models.CharField(max_length=64, blank=True, default="", db_default="")

    original_name = models.CharField(max_length=200, blank=True)  # shown, never a path
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)  # sha256 of the file as uploaded
    storage_key = models.CharField(max_length=100, blank=True)  # empty: the file was deleted
    submitted_at = models.DateTimeField()  # the start of the upload
    received_at = models.DateTimeField(null=True)  # the end of the upload; deadlines use both
    idempotency_key = models.CharField(max_length=64, blank=True)

    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    state_changed_at = models.DateTimeField()
    problems = models.JSONField(default=list)  # at most 25, in the order of their lines
    problem_count = models.PositiveIntegerField(default=0)
    warnings = models.JSONField(default=list)
    check_sheet = models.JSONField(  # topics, depth, ties, disagreement
        default=dict, db_default={}, blank=True
    )
    accepted_at = models.DateTimeField(null=True, blank=True)

    is_late = models.BooleanField(default=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    replaces = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replacements"
    )
    replaced_at = models.DateTimeField(null=True, blank=True)
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_reason = models.CharField(max_length=500, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            # Among the team's own runs only, because the error would reveal other teams' runs.
            models.UniqueConstraint(
                "team",
                run_name(),
                condition=LIVE,
                name="run_name_once_among_live_runs",
            ),
            models.UniqueConstraint(
                fields=["team", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="upload_once_per_key",
            ),
            models.UniqueConstraint(
                fields=["storage_key"], condition=~Q(storage_key=""), name="one_run_per_file"
            ),
            # After a refused file, another upload may replace the same run.
            models.UniqueConstraint(
                fields=["replaces"],
                condition=~Q(state__in=["refused", "failed"]) & Q(withdrawn_at=None),
                name="replaced_by_one_run",
            ),
            models.CheckConstraint(
                condition=Q(disqualified_at=None) | ~Q(disqualified_reason=""),
                name="run_disqualified_for_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["campaign", "state"])]

    def __str__(self) -> str:
        return self.display_name or self.public_id

    @property
    def display_name(self) -> str:
        """The name that pages show; empty until the file is read, unless the team typed one."""
        return self.name or self.tag

    @property
    def is_live(self) -> bool:
        """As LIVE."""
        is_current = self.withdrawn_at is None and self.replaced_at is None
        return is_current and self.state == Run.State.ACCEPTED

    @property
    def is_ranked(self) -> bool:
        """As RANKED."""
        is_out = self.is_late or self.disqualified_at or self.team.disqualified_at
        return self.is_live and not is_out
