"""A qrels version is a complete, immutable set of judgments."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import DEEPEST, Campaign
from campaigns.models.people import User


class Qrels(models.Model):
    """One file of judgments that never changes. A correction is a new version."""

    class Sources(models.TextChoices):
        """Who made the judgments. An uploaded file has them from people, as far as is known."""

        PEOPLE = "people", "people"
        PEOPLE_THEN_PROGRAM = "people_then_program", "people, then a program for the rest"
        PROGRAM = "program", "a program"

    # Field 2 of a line in the file of a version with judgments of a program
    BY_PEOPLE: ClassVar = b"0"
    BY_PROGRAM: ClassVar = b"1"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="qrels")
    version = models.PositiveIntegerField()
    note = models.CharField(max_length=500, blank=True)
    digest = models.CharField(max_length=64)  # sha256 of the stored file
    storage_key = models.CharField(max_length=100, unique=True)
    highest_grade = models.PositiveSmallIntegerField()
    judgment_count = models.PositiveIntegerField()  # grades 0 and up
    # As the organisers state it, and may correct it; None: read from the judgments.
    pool_depth = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(DEEPEST)]
    )
    warnings = models.JSONField(default=list, db_default=[], blank=True)
    published_at = models.DateTimeField(null=True, blank=True)  # first use on a published board
    provenance = models.JSONField(default=dict, blank=True)
    sources = models.CharField(
        max_length=19, choices=Sources.choices, default=Sources.PEOPLE, db_default=Sources.PEOPLE
    )
    # Which program judged, and how many documents come from it. Empty for judgments of people.
    statement = models.TextField(blank=True, default="", db_default="")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "qrels"
        constraints = [
            models.UniqueConstraint(fields=["campaign", "version"], name="qrels_version_once"),
            models.CheckConstraint(
                condition=Q(published_at=None) | Q(sources="people") | ~Q(statement=""),
                name="published_qrels_state_their_programs",
            ),
        ]

    def __str__(self) -> str:
        return f"qrels v{self.version}"

    @property
    def has_program(self) -> bool:
        """Whether any judgment comes from a program."""
        return self.sources != self.Sources.PEOPLE

    @property
    def counts_by_source(self) -> str:
        """Such as `people: 1,200; Judge: 800`, with the names of programs. Empty if people judged
        all."""
        if not self.has_program:
            return ""
        programs = self.provenance.get("programs", ())
        counts = {each["name"]: each["documents"] for each in programs}
        people = self.judgment_count - sum(counts.values())
        of_people = {"people": people} if people else {}
        return "; ".join(f"{who}: {count:,}" for who, count in (of_people | counts).items())
