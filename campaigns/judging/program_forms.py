"""The organisers' forms for programs that judge."""

from typing import Any

from django import forms

from campaigns.judging.programs import IDENTITY
from campaigns.models import Program


class ProgramForm(forms.ModelForm):
    class Meta:
        model = Program
        fields = (
            "name", "model", "version", "prompt", "run_by", "run_on", "quota",
            "cost_per_document", "currency",
        )  # fmt: skip
        labels = {
            "run_by": "Run by",
            "run_on": "Date of the run",
            "quota": "Quota",
            "cost_per_document": "Cost per document",
        }
        help_texts = {
            "name": "Names the program on pages and in qrels.",
            "model": "The model or method, such as the name of a language model.",
            "version": "The exact version, so that others can repeat the judgments.",
            "prompt": "The complete prompt or instructions. Its sha256 identifies it.",
            "run_by": "The person or group that runs the program.",
            "quota": "The program may judge this many documents. Empty: all documents.",
            "currency": "Three letters, such as EUR.",
        }
        widgets = {
            "prompt": forms.Textarea(attrs={"rows": 8}),
            "run_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and self.instance.judgments.exists():
            for name in IDENTITY:
                self.fields[name].disabled = True

    def clean_name(self) -> str:
        """Names are compared within the campaign, which is not a field of the form."""
        name: str = self.cleaned_data["name"]
        others = Program.objects.filter(campaign=self.instance.campaign, name__iexact=name)
        if others.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("A program with this name exists already.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("cost_per_document") is not None and not cleaned.get("currency"):
            self.add_error("currency", "State the currency of the cost.")
        return cleaned


class ProgramFileForm(forms.Form):
    file = forms.FileField(
        label="Judgments",
        help_text="The exported CSV or prels file with grades, or a qrels file: topic, 0, document,"
        " grade. A grade below 0, or an empty grade in a CSV, means not judged.",
        allow_empty_file=True,  # the reader of the file reports the error
    )
