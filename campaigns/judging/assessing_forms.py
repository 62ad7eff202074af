"""The assessor's form, and the organisers' forms for document texts."""

from django import forms

from campaigns.judging.tasks import NOTE_CHARACTERS
from campaigns.models import Campaign
from campaigns.trec.documents_checks import ID_NAMES, TEXT_NAMES, FieldNames

KEY = r"^[0-9A-Za-z-]{1,40}$"


class JudgmentForm(forms.Form):
    """One action on the assessment page. The script creates a key for each action. Without the
    script a page has one key, to which the view adds the grade: the same grade sent twice is a
    repetition, another grade is another judgment."""

    act = forms.ChoiceField(
        choices=[(name, name) for name in ("judge", "skip", "undo")], required=False
    )
    doc_id = forms.CharField(max_length=1024, strip=False, required=False)
    last = forms.CharField(max_length=1024, strip=False, required=False)  # the document to undo
    grade = forms.IntegerField(required=False)
    is_unsure = forms.BooleanField(required=False)
    note = forms.CharField(required=False)
    key = forms.RegexField(KEY)

    def clean_act(self) -> str:
        return self.cleaned_data["act"] or "judge"

    def clean_note(self) -> str:
        """A long note is truncated, because an error would lose the judgment."""
        return self.cleaned_data["note"].replace("\r\n", "\n")[:NOTE_CHARACTERS]

    def clean(self) -> None:
        if self.cleaned_data.get("act") == "judge" and self.cleaned_data.get("grade") is None:
            self.add_error("grade", "Choose a grade.")


class DocumentsForm(forms.Form):
    file = forms.FileField(
        label="Documents",
        help_text="JSON Lines with doc_id, title and text, or TREC's <DOC> format. May be gzipped.",
        allow_empty_file=True,  # the reader of the file reports the error
    )
    # Of a file in which several fields could be the id or the text.
    doc_id = forms.ChoiceField(choices=[(name, name) for name in ID_NAMES], required=False)
    text = forms.ChoiceField(choices=[(name, name) for name in TEXT_NAMES], required=False)

    @property
    def names(self) -> FieldNames | None:
        """The chosen fields, None if none was chosen."""
        doc_id, text = self.cleaned_data["doc_id"], self.cleaned_data["text"]
        if not doc_id and not text:
            return None
        return FieldNames((doc_id,) if doc_id else ID_NAMES, (text,) if text else TEXT_NAMES)


class DocumentURLForm(forms.ModelForm):
    class Meta:
        model = Campaign
        fields = ("document_address",)
        labels = {"document_address": "Document URL"}
        help_texts = {"document_address": "{doc_id} is replaced by the document id."}
