"""What comes with a run, and what organisers ask of it."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.errors import FaultyDescription, SubmissionRefused
from campaigns.models import Campaign, Run, Team
from campaigns.runs import description

PAGE_WAS_USED = (
    "Another file was handed in from this page before. Hand this one in again: it is a run of its "
    "own."
)


class RunForm(forms.Form):
    """A run and what its team says of it. What may be said is decided by `read_description`, as
    for the API; the fields here only ask."""

    file = forms.FileField(label="Run file", allow_empty_file=True)  # the checker names the fault
    idempotency_key = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(), strip=True
    )

    def __init__(
        self,
        *args: Any,
        campaign: Campaign,
        teams: Iterable[Team] | None = None,
        replaceable: Sequence[Run] = (),
        no_more: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        self.description = description.Description()
        if teams is not None:
            choices = [("", "Choose a team"), *((team.public_id, team.name) for team in teams)]
            self.fields["team"] = forms.ChoiceField(choices=choices, label="On behalf of")
        # Hidden, it still says what an address asked for: nothing is dropped in silence.
        self.fields["replaces"] = forms.CharField(
            required=False, max_length=16, widget=forms.HiddenInput()
        )
        if replaceable:
            named = [(run.public_id, _name(run, teams is not None)) for run in replaceable]
            nothing = "Choose a run" if no_more else "Nothing: it is one more run"
            self.fields["replaces"] = forms.ChoiceField(
                choices=[("", nothing), *named],
                required=bool(no_more),
                error_messages={"required": no_more},
                label="Replaces",
                help_text="The old run counts until this one is accepted.",
            )
        self.asked = [*self._ask(campaign)]

    def _ask(self, campaign: Campaign) -> Iterable[str]:
        """Adds what the organisers ask; the names of the fields."""
        types = [(name, label) for name, label in Run.Type.choices if name in campaign.run_types]
        self.fields["run_type"] = _select(types, label="Run type", is_required=True)
        yield "run_type"
        if campaign.asks_priority:
            self.fields["priority"] = forms.CharField(
                required=False,
                label="Judging priority",
                help_text="1 is judged first, should not all runs be judged.",
                widget=forms.NumberInput(
                    attrs={"min": 1, "max": description.PRIORITIES[-1], "step": 1}
                ),
            )
            yield "priority"
        self.fields["description"] = forms.CharField(
            required=False, widget=forms.Textarea(attrs={"rows": 3})
        )
        yield "description"
        for asked in campaign.run_fields:
            name = f"answer_{asked['name']}"
            self.fields[name] = _field_for(asked)
            yield name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        try:
            self.description = description.read_description(self.campaign, self.data)
        except FaultyDescription as error:
            for name, fault in error.faults.items():
                if name not in self.errors:
                    self.add_error(name, fault)
        return cleaned

    def refuse(self, why: SubmissionRefused, idempotency_key: str) -> None:
        """Nothing was taken: what is sent from this form next is another upload. A browser that
        went back may have sent the key of an upload that was taken."""
        self.data = self.data.copy()
        self.data["idempotency_key"] = idempotency_key
        is_key_used = why.code == "key_reused"
        self.add_error(None, PAGE_WAS_USED if is_key_used else str(why))

    @property
    def asked_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.asked]


class RunFormForm(forms.Form):
    """What is asked with every run, beside the fields of the organisers' own."""

    run_types = forms.MultipleChoiceField(
        choices=Run.Type.choices,
        widget=forms.CheckboxSelectMultiple,
        label="Types of run that are taken",
    )
    asks_priority = forms.BooleanField(required=False, label="Ask in which order to judge the runs")
    asks_acceptance = forms.BooleanField(
        required=False, label="A run counts only when its team has accepted the check sheet"
    )


class RunFieldForm(forms.Form):
    """One field of the organisers' own; its name is made of its label once and then stays."""

    name = forms.CharField(required=False, widget=forms.HiddenInput(), max_length=30)
    label = forms.CharField(label="Question", max_length=description.LONGEST_LABEL)
    kind = forms.ChoiceField(
        choices=list(description.KINDS.items()), initial="text", label="Answer"
    )
    choices = forms.CharField(
        required=False,
        label="Choices",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One a line, where it is one of several.",
    )
    is_required = forms.BooleanField(required=False, label="Has to be answered")

    def clean_choices(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["choices"].splitlines()]
        return [line for line in lines if line]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned.get("DELETE") and self.has_changed():
            try:
                description.check_fields([self.spec()])
            except ValidationError as error:
                self.add_error(None, [message.partition(": ")[2] for message in error.messages])
        return cleaned

    def spec(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "name": cleaned["name"] or _name_for(cleaned["label"]),
            "label": cleaned["label"],
            "kind": cleaned["kind"],
            "choices": cleaned["choices"],
            "is_required": cleaned["is_required"],
        }


class BaseRunFieldForms(forms.BaseFormSet):
    def specs(self) -> list[dict[str, Any]]:
        """What is asked, each by a name of its own."""
        specs = []
        for form in self.forms:
            if form.has_changed() or form.initial:
                if form.cleaned_data.get("DELETE") or not form.cleaned_data.get("label"):
                    continue
                specs.append(form.spec())
        taken: set[str] = set()
        for spec in specs:
            spec["name"] = _free_name(spec["name"], taken)
            taken.add(spec["name"])
        return specs


AskedForms = forms.formset_factory(
    RunFieldForm,
    formset=BaseRunFieldForms,
    extra=3,
    max_num=description.FIELD_LIMIT,
    validate_max=True,
    absolute_max=description.FIELD_LIMIT + 3,
    can_delete=True,
)


def initial_run_fields(campaign: Campaign) -> list[dict[str, Any]]:
    return [
        asked | {"choices": "\n".join(asked.get("choices", []))} for asked in campaign.run_fields
    ]


def _field_for(asked: dict[str, Any]) -> forms.Field:
    label, is_required = asked["label"], bool(asked.get("is_required"))
    if asked["kind"] == "yes":
        return forms.BooleanField(required=is_required, label=label)
    if asked["kind"] == "choice":
        choices = [(choice, choice) for choice in asked["choices"]]
        return _select([("", "Choose"), *choices], label=label, is_required=is_required)
    widget = forms.TextInput() if asked["kind"] == "text" else forms.NumberInput({"step": "any"})
    return forms.CharField(required=is_required, label=label, widget=widget)


def _select(choices: list[tuple[str, str]], *, label: str, is_required: bool) -> forms.Field:
    """A choice that leaves the check of what was chosen to `read_description`."""
    return forms.CharField(required=is_required, label=label, widget=forms.Select(choices=choices))


def _name(run: Run, shows_team: bool) -> str:
    return f"{run.tag} ({run.team.name})" if shows_team else run.tag


def _name_for(label: str) -> str:
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:24].strip("_")
    return name if re.match(r"[a-z]", name) else f"field_{name}".strip("_")


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free = f"{name[:26]}_{number}"
        number += 1
    return free
