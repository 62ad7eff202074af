"""Judging: documents, plans, assignments, claims and judgments."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import HIGHEST_P, Campaign, Topic
from campaigns.models.people import User


class Document(models.Model):
    """A document's text, if the organisers uploaded it. Shown as text, never as markup."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="documents")
    doc_id = models.CharField(max_length=1024)
    title = models.CharField(max_length=500, blank=True)
    text = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "doc_id"], name="document_once"),
        ]

    def __str__(self) -> str:
        return self.doc_id


class Plan(models.Model):
    """Selects the documents to judge and their order. A campaign has at most one active plan. An
    ended plan stays, because judgments refer to it."""

    class Method(models.TextChoices):
        POOLING = "pooling", "Pooling: the first documents of every run"
        A = "A", "A: the largest total weight over all runs"
        B = "B", "B: as A, favouring runs with large residuals"
        C = "C", "C: as B, favouring runs with high projected scores"
        MTF = "MTF", "Move-to-front: the run that found a relevant document last"
        HEDGE = "Hedge", "Hedge: the documents that the best runs so far rank high"
        MAX_MEAN = "MaxMean", "MaxMean: the run with the largest share of relevant documents"
        RBP_SAMPLE = "RBPsample", "Stratified sample by the weights of RBP, to estimate scores"
        AP_SAMPLE = "APsample", "Stratified sample by the weights of AP, to estimate scores"

    class Scope(models.TextChoices):
        RUN = "run", "a run's means over all topics"
        TOPIC = "topic", "the document's own topic"

    class State(models.TextChoices):
        OPEN = "open"
        PAUSED = "paused"
        ENDED = "ended"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="plans")
    method = models.CharField(max_length=9, choices=Method.choices, default=Method.C)
    persistence = models.FloatField(
        default=0.8, validators=[MinValueValidator(0), MaxValueValidator(HIGHEST_P)]
    )
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.RUN)
    lowest_priority = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Runs up to this judging priority contribute. Empty: all runs.",
    )
    starts_from = models.ForeignKey(  # a version whose judgments are reused; null: none
        "campaigns.Qrels", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    budget = models.PositiveIntegerField(validators=[MinValueValidator(1)])  # documents
    batch = models.PositiveSmallIntegerField(
        default=20,
        validators=[MinValueValidator(1)],
        help_text="Judgments until B, C, MTF, Hedge and MaxMean choose again.",
    )
    overlap_percent = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(100)],
        help_text="Two assessors judge this percentage of the documents.",
    )
    is_shuffled = models.BooleanField(
        default=False,
        help_text="Shuffle documents, so that their order does not depend on the runs.",
    )
    shows_residual = models.BooleanField(
        default=False, help_text="Show assessors the mean residual of all runs."
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(24 * 60)]
    )
    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    laid_out = models.PositiveIntegerField(default=0)  # documents selected so far
    is_exhausted = models.BooleanField(default=False)  # no run has a further document
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"], condition=~Q(state="ended"), name="one_plan_in_force"
            ),
        ]

    def __str__(self) -> str:
        method = "stratified sample" if self.is_sample else self.method
        return f"{method}, p = {self.persistence}, {self.budget} documents"

    @property
    def is_static(self) -> bool:
        """Whether the order is independent of judgments, so that all tasks are created at once."""
        return self.is_sample or self.method in (self.Method.POOLING, self.Method.A)

    @property
    def is_sample(self) -> bool:
        """Whether documents are drawn at random, with probabilities from which scores are
        estimated."""
        return self.method in (self.Method.RBP_SAMPLE, self.Method.AP_SAMPLE)

    @property
    def is_by_topic(self) -> bool:
        """Whether the method treats each topic by itself and uses neither p nor the scope."""
        return self.method in (self.Method.MTF, self.Method.HEDGE, self.Method.MAX_MEAN)

    @property
    def is_laid_out(self) -> bool:
        return self.is_exhausted or self.laid_out >= self.budget


class TopicAssessor(models.Model):
    """An assignment: this assessor judges this topic."""

    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="assessors")
    assessor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="topics_to_judge")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "assessor"], name="topic_assessor_once"),
        ]

    def __str__(self) -> str:
        return f"{self.assessor} for {self.topic}"


class Task(models.Model):
    """One document of one topic that the plan wants judged, by one assessor or by two; by none if
    it belongs to a sample and was judged before."""

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="tasks")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="tasks")
    doc_id = models.CharField(max_length=1024)
    position = models.PositiveIntegerField()  # 0-based, in the order of the plan
    turn = models.PositiveIntegerField()  # the order in which it is shown, which may be shuffled
    batch = models.PositiveIntegerField(default=0)
    wanted = models.PositiveSmallIntegerField(default=1)  # number of assessors

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "topic", "doc_id"], name="task_once"),
            models.UniqueConstraint(fields=["plan", "position"], name="task_position_once"),
        ]
        indexes = [models.Index(fields=["plan", "topic", "turn"])]

    def __str__(self) -> str:
        return f"{self.topic} {self.doc_id}"


class Sample(models.Model):
    """What the documents of a plan were drawn from: the first documents of each topic of runs."""

    plan = models.OneToOneField(Plan, on_delete=models.PROTECT, related_name="sample")
    seed = models.PositiveBigIntegerField()
    depth = models.PositiveIntegerField()  # documents of each topic of a run
    runs = models.JSONField()  # public id and digest of the ranking of each

    def __str__(self) -> str:
        return f"sample of {self.plan}"


class SampledDocument(models.Model):
    """With which probability the document of a task was drawn. Two documents are drawn of each
    stratum; those of stratum 0 are judged for certain."""

    task = models.OneToOneField(Task, on_delete=models.PROTECT, related_name="sampled")
    stratum = models.PositiveIntegerField()
    probability = models.FloatField()
    joint_probability = models.FloatField()  # that both documents of the stratum are drawn

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(probability__gt=0)
                & Q(probability__lte=1)
                & Q(joint_probability__gt=0)
                & Q(joint_probability__lte=1),
                name="sampled_with_a_probability",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.probability}"


class GoldDocument(models.Model):
    """A document whose grade the organisers know. Assessors judge it without knowing that."""

    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="gold_documents")
    doc_id = models.CharField(max_length=1024)
    grade = models.PositiveSmallIntegerField(validators=[MaxValueValidator(127)])
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "doc_id"], name="gold_document_once"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.doc_id}: {self.grade}"


class Claim(models.Model):
    """A task is reserved for an assessor until the lease ends, or for good once judged. Only then
    the claim counts towards the number of assessors that the task wants."""

    class End(models.TextChoices):
        NONE = "", "held"
        JUDGED = "judged"
        SKIPPED = "skipped"  # other assessors may still judge the document
        RELEASED = "released"

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="claims")
    assessor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    until = models.DateTimeField()  # the end of the lease, or of an ended claim its end
    end = models.CharField(max_length=8, choices=End.choices, default=End.NONE, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "assessor"], name="claim_once"),
        ]

    def __str__(self) -> str:
        return f"{self.assessor} on {self.task}"


class Judgment(models.Model):
    """Rows are only added. A later judgment of the same assessor replaces an earlier one, and one
    without a grade withdraws it. A decision by an organiser overrides both."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="judgments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="judgments")
    doc_id = models.CharField(max_length=1024)
    grade = models.SmallIntegerField(null=True)  # null: withdrawn
    assessor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    task = models.ForeignKey(
        Task, on_delete=models.PROTECT, null=True, blank=True, related_name="judgments"
    )
    is_unsure = models.BooleanField(default=False, db_default=False)
    note = models.CharField(max_length=1000, blank=True, default="", db_default="")
    is_adjudication = models.BooleanField(default=False, db_default=False)
    key = models.CharField(  # of the request, so that a repeated one adds nothing
        max_length=64, blank=True, default="", db_default=""
    )

    class Meta:
        indexes = [models.Index(fields=["campaign", "topic", "at"])]
        constraints = [
            models.CheckConstraint(
                condition=Q(grade=None) | (Q(grade__gte=0) & Q(grade__lte=127)),
                name="judgment_grade_in_range",
            ),
            models.UniqueConstraint(
                fields=["assessor", "key"], condition=~Q(key=""), name="judgment_sent_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.doc_id}: {self.grade}"
