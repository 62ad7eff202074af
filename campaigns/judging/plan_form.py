"""The form of a judging plan, from the URL for a forecast and from a POST for a new plan."""

import math
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from campaigns.judging.plans import SAMPLES, sample_faults
from campaigns.models import Campaign, Plan, Qrels
from campaigns.models.campaign import HIGHEST_P

UNITS: Final = {
    "documents": "documents",
    "hours": "hours of work",
    "depth": "pool depth (pooling)",
}
MAX_DEPTH: Final = 100  # at the default p no plan looks deeper into a run
MAX_DOCUMENTS: Final = 1_000_000
DEFAULTS: Final = {
    "method": "pooling", "p": "0.8", "scope": "run", "runs": "all", "amount": "1000",
    "unit": "documents", "per_hour": "60", "start": "nothing", "batch": "20",
    "overlap": "0", "lease": "30",
}  # fmt: skip
POOL: Final = {"amount": "10", "unit": "depth"}  # the default budget of pooling


def _number(value: str) -> int | None:
    """None for *all* and *nothing*."""
    return int(value) if value.isdecimal() else None


class PlanForm(forms.Form):
    """Missing values take their defaults, and missing checkboxes are off."""

    method = forms.ChoiceField(choices=Plan.Method.choices)
    p = forms.FloatField(
        label="p",
        min_value=0,
        max_value=HIGHEST_P,
        help_text="Persistence of RBP: the probability that a user continues to the next document. "
        "Move-to-front, Hedge and MaxMean choose without it; the forecast uses it.",
    )
    scope = forms.ChoiceField(
        choices=Plan.Scope.choices,
        label="B and C weight runs by",
        help_text="Where the residual and the projected score of a run are measured.",
    )
    runs = forms.TypedChoiceField(coerce=_number, label="Runs")
    start = forms.TypedChoiceField(coerce=_number, label="Existing judgments")
    amount = forms.FloatField(
        label="Budget",
        min_value=0.01,
        max_value=MAX_DOCUMENTS,
        error_messages={
            "min_value": "Plan at least one document.",
            "max_value": "Plan at most %(limit_value)s.",
        },
    )
    unit = forms.ChoiceField(choices=list(UNITS.items()), label="Unit")
    per_hour = forms.FloatField(
        label="Documents per hour",
        min_value=1,
        max_value=10_000,
        help_text="Judged by one assessor. Used for a budget in hours only.",
    )
    batch = forms.IntegerField(
        min_value=1,
        max_value=10_000,
        label="Batch size",
        help_text="Documents that are judged before a method that follows the judgments, any but "
        "pooling, A and samples, chooses again. Move-to-front, Hedge and MaxMean work best with no "
        "more documents than topics.",
    )
    overlap = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Overlap, in percent",
        help_text="Documents judged by two assessors, to measure agreement.",
    )
    lease = forms.IntegerField(
        min_value=1,
        max_value=24 * 60,
        label="Lease, in minutes",
        help_text="How long a document is reserved for the assessor who opened it.",
    )
    shuffle = forms.BooleanField(
        required=False, label="Shuffle each batch, so that the order reveals nothing about the runs"
    )
    residual = forms.BooleanField(
        required=False, label="Show assessors the mean residual of all runs"
    )

    def __init__(self, params: Any, *, campaign: Campaign) -> None:
        data = {name: params[name] for name in self.base_fields if params.get(name)}
        is_pool = data.get("method", DEFAULTS["method"]) == Plan.Method.POOLING
        # Not if the URL has a part of a budget, whose other part is then the usual default.
        budget = POOL if is_pool and not POOL.keys() & data.keys() else {}
        # 0.8 if the campaign uses it, else the middle one of the campaign.
        values = campaign.persistences
        p = str(0.8 if 0.8 in values or not values else values[len(values) // 2])
        super().__init__(DEFAULTS | budget | {"p": p} | data)
        self.campaign = campaign
        versions = campaign.qrels.filter(sources=Qrels.Sources.PEOPLE).order_by("-version")
        self.versions = {qrels.version: qrels for qrels in versions}
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
            ("nothing", "none: judge all documents again"),
            *((version, f"qrels v{version}: skip judged documents") for version in self.versions),
        ]

    def clean_p(self) -> float:
        return round(float(self.cleaned_data["p"]), 4)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        amount, unit = cleaned.get("amount"), cleaned.get("unit")
        if unit == "depth" and cleaned.get("method") not in (None, Plan.Method.POOLING):
            # The depth is left from a plan of pooling, so the default budget takes its place.
            budget = {name: DEFAULTS[name] for name in POOL}
            self.data = self.data | budget
            self.add_error(
                "unit",
                "Only pooling has a pool depth. The budget is now the default, "
                f"{int(budget['amount']):,} {budget['unit']}: change it or submit it.",
            )
        elif unit == "depth" and amount is not None and amount > MAX_DEPTH:
            self.add_error("amount", f"Write a pool depth of at most {MAX_DEPTH}.")
        if unit != "hours" and amount is not None and amount != int(amount):
            self.add_error("amount", "Write a whole number.")
        if not self.errors and self.documents == 0:
            self.add_error("amount", "Plan at least one document.")
        if not self.errors and cleaned["method"] in SAMPLES:
            given = cleaned["p"], self.documents, cleaned["start"]
            for name, why in sample_faults(self.campaign, *given).items():
                self.add_error(name, why)
        return cleaned

    @property
    def depth(self) -> int | None:
        """The pool depth, if that is the unit of the budget."""
        if self.cleaned_data["unit"] != "depth":
            return None
        return int(self.cleaned_data["amount"])

    @property
    def documents(self) -> int | None:
        """The budget, unless it depends on the runs. A document that two assessors judge costs
        twice."""
        if self.depth is not None:
            return None
        amount: float = self.cleaned_data["amount"]
        if self.cleaned_data["unit"] == "documents":
            return int(amount)
        cost = 1 + (self.cleaned_data["overlap"] / 100)
        # 1.15 hours at 100 documents an hour are 115, but 1.15 * 100 is 114.99999999999999.
        return min(MAX_DOCUMENTS, math.floor(amount * self.cleaned_data["per_hour"] / cost + 1e-9))

    @property
    def params(self) -> list[tuple[str, str]]:
        """Every choice as a parameter of a URL."""
        return [(name, self.data[name]) for name in self.fields if self.data.get(name)]

    def plan(self, budget: int) -> Plan:
        """An unsaved plan. Raises `ValidationError` for an empty budget."""
        if budget < 1:
            raise ValidationError("Plan at least one document.")
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
