"""A campaign is one task: its topics, its rules of scoring, its dates, and who is shown what."""

import zoneinfo

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

slug_validator = RegexValidator(
    r"^(?!new$)[a-z0-9][a-z0-9-]{1,62}$",
    "Use 2 to 63 of a-z, 0-9 and -, not starting with -, and not the word new.",
)


def check_time_zone(name: str) -> None:
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f"{name} is not a time zone, such as Europe/Rome or UTC.")


def default_persistences() -> list[float]:
    return [0.5, 0.8, 0.95]


def default_measures() -> list[str]:
    return ["AP", "nDCG@10", "P@10", "RR", "Rprec", "Judged@10"]


class Audience(models.IntegerChoices):
    """Whom something is shown to; each includes the ones before it."""

    ORGANISERS = 0, "organisers only"
    PARTICIPANTS = 1, "participants"
    EVERYONE = 2, "everyone"


class Series(models.Model):
    """The tracks of one year, which share people and dates."""

    slug = models.CharField(max_length=63, unique=True, validators=[slug_validator])
    name = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return self.name


class Campaign(models.Model):
    """One task with its topics, qrels, runs and board."""

    class Stage(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        CLOSED = "closed"
        JUDGING = "judging"
        PUBLISHED = "published"

    class NoRelevant(models.TextChoices):
        EXCLUDE = "exclude", "leave the topic out of every mean"
        ZERO = "zero", "score the topic 0"

    class UnknownTopics(models.TextChoices):
        REFUSE = "refuse", "refuse the run"
        DROP = "drop", "leave them out, with a warning"

    series = models.ForeignKey(
        Series, on_delete=models.PROTECT, null=True, blank=True, related_name="campaigns"
    )
    slug = models.CharField(max_length=63, unique=True, validators=[slug_validator])
    name = models.CharField(max_length=200)
    guidelines = models.TextField(blank=True)
    time_zone = models.CharField(max_length=64, default="UTC", validators=[check_time_zone])
    stage = models.CharField(max_length=9, choices=Stage.choices, default=Stage.DRAFT)
    is_private = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)

    # Accepting runs: the switch, and the half-open interval [opens, closes) in UTC.
    is_accepting = models.BooleanField(default=False)
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    grace_minutes = models.PositiveSmallIntegerField(default=0)
    run_quota = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Counted runs per team; empty for no limit."
    )

    # Showing: each switch on its own, and each off until somebody sets it.
    shows_own_scores = models.BooleanField(default=False)
    board_audience = models.PositiveSmallIntegerField(
        choices=Audience.choices, default=Audience.ORGANISERS
    )
    per_topic_audience = models.PositiveSmallIntegerField(
        choices=Audience.choices, default=Audience.ORGANISERS
    )
    qrels_audience = models.PositiveSmallIntegerField(
        choices=Audience.choices, default=Audience.ORGANISERS
    )
    run_files_audience = models.PositiveSmallIntegerField(
        choices=Audience.choices, default=Audience.ORGANISERS
    )

    # The rules of scoring.
    highest_grade = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(127)]
    )
    rel = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(127)],
        help_text="The lowest grade that counts as relevant.",
    )
    gain_map = models.JSONField(
        default=list, blank=True, help_text="Gain of grade 0, 1, ...; empty for grade / highest."
    )
    measures = models.JSONField(default=default_measures)
    persistences = models.JSONField(default=default_persistences)
    run_depth = models.PositiveIntegerField(default=1000, validators=[MinValueValidator(1)])
    no_relevant = models.CharField(
        max_length=7, choices=NoRelevant.choices, default=NoRelevant.EXCLUDE
    )
    unknown_topics = models.CharField(
        max_length=6, choices=UnknownTopics.choices, default=UnknownTopics.REFUSE
    )
    active_qrels = models.ForeignKey(
        "campaigns.Qrels", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(rel__gte=1) & Q(rel__lte=models.F("highest_grade")),
                name="campaign_rel_within_scale",
            ),
            models.CheckConstraint(
                condition=Q(opens_at__isnull=True)
                | Q(closes_at__isnull=True)
                | Q(opens_at__lt=models.F("closes_at")),
                name="campaign_opens_before_it_closes",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Topic(models.Model):
    """An information need. Positions are only ever appended: every stored vector is ordered
    by them."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="topics")
    code = models.CharField(max_length=64)  # text: "051" is not "51"
    position = models.PositiveIntegerField()
    fields = models.JSONField(default=list)  # [[name, text], ...] as the topics file had them

    class Meta:
        ordering = ["campaign", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "code"], name="topic_code_once"),
            models.UniqueConstraint(fields=["campaign", "position"], name="topic_position_once"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def title(self) -> str:
        return self.fields[0][1] if self.fields else ""
