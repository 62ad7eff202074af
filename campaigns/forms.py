"""What people fill in: campaigns, teams, runs, topics and qrels."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.models import Campaign, Run, User


class CampaignForm(forms.ModelForm):
    """A campaign's name, dates and rules. Persistences are typed as `0.5, 0.8, 0.95`, the gain
    map as `0, 0.5, 1` from grade 0 up."""

    persistences = forms.CharField(
        initial="0.5, 0.8, 0.95", help_text="RBP's p, separated by commas; 0 ≤ p < 1."
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
            "guidelines",
            "time_zone",
            "is_private",
            "opens_at",
            "closes_at",
            "grace_minutes",
            "run_quota",
            "highest_grade",
            "rel",
            "gain_map",
            "persistences",
            "run_depth",
            "no_relevant",
            "unknown_topics",
        ]
        widgets = {
            "opens_at": forms.DateTimeInput(attrs={"type": "datetime-local"}),
            "closes_at": forms.DateTimeInput(attrs={"type": "datetime-local"}),
            "guidelines": forms.Textarea(attrs={"rows": 6}),
        }
        labels = {
            "slug": "Address",
            "rel": "Relevant from grade",
            "no_relevant": "Topics without relevant documents",
            "unknown_topics": "Topics a run has and the campaign has not",
            "opens_at": "Runs are taken from (UTC)",
            "closes_at": "until, not including (UTC)",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("persistences", "gain_map"):
            if self.instance.pk:
                self.fields["slug"].disabled = True  # addresses have been passed around
                self.initial[name] = ", ".join(map(str, getattr(self.instance, name)))

    def clean_persistences(self) -> list[float]:
        values = _numbers(self.cleaned_data["persistences"])
        if len(values) > 10:
            raise ValidationError("Ten at the most.")
        if not values or any(not 0 <= p < 1 for p in values):
            raise ValidationError("Give one or more numbers p with 0 ≤ p < 1.")
        return sorted(set(values))

    def clean_gain_map(self) -> list[float]:
        values = _numbers(self.cleaned_data["gain_map"])
        if any(not 0 <= gain <= 1 for gain in values):
            raise ValidationError("A gain lies between 0 and 1.")
        return values

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        gains, highest = cleaned.get("gain_map"), cleaned.get("highest_grade")
        if gains and highest and len(gains) != highest + 1:
            self.add_error("gain_map", f"Grades 0 to {highest} need {highest + 1} gains.")
        judged = self.instance.active_qrels
        if highest and judged is not None and judged.highest_grade > highest:
            self.add_error("highest_grade", f"The qrels have grade {judged.highest_grade}.")
        if highest and cleaned.get("rel", 1) > highest:
            self.add_error("rel", "No grade is that high.")
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        for name, moment in (("opens_at", opens), ("closes_at", closes)):
            if moment and not 2000 <= moment.year <= 2200:
                self.add_error(name, "Between the years 2000 and 2200.")
        if opens and closes and opens >= closes:
            self.add_error("closes_at", "It closes before it opens.")
        return cleaned


class RunForm(forms.Form):
    """A run and what its team says of it."""

    file = forms.FileField(label="Run file", allow_empty_file=True)  # the checker names the fault
    run_type = forms.ChoiceField(choices=Run.Type.choices, initial=Run.Type.AUTOMATIC)
    description = forms.CharField(
        required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 3})
    )
    idempotency_key = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(), strip=True
    )


def check_visible(text: str) -> None:
    """Names are seen as they are: nothing in them turns the line round or hides."""
    if not text.isprintable() or not any(character.isalnum() for character in text):
        raise ValidationError("Use letters and digits that can be seen.")


class NameForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["name"]
        labels = {"name": "Your name, as team mates and organisers see it"}


class TeamForm(forms.Form):
    name = forms.CharField(max_length=100, label="Team name", validators=[check_visible])


class TopicsForm(forms.Form):
    file = forms.FileField(label="Topics file", help_text="TREC topics, XML, TSV or JSON lines.")


class QrelsForm(forms.Form):
    file = forms.FileField(label="Qrels file", help_text="topic, 0, document, grade; or gzipped.")
    note = forms.CharField(required=False, max_length=500)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise ValidationError("Write numbers separated by commas.") from error
