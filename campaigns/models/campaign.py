"""A campaign is one task with its topics, scoring rules, dates and visibility."""

import re
import zoneinfo
from urllib.parse import quote

from django.core.exceptions import ValidationError
from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
    URLValidator,
    validate_email,
)
from django.db import models
from django.db.models import Q

from campaigns.models.showing import Preset, StageSwitches, check_stage_switches, trec_style
from campaigns.trec.topics_checks import query_field

SMALL = 32_767  # the maximum of small integer columns on every database
DEEPEST = 1_000_000
LONGEST_MARKDOWN = 20_000  # characters
AT_MOST_SMALL = MaxValueValidator(SMALL)

# campaigns/new/ is the page that creates a campaign.
slug_validator = RegexValidator(
    r"^(?!new$)[a-z0-9][a-z0-9-]{1,62}$",
    "Use 2 to 63 of a-z, 0-9 and -, not starting with -, and not the word new.",
)


def check_time_zone(name: str) -> None:
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f"{name} is not a time zone, such as Europe/Rome or UTC.")


def check_document_address(url: str) -> None:
    if not re.fullmatch(r"https?://[^\s{}]+\{doc_id\}[^\s{}]*", url):
        raise ValidationError("Type a URL that starts with http and contains {doc_id} once.")


def check_contact(contact: str) -> None:
    """An email address, or the URL of a page."""
    check = URLValidator(["http", "https"]) if "://" in contact else validate_email
    try:
        check(contact)
    except ValidationError as error:
        raise ValidationError(
            "Type an email address, or a URL such as https://www.example.org."
        ) from error


ORIGIN = re.compile(r"https?://(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?")
MOST_ORIGINS = 20


def check_origins(origins: object) -> None:
    """They become part of a header, so nothing else may be in them."""
    if not isinstance(origins, list) or len(origins) > MOST_ORIGINS:
        raise ValidationError(f"Type at most {MOST_ORIGINS} web sites.")
    for origin in origins:
        if not isinstance(origin, str) or not ORIGIN.fullmatch(origin):
            raise ValidationError(
                f"{origin} is not the URL of a web site, such as https://www.example.org."
            )


HIGHEST_P = 0.999  # the maximum for RBP; the minimum 0 counts the first document only


def default_persistences() -> list[float]:
    return [0.5, 0.8, 0.95]


def default_measures() -> list[str]:
    return ["AP", "nDCG@10", "P@10", "RR", "Rprec", "Judged@10"]


def all_run_types() -> list[str]:
    return ["automatic", "manual", "feedback"]


class Audience(models.IntegerChoices):
    """Each audience includes the ones before it."""

    ORGANISERS = 0, "organisers only"
    PARTICIPANTS = 1, "participants"
    EVERYONE = 2, "everyone"


class Series(models.Model):
    """The tracks of one year, which share people and dates. Two may have the same name, because
    nobody learns of a series of which they can see no campaign."""

    slug = models.CharField(max_length=63, validators=[slug_validator])
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

    class Joining(models.TextChoices):
        OPEN = "open", "anyone can create a team"
        APPROVAL = "approval", "an organiser approves each team"
        INVITED = "invited", "only organisers create teams"

    class Feedback(models.TextChoices):
        NONE = "none", "none before publication"
        ROUNDED = "rounded", "the mean to two decimals, for a few runs"
        LADDER = "ladder", "the team's best mean, and only when it clearly rises"

    class Licence(models.TextChoices):
        """The values are identifiers of SPDX."""

        CC_BY = "CC-BY-4.0", "Creative Commons Attribution 4.0"
        CC0 = "CC0-1.0", "Creative Commons Zero 1.0 (public domain)"
        CC_BY_SA = "CC-BY-SA-4.0", "Creative Commons Attribution-ShareAlike 4.0"
        CC_BY_NC = "CC-BY-NC-4.0", "Creative Commons Attribution-NonCommercial 4.0"
        CC_BY_NC_SA = "CC-BY-NC-SA-4.0", "Creative Commons Attribution-NonCommercial-ShareAlike 4.0"
        ODBL = "ODbL-1.0", "Open Database License 1.0"

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
    guidelines = models.TextField(blank=True, validators=[MaxLengthValidator(LONGEST_MARKDOWN)])
    contact = models.CharField(
        max_length=254, blank=True, default="", db_default="", validators=[check_contact]
    )
    reply_to = models.EmailField(blank=True, default="", db_default="")
    time_zone = models.CharField(max_length=64, default="UTC", validators=[check_time_zone])
    stage = models.CharField(max_length=9, choices=Stage.choices, default=Stage.DRAFT)
    is_private = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    copied_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    # Participation.
    joining = models.CharField(
        max_length=8, choices=Joining.choices, default=Joining.OPEN, db_default=Joining.OPEN
    )
    terms = models.TextField(
        blank=True,
        default="",
        db_default="",
        validators=[MaxLengthValidator(LONGEST_MARKDOWN)],
        help_text="Teams accept them before their first run. Markdown.",
    )
    allows_anonymous_teams = models.BooleanField(default=False, db_default=False)
    reveals_teams_at = models.DateTimeField(
        null=True, blank=True, help_text="Anonymous teams are anonymous until then. Empty: always."
    )
    topics_released_at = models.DateTimeField(
        null=True, blank=True, help_text="Empty: with the campaign itself."
    )

    # Submissions: the switch, and the half-open interval [opens, closes) in UTC.
    is_accepting = models.BooleanField(default=False)
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    grace_minutes = models.PositiveSmallIntegerField(default=0, validators=[AT_MOST_SMALL])
    run_quota = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[AT_MOST_SMALL],
        help_text="Counted runs per team; empty for no limit.",
    )

    quota_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[AT_MOST_SMALL],
        help_text="The number of days that the quota covers. Empty: the whole campaign.",
    )
    attempt_quota = models.PositiveSmallIntegerField(
        default=50,
        db_default=50,
        validators=[AT_MOST_SMALL],
        help_text="Uploads per team in 24 hours. Refused files count too, failed ones do not.",
    )
    asks_acceptance = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A run counts once its team has accepted its validation report.",
    )
    run_types = models.JSONField(default=all_run_types, db_default=all_run_types())
    asks_priority = models.BooleanField(default=False, db_default=False)
    run_fields = models.JSONField(  # [{name, label, kind, ...}]
        default=list, db_default=[], blank=True
    )

    # When teams were emailed about a date, so that each email is sent once.
    opening_told_at = models.DateTimeField(null=True, blank=True)
    closing_told_at = models.DateTimeField(null=True, blank=True)

    # The visibility in each stage. Entering a stage copies its row to the columns below.
    preset = models.CharField(
        max_length=9, choices=Preset.choices, default=Preset.TREC, db_default=Preset.TREC
    )
    stage_switches = StageSwitches(
        default=trec_style, db_default=trec_style(), validators=[check_stage_switches]
    )

    # Feedback before publication, off by default.
    feedback = models.CharField(
        max_length=7, choices=Feedback.choices, default=Feedback.NONE, db_default=Feedback.NONE
    )
    feedback_measure = models.CharField(  # "": the board's first
        max_length=80, blank=True, default="", db_default=""
    )
    feedback_step = models.FloatField(
        default=0.01, db_default=0.01, validators=[MinValueValidator(0.0)]
    )
    feedback_runs = models.PositiveSmallIntegerField(
        default=2, db_default=2, validators=[AT_MOST_SMALL]
    )
    feedback_days = models.PositiveSmallIntegerField(
        default=30, db_default=30, validators=[AT_MOST_SMALL]
    )
    feedback_topics = models.JSONField(  # codes; the leaderboard uses the other topics
        default=list, db_default=[], blank=True
    )

    # The current visibility. Each switch is off by default.
    runs_audience = models.PositiveSmallIntegerField(
        choices=Audience.choices, default=Audience.ORGANISERS, db_default=Audience.ORGANISERS
    )
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
    shows_own_topics = models.BooleanField(default=False, db_default=False)
    shows_own_documents = models.BooleanField(default=False, db_default=False)

    # Scoring rules.
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
    leading_measure = models.CharField(  # "": RBP with the first persistence
        max_length=80, blank=True, default="", db_default=""
    )
    persistences = models.JSONField(default=default_persistences)
    run_depth = models.PositiveIntegerField(
        default=1000, validators=[MinValueValidator(1), MaxValueValidator(DEEPEST)]
    )
    no_relevant = models.CharField(
        max_length=7, choices=NoRelevant.choices, default=NoRelevant.EXCLUDE
    )
    unknown_topics = models.CharField(
        max_length=6, choices=UnknownTopics.choices, default=UnknownTopics.REFUSE
    )
    document_address = models.CharField(
        max_length=500,
        blank=True,
        default="",
        db_default="",
        validators=[check_document_address],
        help_text="The address of a document, with {doc_id} for its id.",
    )
    embedding_origins = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        validators=[check_origins],
        help_text="The web sites that may show the leaderboard in a frame.",
    )

    # What a deposit of the campaign's data says about itself.
    licence = models.CharField(
        max_length=15, choices=Licence.choices, blank=True, default="", db_default=""
    )
    authors = models.TextField(blank=True, default="", db_default="", max_length=20_000)

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

    @property
    def contact_link(self) -> str:
        """The URL of a link to the contact, or ""."""
        is_email = self.contact and "://" not in self.contact
        return f"mailto:{quote(self.contact, safe='@')}" if is_email else self.contact

    @property
    def reply_address(self) -> str:
        """Where replies to emails about the campaign go, or "" for the site."""
        return self.reply_to or ("" if "://" in self.contact else self.contact)

    @property
    def has_public_board(self) -> bool:
        """Whether everyone can see the leaderboard, so that other sites may show it."""
        is_for_everyone = self.board_audience == Audience.EVERYONE and not self.is_private
        return is_for_everyone and self.active_qrels_id is not None


TOPIC_FIELDS = {"title": "Title", "desc": "Description", "narr": "Narrative"}


class Topic(models.Model):
    """An information need. Positions are only appended, because every stored vector is in their
    order."""

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
        return query_field(self.fields)[1]

    @property
    def labelled_fields(self) -> list[tuple[str, str]]:
        """The fields with TREC's names written out, for pages. Files and the API keep the names."""
        return [(TOPIC_FIELDS.get(name, name), text) for name, text in self.fields]
