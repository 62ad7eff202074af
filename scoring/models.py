"""Scores of runs: stored rankings, evaluations, scores, and the jobs that compute them."""

from urllib.parse import quote

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from campaigns.models import Campaign, Qrels, Run, Team, User
from campaigns.models.identity import new_public_id


class Worker(models.Model):
    """A Celery worker, as it reported last."""

    name = models.CharField(max_length=255, unique=True)  # Celery's node name
    slots = models.PositiveIntegerField()  # jobs that it performs at the same time
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class PeriodicTask(models.Model):
    """When a worker last took a task that all workers request periodically."""

    name = models.CharField(max_length=40, unique=True)
    claimed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Backup(models.Model):
    """A backup of the site that was completed, so that operators can be told how old the last one
    is."""

    finished_at = models.DateTimeField()
    bytes = models.PositiveBigIntegerField()
    files = models.PositiveBigIntegerField()
    faults = models.PositiveBigIntegerField()  # files that were missing or damaged

    class Meta:
        get_latest_by = "finished_at"

    def __str__(self) -> str:
        return f"{self.finished_at:%Y-%m-%d %H:%M}"


class Job(models.Model):
    """A background job. The row is authoritative: a message only wakes a worker, which claims the
    next job.

    `subject` is the key of the Run to check, of the Evaluation to score, of the Analysis to
    compute, or of the StoredTable to write.
    """

    class Kind(models.TextChoices):
        CHECK = "check"
        EVALUATE = "evaluate"
        NOTIFY = "notify"  # subject: a Notice, to be emailed
        MAIL = "mail"  # subject: a Mail, which belongs to no campaign
        ANALYSE = "analyse"
        LAY_OUT = "lay_out"  # subject: a Plan, whose next documents become tasks
        WRITE = "write"  # subject: a StoredTable
        READ = "read"  # subject: a PendingUpload, whose file is read and stored

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class Priority(models.IntegerChoices):
        """Waiting jobs of a lower number come first."""

        UPLOAD = 0  # the check and the first scores of an uploaded run
        NORMAL = 1  # notices, the next documents to judge, imports, scores computed again
        ANALYSIS = 2

    campaign = models.ForeignKey(  # null: an email that belongs to no campaign
        Campaign, on_delete=models.CASCADE, null=True, related_name="jobs"
    )
    team = models.ForeignKey(  # of the run: teams have equal shares of the workers
        Team, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    subject = models.PositiveBigIntegerField()
    priority = models.PositiveSmallIntegerField(
        choices=Priority.choices, default=Priority.NORMAL, db_default=Priority.NORMAL
    )
    request_id = models.CharField(max_length=64, blank=True, db_default="")  # that created it
    is_long = models.BooleanField(  # a slow job that quick analyses need not wait for
        default=False, db_default=False
    )
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    owner = models.CharField(max_length=32, blank=True)  # token of the current attempt
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    waiting_since = models.DateTimeField()
    due_at = models.DateTimeField(null=True)  # the earliest next attempt after one that failed
    claimed_at = models.DateTimeField(null=True)  # when the last attempt began
    lost_leases = models.PositiveSmallIntegerField(  # attempts whose worker stopped responding
        default=0, db_default=0
    )
    rung_at = models.DateTimeField()  # when the last message was sent
    finished_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)  # for organisers and operators

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=Q(state__in=["waiting", "running"]),
                name="one_live_job_per_subject",
            ),
            models.CheckConstraint(
                condition=Q(kind="mail") | Q(campaign__isnull=False), name="mail_or_of_a_campaign"
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "created_at"],
                condition=Q(state__in=["waiting", "running"]),
                name="live_jobs",  # the sweeper and the queue read no others
            ),
            models.Index(fields=["claimed_at"], name="recently_claimed_jobs"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} ({self.state})"


class StoredRanking(models.Model):
    """The ranking of a run: created once, never changed, and sufficient without the run's file."""

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="ranking")
    storage_key = models.CharField(max_length=100, unique=True)
    digest = models.CharField(max_length=64)
    topic_count = models.PositiveIntegerField()
    document_count = models.PositiveIntegerField()
    tied_count = models.PositiveIntegerField()
    longest = models.PositiveIntegerField()  # documents of its longest list
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"ranking of {self.run}"


class StoredGrades(models.Model):
    """The grades that a qrels version gives to a ranking: derived, and computed again if lost."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="grades")
    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="+")
    storage_key = models.CharField(max_length=100, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "stored grades"
        constraints = [
            models.UniqueConstraint(fields=["run", "qrels"], name="grades_once"),
        ]

    def __str__(self) -> str:
        return f"grades of {self.run} under {self.qrels}"


class TieRule(models.TextChoices):
    """How documents with equal scores are ordered: see `scoring.core.ties.ties`."""

    DOCNO = "docno"
    EXPECTED = "expected"


class Evaluation(models.Model):
    """One run under one qrels version, one set of definitions and one tie rule."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SCORING = "scoring"
        SCORED = "scored"
        FAILED = "failed"

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="evaluations")
    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="evaluations")
    # A digest of the scale, rel, gain map, policies and ground rules that its scores depend on.
    definitions = models.CharField(max_length=16)
    tie_rule = models.CharField(max_length=8, choices=TieRule.choices, default=TieRule.DOCNO)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField(auto_now_add=True)
    scored_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "qrels", "definitions", "tie_rule"], name="evaluation_once"
            ),
        ]
        indexes = [models.Index(fields=["qrels", "definitions", "tie_rule", "state"])]

    def __str__(self) -> str:
        return f"{self.run} under {self.qrels}"


class Score(models.Model):
    """One measure of one evaluation: its means, and its values by topic position.

    Vectors are packed float64, NaN where the measure is not defined or the topic not counted.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="scores")
    measure = models.CharField(max_length=80)  # canonical name
    definition = models.PositiveSmallIntegerField()  # version of the measure's family
    mean_base = models.FloatField(null=True)  # null: defined on no topic
    mean_residual = models.FloatField(null=True)  # null: no residual that is exact and useful
    topic_count = models.PositiveIntegerField()
    bases = models.BinaryField()
    residuals = models.BinaryField(null=True)
    # The base under the judgments of people alone. null: a program judged nothing, or no residual.
    mean_people = models.FloatField(null=True)
    people = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "measure"], name="score_once"),
        ]

    def __str__(self) -> str:
        return f"{self.measure} of {self.evaluation}"


class FeedbackRelease(models.Model):
    """The feedback on a run before publication: decided once, so that new qrels reveal nothing
    more."""

    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="feedback")
    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="+")
    measure = models.CharField(max_length=80)
    value = models.FloatField(null=True)  # exact: for the next step of the ladder, never shown
    shown = models.FloatField(null=True)  # two decimals; null: no feedback
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"feedback on {self.run}"


class Snapshot(models.Model):
    """A leaderboard at one point in time, at its own URL; its file never changes."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="snapshots")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    title = models.CharField(max_length=200)
    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="+")
    definitions = models.CharField(max_length=16)
    doi = models.CharField(max_length=200, blank=True, default="", db_default="")
    storage_key = models.CharField(max_length=100, unique=True)
    digest = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    contents = models.JSONField(null=True)  # names of its parts; null: not read yet
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title

    @property
    def doi_url(self) -> str:
        return "https://doi.org/" + quote(self.doi, safe="/:;()") if self.doi else ""


class Analysis(models.Model):
    """A question about all runs of a leaderboard and its result: computed once by a worker, and
    identified by a digest of all that the result depends on."""

    class State(models.TextChoices):
        WAITING = "waiting"
        COMPUTING = "computing"
        DONE = "done"
        FAILED = "failed"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="analyses")
    qrels = models.ForeignKey(  # null: a question about rankings alone
        Qrels, on_delete=models.CASCADE, null=True, related_name="+"
    )
    kind = models.CharField(max_length=20)
    question = models.JSONField()
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    answer = models.BinaryField(null=True)  # arrays by name
    # Why it failed, if everybody may know. It is then not requested again for other states.
    failure = models.CharField(max_length=200, blank=True, default="", db_default="")
    created_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "analyses"
        constraints = [
            models.UniqueConstraint(fields=["campaign", "digest"], name="analysis_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.campaign} ({self.state})"


class StoredTable(models.Model):
    """A table that takes long to write: a file for one URL, one audience and one state of the
    leaderboard. Written by a worker, and again if it is lost. If that failed, web processes write
    the table at each request until this row is deleted."""

    State = Analysis.State

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    url = models.CharField(max_length=500)  # absolute
    key = models.CharField(max_length=64)  # digest of the URL, the audience and the state
    person = models.ForeignKey(  # who asked for it first; null: an anonymous visitor
        User, on_delete=models.CASCADE, null=True, related_name="+"
    )
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    storage_key = models.CharField(max_length=100, blank=True)  # empty until it is written
    digest = models.CharField(max_length=64, blank=True)
    headers = models.JSONField(default=dict)  # of the response
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "key"], name="stored_table_once"),
        ]
        indexes = [models.Index(fields=["campaign", "url"])]

    def __str__(self) -> str:
        return f"{self.url} ({self.state})"
