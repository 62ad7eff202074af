"""Files of topics and qrels, and what is to be done with them."""

import hashlib

from django import forms


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topics file",
        help_text="TREC topics, XML, TSV or JSON lines.",
        allow_empty_file=True,  # what is wrong with a file is said by its reader
    )


class RemoveTopicsForm(forms.Form):
    codes = forms.CharField(
        label="Topics to take out", max_length=10_000, help_text="Their numbers, with spaces."
    )

    def clean_codes(self) -> list[str]:
        return self.cleaned_data["codes"].split()


class FreezeForm(forms.Form):
    """`stays_aside` comes from the button that adds a version without putting it in force."""

    note = forms.CharField(required=False, max_length=500)
    stays_aside = forms.BooleanField(required=False, widget=forms.HiddenInput)


class QrelsForm(FreezeForm):
    """`confirmed` is the sha256 of the file whose doubts the organiser has seen: a confirmation
    holds for that file and for no other."""

    file = forms.FileField(
        label="Qrels file",
        help_text="topic, 0, document, grade; or gzipped.",
        allow_empty_file=True,
    )
    confirmed = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    field_order = ("file", "note")

    def confirms(self, data: bytes) -> bool:
        return self.cleaned_data["confirmed"] == hashlib.sha256(data).hexdigest()
