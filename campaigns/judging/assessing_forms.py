"""An assessor's acts, and what organisers say of the documents."""

from django import forms

from campaigns.judging.tasks import NOTE_CHARACTERS
from campaigns.models import Campaign

KEY = r"^[0-9A-Za-z-]{1,40}$"


class JudgmentForm(forms.Form):
    """One act at the desk. Scripts make a key for each; a page without scripts has one key, so the
    grade belongs to it: the same sent twice is a repeat, another grade is another judgment."""

    act = forms.ChoiceField(
        choices=[(name, name) for name in ("judge", "skip", "undo")], required=False
    )
    doc_id = forms.CharField(max_length=1024, strip=False, required=False)
    last = forms.CharField(max_length=1024, strip=False, required=False)  # what undo is about
    grade = forms.IntegerField(required=False)
    is_unsure = forms.BooleanField(required=False)
    note = forms.CharField(required=False)
    key = forms.RegexField(KEY)

    def clean_act(self) -> str:
        return self.cleaned_data["act"] or "judge"

    def clean_note(self) -> str:
        """Cut rather than refused: a judgment is not lost for its note."""
        return self.cleaned_data["note"].replace("\r\n", "\n")[:NOTE_CHARACTERS]

    def clean(self) -> None:
        if self.cleaned_data.get("act") == "judge" and self.cleaned_data.get("grade") is None:
            self.add_error("grade", "Choose a grade.")


class DocumentsForm(forms.Form):
    file = forms.FileField(
        label="Documents",
        help_text="JSON lines with doc_id, title and text, or TREC's <DOC> form; or gzipped.",
        allow_empty_file=True,  # what is wrong with a file is said by its reader
    )


class AddressForm(forms.ModelForm):
    class Meta:
        model = Campaign
        fields = ("document_address",)
        labels = {"document_address": "Address of a document"}
