"""The form of a campaign. Dates are typed in the campaign's time zone."""

import itertools
from datetime import UTC, datetime, tzinfo
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from campaigns import access
from campaigns.models import Campaign, Preset, Series
from campaigns.models.campaign import HIGHEST_P
from campaigns.models.showing import TABLES
from campaigns.text import zones

DATES = ("opens_at", "closes_at", "topics_released_at", "reveals_teams_at")

URL_NAME_TAKEN = {"unique": "A campaign with this URL name already exists."}


class SeriesField(forms.CharField):
    """A series by its name: the one of `known` that has it, or a new one that is not stored yet."""

    known: QuerySet[Series] = Series.objects.none()

    def clean(self, value: Any) -> Series | None:
        name = super().clean(value)
        if not name:
            return None
        slug = slugify(name)[:63].strip("-")
        if len(slug) < 2:
            raise ValidationError("The name needs at least two letters or digits from a to z.")
        return self.known.filter(slug=slug).first() or Series(slug=slug, name=name)


class MomentField(forms.DateTimeField):
    """A date and time in `zone`, stored in UTC."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M:%S")
    zone: tzinfo = UTC
    stored: datetime | None = None  # valid even if its hour occurs twice

    def prepare_value(self, value: Any) -> Any:
        with timezone.override(self.zone):
            return super().prepare_value(value)

    def to_python(self, value: Any) -> datetime | None:
        try:
            with timezone.override(self.zone):
                moment = super().to_python(value)
        except ValidationError as error:
            if self.stored and value == self.widget.format_value(self.prepare_value(self.stored)):
                # Nobody has changed it, so nothing has to be guessed.
                return self.stored.replace(microsecond=0)
            raise self._explanation(value) from error
        if moment is not None and not 2000 <= moment.year <= 2200:
            raise ValidationError("Enter a year from 2000 to 2200.")
        return moment.astimezone(UTC) if moment is not None else None

    def _explanation(self, value: Any) -> ValidationError:
        """Why the value is invalid. When clocks change, an hour occurs twice or not at all, and a
        deadline must not be guessed."""
        try:
            # In UTC each hour occurs once: what is valid there fails because of the clocks.
            with timezone.override(UTC):
                super().to_python(value)
        except ValidationError:
            return ValidationError("Enter a date and time such as 2026-11-21 14:03.")
        return ValidationError(
            f"Clocks change at this time in {self.zone}: the hour occurs twice or not at all. "
            "Enter another time, or set the time zone to UTC."
        )


class CampaignForm(forms.ModelForm):
    """A campaign's name, dates and rules. Persistences are typed as `0.5, 0.8, 0.95`, the gain map
    as `0, 0.5, 1` from grade 0 upward, and dates in the campaign's time zone. A campaign joins the
    series that `person` may see, so nobody finds one of a private campaign by guessing its name."""

    series = SeriesField(
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"list": "series-names"}),
        help_text="The tracks of one year, such as TREC 2026. Empty: no series.",
    )
    persistences = forms.CharField(
        initial="0.5, 0.8, 0.95", help_text="RBP's p from 0 to 0.999, separated by commas."
    )
    gain_map = forms.CharField(
        required=False,
        label="Gain map",
        help_text="Gain of grade 0, 1, … in [0, 1], separated by commas. Empty: grade / highest.",
    )

    class Meta:
        model = Campaign
        fields = [
            "name",
            "slug",
            "series",
            "guidelines",
            "contact",
            "reply_to",
            "time_zone",
            "is_private",
            "joining",
            "terms",
            "allows_anonymous_teams",
            *DATES,
            "grace_minutes",
            "run_quota",
            "quota_days",
            "attempt_quota",
            "asks_acceptance",
            "highest_grade",
            "rel",
            "gain_map",
            "persistences",
            "run_depth",
            "no_relevant",
            "unknown_topics",
        ]
        field_classes = dict.fromkeys(DATES, MomentField)
        widgets = dict.fromkeys(DATES, MomentField.widget) | {
            "guidelines": forms.Textarea(attrs={"rows": 6}),
            "terms": forms.Textarea(attrs={"rows": 4}),
            "time_zone": forms.Select,
        }
        error_messages = {"slug": URL_NAME_TAKEN}
        labels = {
            "slug": "URL name",
            "joining": "Who can participate",
            "allows_anonymous_teams": "Teams can be anonymous",
            "reveals_teams_at": "Anonymous teams are revealed on",
            "topics_released_at": "Topics released on",
            "grace_minutes": "Grace period, in minutes",
            "run_quota": "Runs per team",
            "quota_days": "within this many days",
            "attempt_quota": "Uploads per team in 24 hours",
            "asks_acceptance": "Teams accept each run after validation",
            "rel": "Relevant from grade",
            "no_relevant": "Topics without relevant documents",
            "unknown_topics": "Topics of a run that are not in the campaign",
            "time_zone": "Time zone",
            "reply_to": "Reply address of emails",
            "opens_at": "Submissions open",
            "closes_at": "Submissions close",
        }
        help_texts = {
            "guidelines": "Markdown.",
            "contact": "An email address or a web page, visible to everyone who sees the campaign.",
            "reply_to": "Replies to announcements and other emails about the campaign go there. "
            "Empty: to the contact, if it is an email address.",
            "time_zone": "The dates on this page are in this zone. Other pages show dates in this "
            "zone first.",
            "grace_minutes": "Runs submitted during the grace period are kept, marked as late, and "
            "not ranked. Participants see this.",
            "run_quota": "Empty: no limit. Refused and failed files do not count.",
            "quota_days": "Empty: during the whole campaign.",
            "attempt_quota": "Refused files count too, failed ones do not.",
            "asks_acceptance": "They see the validation report first: topics, depth, ties.",
            "allows_anonymous_teams": "",
            "reveals_teams_at": "Empty: never.",
            "topics_released_at": "Empty: with the campaign itself.",
            "terms": "Teams accept them before their first run. Markdown.",
        }

    def __init__(self, *args: Any, person: access.Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["series"].known = access.series_visible_to(person)
        self.initial["series"] = self.instance.series.name if self.instance.series else ""
        for name in ("persistences", "gain_map"):
            if self.instance.pk:
                self.fields["slug"].disabled = True  # people have the URL already
                self.initial[name] = ", ".join(map(str, getattr(self.instance, name)))
        time_zone = self["time_zone"].value() or "UTC"
        self.fields["time_zone"].widget.choices = zones.options_with(time_zone)
        for name in DATES:
            self.fields[name].zone = zones.zone_named(time_zone)
            self.fields[name].stored = getattr(self.instance, name)
        if self.instance.pk:
            self.fields["time_zone"].help_text = (
                "The dates on this page are in this zone. If you change the zone, the dates keep "
                "their clock time, so each date becomes another moment."
            )

    def clean_persistences(self) -> list[float]:
        values = _numbers(self.cleaned_data["persistences"])
        if len(values) > 10:
            raise ValidationError("Give at most ten numbers.")
        if not values or any(not 0 <= p <= HIGHEST_P for p in values):
            raise ValidationError(f"Give one or more numbers p from 0 to {HIGHEST_P}.")
        return sorted(set(values))

    def clean_gain_map(self) -> list[float]:
        values = _numbers(self.cleaned_data["gain_map"])
        if any(not 0 <= gain <= 1 for gain in values):
            raise ValidationError("Give gains between 0 and 1.")
        return values

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self._check_scale(cleaned)
        self._check_dates(cleaned)
        for name in ("quota_days", "attempt_quota"):
            if cleaned.get(name) == 0:
                self.add_error(name, "At least one.")
        return cleaned

    def _check_scale(self, cleaned: dict[str, Any]) -> None:
        gains, highest = cleaned.get("gain_map"), cleaned.get("highest_grade")
        if gains and highest and len(gains) != highest + 1:
            self.add_error("gain_map", f"Grades 0 to {highest} need {highest + 1} gains.")
        judged = self.instance.active_qrels
        if highest and judged is not None and judged.highest_grade > highest:
            self.add_error("highest_grade", f"The qrels have grade {judged.highest_grade}.")
        if highest and cleaned.get("rel", 1) > highest:
            self.add_error("rel", "No grade is that high.")

    def _check_dates(self, cleaned: dict[str, Any]) -> None:
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        released = cleaned.get("topics_released_at")
        if opens and closes and opens >= closes:
            self.add_error("closes_at", "Submissions close before they open.")
        if released and opens and released > opens:
            self.add_error(
                "topics_released_at", "Submissions would open before the topics are released."
            )
        if released and closes and released >= closes:
            self.add_error(
                "topics_released_at", "The topics would be released after submissions close."
            )


class NewCampaignForm(CampaignForm):
    """A new campaign. Its URL name can be derived from its name, and its visibility begins as a
    preset."""

    UNFOLDED = ("name", "preset", "is_private", "opens_at", "closes_at", "time_zone", "__all__")

    preset = forms.ChoiceField(
        choices=[(value, label) for value, label in Preset.choices if value in TABLES],
        initial=Preset.TREC,
        widget=forms.RadioSelect,
        label="Visibility",
        help_text="Of runs, scores and judgments. With each choice, everyone sees the campaign "
        "itself unless you make it private.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False
        self.fields["slug"].help_text = "Empty: derived from the name. It cannot be changed later."
        self.fields["opens_at"].help_text = "Empty: when you open them."
        self.fields["closes_at"].help_text = "Empty: when you close them."
        if not self.is_bound:
            self.fields["time_zone"].widget.attrs["data-own-zone"] = True

    @property
    def has_folded_error(self) -> bool:
        """Whether a field with an error is under *More settings*."""
        return any(name not in self.UNFOLDED for name in self.errors)

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        return slug or suggested_slug(self.cleaned_data.get("name", ""))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if preset := cleaned.get("preset"):
            self.instance.preset = preset
            self.instance.stage_switches = TABLES[Preset(preset)]()
        return cleaned


def suggested_slug(name: str) -> str:
    """An unused URL name, derived from the name."""
    # A slug has 63 characters at most, and a number may follow.
    start = slugify(name)[:55].strip("-")
    # campaigns/new/ is the page that creates a campaign.
    start = start if len(start) > 1 and start != "new" else "campaign"
    taken = set(Campaign.objects.filter(slug__startswith=start).values_list("slug", flat=True))
    numbered = (f"{start}-{number}" for number in itertools.count(2))
    return next(slug for slug in itertools.chain([start], numbered) if slug not in taken)


class CopyForm(forms.ModelForm):
    """The name and the URL name of the copy."""

    class Meta:
        model = Campaign
        fields = ["name", "slug"]
        labels = {"slug": "URL name"}
        error_messages = {"slug": URL_NAME_TAKEN}


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise ValidationError("Write numbers separated by commas.") from error
