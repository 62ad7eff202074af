"""Forms for topics and qrels."""

import hashlib

from django import forms


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topics file",
        help_text="TREC topics, XML, TSV or JSON lines.",
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
