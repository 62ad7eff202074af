"""The form for the measures of the leaderboard."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns import scoring_hooks
from campaigns.models import Campaign

SEPARATOR = re.compile(r"[\s,]+(?![^()]*\))")  # a comma in parentheses is part of the name


class MeasuresForm(forms.Form):
    """Checkboxes for common measures and a text field for others. Existing measures keep their
    order on the leaderboard. New ones come last."""

    ticked = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label="Measures"
    )
    typed = forms.CharField(
        required=False,
        label="Other measures",
        max_length=4000,
        help_text="Names separated by spaces: P(rel=2)@5 nDCG@15 SetF. trec_eval's names work too.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "off"}),
    )

    leading = forms.ChoiceField(
        required=False,
        label="Leading measure",
        help_text="The leaderboard and the pages of analysis open with it. It becomes a measure of "
        "the leaderboard if it is not one. A measure that does not say how good a run is, such as "
        "Judged@10 or NumRet, cannot lead.",
        error_messages={
            "invalid_choice": "%(value)s cannot be the leading measure. Choose one from the list."
        },
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        self.before: list[str] = list(campaign.measures)
        groups = scoring_hooks.offered_measures()
        self.fields["ticked"].choices = [
            (group, [(name, name) for name in names]) for group, names in groups.items()
        ]
        offered = {name for names in groups.values() for name in names}
        others = [name for name in self.before if name not in offered]
        by_p = [name for name in scoring_hooks.measures_of(campaign) if name not in self.before]
        self.fields["leading"].choices = [
            ("", "RBP with the first persistence"),
            *(
                (group, scoring_hooks.labelled_measures(leading))
                for group, names in {"RBP": by_p, **groups, "Other measures": others}.items()
                if (leading := [name for name in names if scoring_hooks.can_lead(name)])
            ),
        ]
        self.initial = {
            "leading": campaign.leading_measure,
            "ticked": [name for name in self.before if name in offered],
            "typed": " ".join(name for name in self.before if name not in offered),
        }

    def measures(self, rel: int) -> list[str] | None:
        """Canonical names in the order of the leaderboard, or None if a field has an error."""
        if self.add_prefix("typed") not in self.data:
            return self.before  # the request has no measures
        if not self.is_valid():
            return None
        typed = [name for name in SEPARATOR.split(self.cleaned_data["typed"]) if name]
        leading = self.cleaned_data["leading"]
        # RBP with the campaign's persistences is on every leaderboard anyway.
        further = [leading] if leading and not leading.startswith("RBP(") else []
        try:
            named = scoring_hooks.measures_named(
                [*self.cleaned_data["ticked"], *typed, *further], rel=rel
            )
        except ValidationError as error:
            self.add_error("typed", error)
            return None
        existing = [name for name in self.before if name in named]
        return existing + [name for name in named if name not in existing]

    def leading_measure(self, campaign: Campaign) -> str | None:
        """The chosen one of the changed campaign's measures, or None if it is not among them. Call
        `measures` before."""
        if not {self.add_prefix("typed"), self.add_prefix("leading")} <= set(self.data):
            return campaign.leading_measure
        chosen = str(self.cleaned_data["leading"])
        if not chosen or chosen in scoring_hooks.measures_of(campaign):
            return chosen
        self.add_error("leading", f"{chosen} is no longer among the measures.")
        return None

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The groups with their checkboxes."""
        boxes = {str(box.data["value"]): box for box in self["ticked"].subwidgets}
        return [
            (group, [boxes[name] for name in names])
            for group, names in scoring_hooks.offered_measures().items()
        ]
