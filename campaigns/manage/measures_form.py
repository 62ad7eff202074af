"""Which measures stand on the board beside RBP: ticked, or typed by name."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns import scoring_hooks
from campaigns.models import Campaign

BETWEEN = re.compile(r"[\s,]+(?![^()]*\))")  # a comma inside brackets belongs to the name


class MeasuresForm(forms.Form):
    """Boxes for the usual measures and a line for the others. What is asked for already keeps its
    place on the board; new measures come after it."""

    ticked = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label="Measures"
    )
    typed = forms.CharField(
        required=False,
        label="Others, by name",
        max_length=4000,
        help_text="Separated by spaces: P(rel=2)@5 nDCG@15 SetF. trec_eval's names are understood.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "off"}),
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
        self.initial = {
            "ticked": [name for name in self.before if name in offered],
            "typed": " ".join(name for name in self.before if name not in offered),
        }

    def measures(self, rel: int) -> list[str] | None:
        """Canonical names in the order of the board; None where a name is wrong, which then stands
        by its field."""
        if self.add_prefix("typed") not in self.data:
            return self.before  # a script that says nothing of measures
        if not self.is_valid():
            return None
        typed = [name for name in BETWEEN.split(self.cleaned_data["typed"]) if name]
        try:
            named = scoring_hooks.measures_named([*self.cleaned_data["ticked"], *typed], rel=rel)
        except ValidationError as error:
            self.add_error("typed", error)
            return None
        kept = [name for name in self.before if name in named]
        return kept + [name for name in named if name not in kept]

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The boxes under the heads of their groups."""
        boxes = {str(box.data["value"]): box for box in self["ticked"].subwidgets}
        return [
            (group, [boxes[name] for name in names])
            for group, names in scoring_hooks.offered_measures().items()
        ]
