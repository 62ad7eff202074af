"""What an organiser chooses of a plan of judging: read from the address for a forecast, and from
the form that makes the plan."""

import math
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from campaigns.models import Campaign, Plan
from campaigns.models.campaign import HIGHEST_P

UNITS: Final = {
    "documents": "documents",
    "hours": "hours of work",
    "depth": "documents deep (pooling)",
}
DEEPEST_POOL: Final = 100  # no plan looks deeper into a run, at the usual p
MOST_DOCUMENTS: Final = 1_000_000
USUAL: Final = {
    "method": "C", "p": "0.8", "scope": "run", "runs": "all", "amount": "1000", "unit": "documents",
    "per_hour": "60", "start": "nothing", "batch": "20", "overlap": "0", "lease": "30",
}  # fmt: skip


def _number(value: str) -> int | None:
    """None for all, and for nothing."""
    return int(value) if value.isdecimal() else None


class PlanForm(forms.Form):
    """Choices that are not given are the usual ones; a tick that is not given is none."""

    method = forms.ChoiceField(choices=Plan.Method.choices)
    p = forms.FloatField(
        label="p",
        min_value=0,
        max_value=HIGHEST_P,
        help_text="Of RBP: how likely a reader goes on to the next document.",
    )
    scope = forms.ChoiceField(
        choices=Plan.Scope.choices,
        label="B and C look at",
        help_text="What is unknown of a run, and how good it looks.",
    )
    runs = forms.TypedChoiceField(coerce=_number, label="Runs that propose documents")
    start = forms.TypedChoiceField(coerce=_number, label="Start from")
    amount = forms.FloatField(
        label="Budget",
        min_value=0.01,
        max_value=MOST_DOCUMENTS,
        error_messages={
            "min_value": "A budget of nothing judges nothing: plan at least one document.",
            "max_value": "That is more than %(limit_value)s: no campaign judges so many.",
        },
    )
    unit = forms.ChoiceField(choices=list(UNITS.items()), label="in")
    per_hour = forms.FloatField(
        label="Documents per hour",
        min_value=1,
        max_value=10_000,
        help_text="That one assessor judges. Only for a budget in hours.",
    )
    batch = forms.IntegerField(
        min_value=1,
        max_value=10_000,
        label="Batch",
        help_text="Documents before B and C weigh anew.",
    )
    overlap = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Judged twice, percent",
        help_text="By two assessors, to see how far they agree.",
    )
    lease = forms.IntegerField(
        min_value=1,
        max_value=24 * 60,
        label="Lease, in minutes",
        help_text="How long a document waits for the assessor who opened it.",
    )
    shuffle = forms.BooleanField(
        required=False, label="Shuffle each batch, so that the order tells nothing of the runs"
    )
    residual = forms.BooleanField(
        required=False, label="Assessors see the mean residual of all runs"
    )

    def __init__(self, asked: Any, *, campaign: Campaign) -> None:
        given = {name: asked[name] for name in self.base_fields if asked.get(name)}
        super().__init__(USUAL | {"p": _usual_persistence(campaign)} | given)
        self.campaign = campaign
        self.versions = {qrels.version: qrels for qrels in campaign.qrels.order_by("-version")}
        priorities = campaign.runs.ranked().exclude(judging_priority=None)
        ordered = priorities.order_by("judging_priority")
        self.fields["runs"].choices = [
            ("all", "all ranked runs"),
            *(
                (number, f"judging priority up to {number}")
                for number in ordered.values_list("judging_priority", flat=True).distinct()
            ),
        ]
        self.fields["start"].choices = [
            ("nothing", "nothing: judge everything anew"),
            *(
                (version, f"qrels v{version}: only what they do not say")
                for version in self.versions
            ),
        ]

    def clean_p(self) -> float:
        return round(float(self.cleaned_data["p"]), 4)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        amount, unit = cleaned.get("amount"), cleaned.get("unit")
        if unit == "depth" and cleaned.get("method") not in (None, Plan.Method.POOLING):
            self.add_error("unit", "Only pooling goes so many documents deep.")
        if unit == "depth" and amount is not None and amount > DEEPEST_POOL:
            self.add_error("amount", f"At most {DEEPEST_POOL} deep.")
        if unit != "hours" and amount is not None and amount != int(amount):
            self.add_error("amount", "Type a whole number.")
        if not self.errors and self.documents == 0:
            self.add_error("amount", "That is less than one document.")
        return cleaned

    @property
    def depth(self) -> int | None:
        """How deep a pool, where that is the budget."""
        if self.cleaned_data["unit"] != "depth":
            return None
        return int(self.cleaned_data["amount"])

    @property
    def documents(self) -> int | None:
        """The budget, where it does not hang on the runs: hours pay for a document that two judge
        twice."""
        if self.depth is not None:
            return None
        amount: float = self.cleaned_data["amount"]
        if self.cleaned_data["unit"] == "documents":
            return int(amount)
        cost = 1 + (self.cleaned_data["overlap"] / 100)
        return min(MOST_DOCUMENTS, math.floor(amount * self.cleaned_data["per_hour"] / cost + 1e-9))

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """Every choice as it goes into an address."""
        return [(name, self.data[name]) for name in self.fields if self.data.get(name)]

    def plan(self, budget: int) -> Plan:
        """Not saved. Raises `ValidationError` for a budget that is none."""
        if budget < 1:
            raise ValidationError("Nothing would be judged.")
        chosen = self.cleaned_data
        return Plan(
            campaign=self.campaign,
            method=chosen["method"],
            persistence=chosen["p"],
            scope=chosen["scope"],
            lowest_priority=chosen["runs"],
            starts_from=self.versions.get(chosen["start"]),
            budget=budget,
            batch=chosen["batch"],
            overlap_percent=chosen["overlap"],
            is_shuffled=chosen["shuffle"],
            shows_residual=chosen["residual"],
            lease_minutes=chosen["lease"],
        )


def _usual_persistence(campaign: Campaign) -> str:
    """0.8 where the campaign scores by it, else the middle one of its own."""
    values = campaign.persistences
    return str(0.8 if 0.8 in values or not values else values[len(values) // 2])
