"""A qrels version is a complete, immutable set of judgments."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from campaigns.models.campaign import DEEPEST, Campaign
from campaigns.models.people import User


class Qrels(models.Model):
    """One file of judgments that never changes. A correction is a new version."""

    # Field 2 of a line in the file of a version with judgments of a program
    BY_PEOPLE: ClassVar = b"0"
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
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "qrels"
        constraints = [
            models.UniqueConstraint(fields=["campaign", "version"], name="qrels_version_once"),
        ]

    def __str__(self) -> str:
        return f"qrels v{self.version}"
