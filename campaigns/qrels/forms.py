"""Forms for topics and qrels."""

import hashlib
from typing import Any, Final

from django import forms
from django.db.models import Exists, OuterRef

from campaigns.models import Campaign, Program, ProgramJudgment, Qrels

WITH_PROGRAM: Final = {
    Qrels.Sources.PEOPLE_THEN_PROGRAM: "people, then {} for documents that nobody judged",
    Qrels.Sources.PROGRAM: "{} only",
}


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topics file",
        help_text="TREC topics, XML, TSV, CSV with a header, or JSON.",
        allow_empty_file=True,  # the parser reports all problems of a file
    )


class RemoveTopicsForm(forms.Form):
    codes = forms.CharField(
        label="Topics to remove", max_length=10_000, help_text="Topic numbers, separated by spaces."
    )

    def clean_codes(self) -> list[str]:
        return self.cleaned_data["codes"].split()


class FreezeForm(forms.Form):
    """`add_only` is the button that adds a version without activating it."""

    note = forms.CharField(required=False, max_length=500)
    add_only = forms.BooleanField(required=False, widget=forms.HiddenInput)
    without_gold = forms.BooleanField(required=False)

    def clean_add_only(self) -> bool:
        """Pages that were opened before an upgrade call it `stays_aside`."""
        return self.cleaned_data["add_only"] or "stays_aside" in self.data


class FreezeSourcesForm(FreezeForm):
    """Whose judgments the version contains. An option for a program is `program:` or
    `people_then_program:` with its id."""

    sources = forms.ChoiceField(label="Judgments by", required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judged = ProgramJudgment.objects.filter(program=OuterRef("pk"))
        programs = campaign.programs.filter(Exists(judged)).order_by("pk")
        self.programs = {str(program.pk): program for program in programs}
        self.fields["sources"].choices = [
            (Qrels.Sources.PEOPLE, "people"),
            *(
                (f"{sources}:{pk}", words.format(program))
                for pk, program in self.programs.items()
                for sources, words in WITH_PROGRAM.items()
            ),
        ]

    @property
    def chosen(self) -> tuple[str, Program | None]:
        """The sources, and their program."""
        sources, _, pk = self.cleaned_data["sources"].partition(":")
        return sources or Qrels.Sources.PEOPLE, self.programs.get(pk)


class QrelsForm(FreezeForm):
    """`confirmed` is the sha256 of the file whose warnings the organiser has seen: a confirmation
    is valid for that file only."""

    file = forms.FileField(
        label="Qrels file",
        help_text="Lines with topic, 0, document and grade. Plain or gzipped.",
        allow_empty_file=True,
    )
    confirmed = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    field_order = ("file", "note")

    def confirms(self, data: bytes) -> bool:
        return self.cleaned_data["confirmed"] == hashlib.sha256(data).hexdigest()
