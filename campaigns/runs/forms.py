"""The form to submit a run, and the form in which organisers set the run description form."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.errors import FaultyDescription, SubmissionRefused
from campaigns.models import Campaign, Run
from campaigns.runs import description

PAGE_WAS_USED = (
    "You already submitted another file from this page. Submit this file again to add it as a new "
    "run."
)


class RunForm(forms.Form):
    """A run and its description. The fields only render the inputs: `read_description` validates
    them, as for the API."""

    file = forms.FileField(label="Run file", allow_empty_file=True)  # the check refuses it
    idempotency_key = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(), strip=True
    )

    def __init__(
        self,
        *args: Any,
        campaign: Campaign,
        teams: Sequence[tuple[str, str]] | None = None,
        replaceable: Sequence[Run] = (),
        quota_message: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        self.description = description.Description()
        if teams is not None:
            choices = [("", "Choose a team"), *teams]
            self.fields["team"] = forms.ChoiceField(choices=choices, label="Team")
        # Kept as a hidden field, so that the value of a URL is never dropped silently.
        self.fields["replaces"] = forms.CharField(
            required=False, max_length=16, widget=forms.HiddenInput()
        )
        if replaceable:
            # Only an organiser chooses among the runs of several teams.
            runs = [
                (run.public_id, str(run) if teams is None else f"{run} ({run.team.name})")
                for run in replaceable
            ]
            empty = "Choose a run" if quota_message else "No run: this is an additional run"
            self.fields["replaces"] = forms.ChoiceField(
                choices=[("", empty), *runs],
                required=bool(quota_message),
                error_messages={"required": quota_message},
                label="Replaces",
                help_text="The old run counts until this run is accepted.",
            )
        self.description_names = [*self._add_description_fields(campaign)]

    def _add_description_fields(self, campaign: Campaign) -> Iterable[str]:
        """Adds the name and the fields of the run description form, and yields their names."""
        self.fields["name"] = forms.CharField(
            required=False,
            label="Run name",
            max_length=description.LONGEST_NAME,
            help_text="The name that pages show. Empty: the tag of the file, or the name of the "
            "run that this run replaces.",
        )
        yield "name"
        types = [(name, label) for name, label in Run.Type.choices if name in campaign.run_types]
        self.fields["run_type"] = _select(types, label="Run type", is_required=True)
        yield "run_type"
        if campaign.asks_priority:
            self.fields["priority"] = forms.CharField(
                required=False,
                label="Judging priority",
                help_text="If not all runs are judged, 1 is judged first.",
                widget=forms.NumberInput(
                    attrs={"min": 1, "max": description.PRIORITIES[-1], "step": 1}
                ),
            )
            yield "priority"
        self.fields["description"] = forms.CharField(
            required=False, widget=forms.Textarea(attrs={"rows": 3})
        )
        yield "description"
        for spec in campaign.run_fields:
            name = f"answer_{spec['name']}"
            self.fields[name] = _field_for(spec)
            yield name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        try:
            self.description = description.read_description(self.campaign, self.data)
        except FaultyDescription as error:
            for name, message in error.faults.items():
                if name not in self.errors:
                    self.add_error(name, message)
        return cleaned

    def refuse(self, refusal: SubmissionRefused, idempotency_key: str) -> None:
        """Adds the error, and a new key for the next upload from this form. After the back button
        a browser may have sent the key of an earlier upload."""
        self.data = self.data.copy()
        self.data["idempotency_key"] = idempotency_key
        is_key_used = refusal.code == "key_reused"
        self.add_error(None, PAGE_WAS_USED if is_key_used else str(refusal))

    @property
    def description_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.description_names]


class RunDescriptionSettingsForm(forms.Form):
    """The settings of the run description form, without the fields that organisers add."""

    run_types = forms.MultipleChoiceField(
        choices=Run.Type.choices,
        widget=forms.CheckboxSelectMultiple,
        label="Run types",
    )
    asks_priority = forms.BooleanField(required=False, label="Ask for a judging priority")
    asks_acceptance = forms.BooleanField(
        required=False, label="A run counts only after its team accepts the validation report"
    )


class RunFieldForm(forms.Form):
    """One field that the organisers add. Its name is derived from its first label and stays."""

    name = forms.CharField(required=False, widget=forms.HiddenInput(), max_length=30)
    label = forms.CharField(label="Question", max_length=description.LONGEST_LABEL)
    kind = forms.ChoiceField(
        choices=list(description.KINDS.items()), initial="text", label="Answer"
    )
    choices = forms.CharField(
        required=False,
        label="Choices",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One choice per line, if the answer is one of several choices.",
    )
    is_required = forms.BooleanField(required=False, label="Required")

    def clean_choices(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["choices"].splitlines()]
        return [line for line in lines if line]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned.get("DELETE") and self.has_changed():
            try:
                description.check_fields([self.spec()])
            except ValidationError as error:
                # Without the name of the field, which the page does not show.
                self.add_error(None, [message.partition(": ")[2] for message in error.messages])
        return cleaned

    def spec(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        name = cleaned["name"]
        if not name:
            # Letters lose their accents. A label in another script leaves nothing, so that the
            # name is "field".
            decomposed = unicodedata.normalize("NFKD", cleaned["label"])
            plain = decomposed.encode("ascii", "ignore").decode().lower()
            name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:24].strip("_")
            name = name if re.match(r"[a-z]", name) else f"field_{name}".strip("_")
        return {
            "name": name,
            "label": cleaned["label"],
            "kind": cleaned["kind"],
            "choices": cleaned["choices"],
            "is_required": cleaned["is_required"],
        }


class BaseRunFieldFormSet(forms.BaseFormSet):
    def specs(self) -> list[dict[str, Any]]:
        """The specifications of the fields, each with a unique name."""
        specs = []
        for form in self.forms:
            if form.has_changed() or form.initial:
                if form.cleaned_data.get("DELETE") or not form.cleaned_data.get("label"):
                    continue
                specs.append(form.spec())
        names: set[str] = set()
        for spec in specs:
            number, unique = 2, spec["name"]
            while unique in names:
                # At most 30 characters, as the name of a field may have.
                unique = f"{spec['name'][:26]}_{number}"
                number += 1
            spec["name"] = unique
            names.add(unique)
        return specs


RunFieldFormSet = forms.formset_factory(
    RunFieldForm,
    formset=BaseRunFieldFormSet,
    extra=3,
    max_num=description.FIELD_LIMIT,
    validate_max=True,
    # The three empty forms count too.
    absolute_max=description.FIELD_LIMIT + 3,
    can_delete=True,
)


def initial_run_fields(campaign: Campaign) -> list[dict[str, Any]]:
    return [spec | {"choices": "\n".join(spec.get("choices", []))} for spec in campaign.run_fields]


def _field_for(spec: dict[str, Any]) -> forms.Field:
    label, is_required = spec["label"], bool(spec.get("is_required"))
    if spec["kind"] == "yes":
        return forms.BooleanField(required=is_required, label=label)
    if spec["kind"] == "choice":
        choices = [(choice, choice) for choice in spec["choices"]]
        return _select([("", "Choose"), *choices], label=label, is_required=is_required)
    widget = forms.TextInput() if spec["kind"] == "text" else forms.NumberInput({"step": "any"})
    return forms.CharField(required=is_required, label=label, widget=widget)


def _select(choices: list[tuple[str, str]], *, label: str, is_required: bool) -> forms.Field:
    """A select whose value `read_description` validates."""
    return forms.CharField(required=is_required, label=label, widget=forms.Select(choices=choices))
