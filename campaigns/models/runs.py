"""A run: one ranked answer to all topics, one file, and what became of it."""

from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.identity import new_public_id
from campaigns.models.people import Team, User

# Nobody of the team has taken it back; its tag is in use.
LIVE = Q(state="accepted", withdrawn_at=None, replaced_at=None)
# It stands on a board: live, in time and not disqualified.
RANKED = LIVE & Q(is_late=False, disqualified_at=None, team__disqualified_at=None)
# It has come, or may yet: it holds its place in the quota and whatever it replaces.
STANDING = Q(withdrawn_at=None, replaced_at=None) & ~Q(state__in=["refused", "failed"])


class RunQuerySet(models.QuerySet["Run"]):
    def live(self) -> "RunQuerySet":
        return self.filter(LIVE)

    def ranked(self) -> "RunQuerySet":
        return self.filter(RANKED)

    def without_successors(self) -> "RunQuerySet":
        """Those that no standing run among them is to replace. As one list: asked run by run, a
        database may look through all runs of the site for each."""
        successors = self.filter(STANDING, replaces__isnull=False)
        return self.exclude(pk__in=successors.values("replaces"))


class Run(models.Model):
    """Its state is what became of the file; withdrawn, replaced, late and disqualified are facts
    of their own beside it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        CHECKING = "checking"
        CHECKED = (
            "checked"  # nothing wrong with it; its team has yet to accept the validation report
        )
        ACCEPTED = "accepted"
        REFUSED = "refused"  # the file's fault: its problems say where
        FAILED = "failed"  # ours: an organiser can try again

    class Type(models.TextChoices):
        AUTOMATIC = "automatic"
        MANUAL = "manual"
        FEEDBACK = "feedback"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="runs")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs")
    uploaded_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    tag = models.CharField(max_length=64, blank=True)  # column 6; known once the file is read
    run_type = models.CharField(max_length=9, choices=Type.choices, default=Type.AUTOMATIC)
    description = models.TextField(blank=True, max_length=4000)
    answers = models.JSONField(  # to the campaign's run_fields
        default=dict, db_default={}, blank=True
    )
    judging_priority = models.PositiveSmallIntegerField(null=True, blank=True)
    is_pooled = models.BooleanField(null=True, blank=True)  # contributed documents to judge

    original_name = models.CharField(max_length=200, blank=True)  # shown, never a path
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)  # sha256 of the file as uploaded
    storage_key = models.CharField(max_length=100, blank=True)  # empty: the file was deleted
    submitted_at = models.DateTimeField()  # the start of the upload
    received_at = models.DateTimeField(null=True)  # its end; deadlines count both
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
            # Among the team's own live runs only: "taken" would tell of other teams' runs.
            models.UniqueConstraint(
                fields=["team", "tag"],
                condition=LIVE,
                name="tag_once_among_live_runs",
            ),
            models.UniqueConstraint(
                fields=["team", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="upload_once_per_key",
            ),
            models.UniqueConstraint(
                fields=["storage_key"], condition=~Q(storage_key=""), name="one_run_per_file"
            ),
            # A refused file may be followed by another one that replaces the same run.
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
        return self.tag or self.public_id
