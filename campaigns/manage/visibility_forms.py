"""Forms for the visibility of each stage, and for feedback before publication."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns import scoring_hooks
from campaigns.lifecycle import Table
from campaigns.models import Audience, Campaign
from campaigns.models.showing import (
    CLOSED,
    FEWEST_FEEDBACK_TOPICS,
    OWN,
    STAGES,
    check_stage_switches,
)

VISIBLE_STAGES = tuple(stage for stage in STAGES if stage != "draft")
# Label and explanation of each switch.
LABELS = {
    "runs_audience": ("List of runs", "tag, team and type, but no scores"),
    "shows_own_scores": ("A team's own scores", "the means of its own runs"),
    "shows_own_topics": ("A team's own scores by topic", "of its own runs"),
    "shows_own_documents": (
        "A team's own documents",
        "the documents of its own runs with their judgments",
    ),
    "board_audience": ("Leaderboard", "the means of every run with their residuals"),
    "per_topic_audience": ("Scores by topic", "of runs whose means are visible"),
    "qrels_audience": ("Qrels", "every judgment, as a file"),
    "run_files_audience": ("Run files", "of teams that agreed to this"),
}
AUDIENCES = [
    (Audience.ORGANISERS, "organisers"),
    (Audience.PARTICIPANTS, "participants"),
    (Audience.EVERYONE, "everyone"),
]


@dataclass(frozen=True)
class SwitchRow:
    """A switch with its fields for all stages."""

    label: str
    explanation: str
    cells: list[tuple[str, forms.BoundField]]  # (stage, its field)


class VisibilityForm(forms.Form):
    """A field for every switch at every stage except draft, which only organisers can see."""

    def __init__(self, *args: Any, table: Table, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for stage in VISIBLE_STAGES:
            for switch in CLOSED:
                name = f"{stage}-{switch}"
                label = f"{LABELS[switch][0]}, when {stage}"
                self.fields[name] = _switch_field(switch, label)
                setting = table[stage][switch]
                # Not `isinstance`, because True is an int too. True is "yes", and False is "".
                self.initial[name] = setting if type(setting) is int else ("yes" * setting)

    def rows(self) -> Iterator[SwitchRow]:
        for switch, (label, explanation) in LABELS.items():
            cells = [(stage, self[f"{stage}-{switch}"]) for stage in VISIBLE_STAGES]
            yield SwitchRow(label, explanation, cells)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            check_stage_switches(self.table)
        return cleaned

    @property
    def table(self) -> Table:
        return {"draft": dict(CLOSED)} | {
            stage: {switch: self.cleaned_data[f"{stage}-{switch}"] for switch in CLOSED}
            for stage in VISIBLE_STAGES
        }


class FeedbackForm(forms.ModelForm):
    """Feedback before publication. Its topics are not used for the leaderboard."""

    feedback_measure = forms.ChoiceField(required=False, label="Mean of")
    feedback_topics = forms.CharField(
        required=False,
        label="On these topics only",
        help_text="Topic codes separated by spaces. The leaderboard does not use these topics. If "
        "empty, feedback and leaderboard use all topics.",
    )

    class Meta:
        model = Campaign
        fields = [
            "feedback",
            "feedback_measure",
            "feedback_step",
            "feedback_runs",
            "feedback_days",
            "feedback_topics",
        ]
        labels = {
            "feedback": "Feedback on a run",
            "feedback_step": "Smallest increase that is reported",
            "feedback_runs": "Runs with feedback per team",
            "feedback_days": "Period in days",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        campaign = self.instance
        measures = [f"RBP(p={p})" for p in campaign.persistences]
        if campaign.highest_grade > 1:
            measures += [f"RBP(p={p},gain=map)" for p in campaign.persistences]
        measures += campaign.measures
        self.fields["feedback_measure"].choices = [
            ("", "the leaderboard's first measure"),
            *scoring_hooks.labelled_measures(
                measure for measure in measures if not measure.startswith("Judged")
            ),
        ]
        self.initial["feedback_topics"] = " ".join(campaign.feedback_topics)

    def clean_feedback_topics(self) -> list[str]:
        codes = list(dict.fromkeys(self.cleaned_data["feedback_topics"].replace(",", " ").split()))
        known = set(self.instance.topics.values_list("code", flat=True))
        if unknown := [code for code in codes if code not in known]:
            raise ValidationError(f"The campaign has no topic {', '.join(unknown[:5])}.")
        if codes and len(codes) == len(known):
            raise ValidationError("Leave at least one topic for the leaderboard.")
        return codes

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        topics = self.instance.topics.count() if self.instance.pk else 0
        topic_count = len(cleaned.get("feedback_topics") or ()) or topics
        # Topics may be added later. Scoring checks their number again.
        is_on = cleaned.get("feedback") != Campaign.Feedback.NONE
        if is_on and topics and topic_count < FEWEST_FEEDBACK_TOPICS:
            self.add_error("feedback_topics", too_few_topics(topic_count))
        return cleaned

    def clean_feedback_days(self) -> int:
        days: int = self.cleaned_data["feedback_days"]
        if days == 0:
            raise ValidationError("Enter 1 or more.")
        return days


def too_few_topics(count: int) -> str:
    topics = "1 topic" if count == 1 else f"{count} topics"
    return (
        f"Feedback requires at least {FEWEST_FEEDBACK_TOPICS} topics, because means over {topics} "
        "would reveal judgments."
    )


def visible_items(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What other people than organisers can see with this row of the table, and who can see it."""
    return [
        (label, "that team" if row[switch] is True else dict(AUDIENCES)[row[switch]])
        for switch, (label, _) in LABELS.items()
        if row[switch]
    ]


def _switch_field(switch: str, label: str) -> forms.Field:
    if switch in OWN:
        return forms.TypedChoiceField(
            choices=[("", "no"), ("yes", "yes")],
            coerce=lambda text: text == "yes",
            empty_value=False,
            required=False,
            label=label,
        )
    return forms.TypedChoiceField(choices=AUDIENCES, coerce=int, label=label)
