"""What each stage shows, as a table to be filled in; and feedback before publication."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.lifecycle import Table
from campaigns.models import Audience, Campaign
from campaigns.models.showing import (
    CLOSED,
    FEWEST_FEEDBACK_TOPICS,
    STAGES,
    check_stage_switches,
)

SHOWN_STAGES = tuple(stage for stage in STAGES if stage != "draft")
# What each switch shows, in an organiser's words.
WORDS = {
    "runs_audience": ("Which runs there are", "tag, team and type; no score"),
    "shows_own_scores": ("A team's own scores", "the means of its own runs, to itself"),
    "board_audience": ("The leaderboard", "the means of every run, and how sure they are"),
    "per_topic_audience": ("Scores by topic", "of those runs whose means one sees"),
    "qrels_audience": ("The qrels", "every judgment, as a file"),
    "run_files_audience": ("Run files", "of teams that agreed to it"),
}
AUDIENCES = [
    (Audience.ORGANISERS, "organisers"),
    (Audience.PARTICIPANTS, "participants"),
    (Audience.EVERYONE, "everyone"),
]


@dataclass(frozen=True)
class SwitchRow:
    """One switch through all stages."""

    words: str
    explanation: str
    cells: list[tuple[str, forms.BoundField]]  # (stage, its field)


class ShowingForm(forms.Form):
    """A field for every switch at every stage; a draft shows nothing and has none."""

    def __init__(self, *args: Any, table: Table, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for stage in SHOWN_STAGES:
            for switch in CLOSED:
                name = f"{stage}-{switch}"
                label = f"{WORDS[switch][0]}, when {stage}"
                self.fields[name] = _field_of(switch, label)
                setting = table[stage][switch]
                self.initial[name] = setting if type(setting) is int else ("yes" * setting)

    def rows(self) -> Iterator[SwitchRow]:
        for switch, (words, explanation) in WORDS.items():
            cells = [(stage, self[f"{stage}-{switch}"]) for stage in SHOWN_STAGES]
            yield SwitchRow(words, explanation, cells)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            check_stage_switches(self.table)
        return cleaned

    @property
    def table(self) -> Table:
        return {"draft": dict(CLOSED)} | {
            stage: {switch: self.cleaned_data[f"{stage}-{switch}"] for switch in CLOSED}
            for stage in SHOWN_STAGES
        }


class FeedbackForm(forms.ModelForm):
    """Feedback before publication. The topics that it is given on are left out of the board."""

    feedback_measure = forms.ChoiceField(required=False, label="Mean of")
    feedback_topics = forms.CharField(
        required=False,
        label="On these topics only",
        help_text="Codes, separated by spaces. They are left out of the leaderboard. Empty: on all "
        "topics, and the leaderboard is of all.",
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
            "feedback": "What a team is told of its run",
            "feedback_step": "Clearly risen means by",
            "feedback_runs": "Runs with feedback per team",
            "feedback_days": "in so many days",
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
            *((measure, measure) for measure in measures if not measure.startswith("Judged")),
        ]
        self.initial["feedback_topics"] = " ".join(campaign.feedback_topics)

    def clean_feedback_topics(self) -> list[str]:
        codes = list(dict.fromkeys(self.cleaned_data["feedback_topics"].replace(",", " ").split()))
        known = set(self.instance.topics.values_list("code", flat=True))
        if strange := [code for code in codes if code not in known]:
            raise ValidationError(f"The campaign has no topic {', '.join(strange[:5])}.")
        if codes and len(codes) == len(known):
            raise ValidationError("No topic would be left for the leaderboard.")
        return codes

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        topics = self.instance.topics.count() if self.instance.pk else 0
        told_of = len(cleaned.get("feedback_topics") or ()) or topics
        # A campaign without topics yet may be set up; scoring looks again before it tells.
        is_on = cleaned.get("feedback") != Campaign.Feedback.NONE
        if is_on and topics and told_of < FEWEST_FEEDBACK_TOPICS:
            self.add_error("feedback_topics", too_few_topics(told_of))
        return cleaned

    def clean_feedback_days(self) -> int:
        days: int = self.cleaned_data["feedback_days"]
        if days == 0:
            raise ValidationError("At least one.")
        return days


def too_few_topics(count: int) -> str:
    topics = "1 topic" if count == 1 else f"{count} topics"
    return (
        f"Feedback takes {FEWEST_FEEDBACK_TOPICS} topics at least: from means of {topics} "
        "judgments could be read back."
    )


def shown_by(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a row of the table shows beyond the organisers, and to whom, in words."""
    return [
        (words, "that team" if row[switch] is True else dict(AUDIENCES)[row[switch]])
        for switch, (words, _) in WORDS.items()
        if row[switch]
    ]


def _field_of(switch: str, label: str) -> forms.Field:
    if switch == "shows_own_scores":
        return forms.TypedChoiceField(
            choices=[("", "no"), ("yes", "yes")],
            coerce=lambda text: text == "yes",
            empty_value=False,
            required=False,
            label=label,
        )
    return forms.TypedChoiceField(choices=AUDIENCES, coerce=int, label=label)
