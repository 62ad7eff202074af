"""Programs that judge documents, such as a language model with a prompt.

Their judgments are rows of their own, so nothing that reads the judgments of people can include
them. Only a qrels version whose sources say so contains them.
"""

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign, Topic
from campaigns.models.people import User


class Program(models.Model):
    """A program that judges documents of one campaign. Model, version and prompt do not change
    after its first judgment: another prompt is another program."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="programs")
    name = models.CharField(max_length=100)
    model = models.CharField(max_length=200)
    version = models.CharField(max_length=100)
    prompt = models.TextField(max_length=100_000)
    prompt_digest = models.CharField(max_length=64)  # sha256 of the prompt in UTF-8
    run_by = models.CharField(max_length=200)  # the person or group that runs the program
    run_on = models.DateField()
    quota = models.PositiveIntegerField(  # documents; None: all
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    cost_per_document = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal(0))],
    )
    currency = models.CharField(max_length=3, blank=True, default="", db_default="")
    # sha256 of the token with which it judges; empty without one
    token_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    token_created_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="program_name_once"),
            models.UniqueConstraint(
                fields=["token_digest"], condition=~Q(token_digest=""), name="program_token_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def statement(self) -> str:
        """What a reader of its judgments needs to know."""
        return (
            f"{self.name}: {self.model}, version {self.version}, run by {self.run_by} on "
            f"{self.run_on.isoformat()}, prompt sha256 {self.prompt_digest[:12]}"
        )


class ProgramJudgment(models.Model):
    """Rows are only added. A later judgment of the same program replaces an earlier one."""

    program = models.ForeignKey(Program, on_delete=models.PROTECT, related_name="judgments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="program_judgments")
    doc_id = models.CharField(max_length=1024)
    grade = models.PositiveSmallIntegerField()
    is_imported = models.BooleanField(default=False, db_default=False)  # from a file
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["program", "topic", "doc_id"])]
        constraints = [
            models.CheckConstraint(
                condition=Q(grade__lte=127), name="program_judgment_grade_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.doc_id}: {self.grade}"
