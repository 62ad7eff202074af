"""What organisers fill in around judging: who judges what, decisions, answers from outside."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django import forms

from campaigns.models import User

MOST_EACH = 3  # assessors of one topic, when they are spread evenly


class SpreadForm(forms.Form):
    each = forms.TypedChoiceField(
        label="Assessors for each topic",
        coerce=int,
        choices=[(number, str(number)) for number in range(1, MOST_EACH + 1)],
    )


class AssessorTopicsForm(forms.Form):
    """The topics of one assessor, by their numbers."""

    topics = forms.CharField(
        label="Topics",
        help_text="The numbers of the topics, with spaces between them. Judgments stay when you"
        " remove a topic; documents of it that the assessor holds are given back.",
        required=False,
        max_length=500_000,
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    @property
    def codes(self) -> list[str]:
        return self.cleaned_data["topics"].split()


class DocumentForm(forms.Form):
    topic = forms.CharField(max_length=64)
    doc_id = forms.CharField(max_length=1024, strip=False)


class DecisionForm(DocumentForm):
    grade = forms.IntegerField(min_value=0, max_value=127)
    note = forms.CharField(max_length=1000, required=False)
    seen = forms.CharField(max_length=4, required=False)  # what was decided when the page was made


class JudgmentsForm(forms.Form):
    """`confirmed` is the sha256 of the file whose conflicts the organiser has seen: a confirmation
    holds for that file and for no other."""

    assessor = forms.TypedChoiceField(coerce=int, label="Judged by")
    file = forms.FileField(
        label="Answers",
        help_text="The CSV or prels of the pool with its grades filled in, or qrels lines: "
        "topic, 0, document, grade. A grade below 0, or none in a CSV, says: not judged.",
        allow_empty_file=True,  # what is wrong with a file is said by its reader
    )
    confirmed = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, assessors: Sequence[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = {who.pk: who for who in assessors}
        self.fields["assessor"].choices = [(pk, str(who)) for pk, who in self.people.items()]

    @property
    def judged_by(self) -> User:
        return self.people[self.cleaned_data["assessor"]]

    def confirms(self, data: bytes) -> bool:
        return self.cleaned_data["confirmed"] == hashlib.sha256(data).hexdigest()
