"""The organisers' forms for assignments, decisions and imported judgments."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaigns.models import Campaign, User

MAX_ASSESSORS = 3  # of a topic, for an even assignment
LISTED_TOPICS = 250  # of more, the number is typed: a list of 6,980 makes a page of 590 kB


class EvenAssignmentForm(forms.Form):
    each = forms.TypedChoiceField(
        label="Assessors for each topic",
        coerce=int,
        choices=[(number, str(number)) for number in range(1, MAX_ASSESSORS + 1)],
    )


class AssessorTopicsForm(forms.Form):
    topics = forms.CharField(
        label="Topics",
        help_text="Topic numbers, separated by spaces. If you remove a topic, its judgments stay,"
        " and documents that the assessor has claimed are released.",
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
    seen = forms.CharField(max_length=4, required=False)  # the decision that the page shows


class GoldForm(forms.Form):
    topic = forms.ChoiceField()
    doc_id = forms.CharField(max_length=1024, label="Document id")
    grade = forms.TypedChoiceField(coerce=int)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._campaign = campaign
        topics = list(campaign.topics.order_by("position")[: LISTED_TOPICS + 1])
        if len(topics) > LISTED_TOPICS:
            self.fields["topic"] = forms.CharField(max_length=64, label="Topic number")
        else:
            self.fields["topic"].choices = [
                (topic.code, f"{topic.code} {topic.title}"[:80]) for topic in topics
            ]
        grades = range(campaign.highest_grade + 1)
        self.fields["grade"].choices = [(grade, str(grade)) for grade in grades]

    def clean_topic(self) -> str:
        topic: str = self.cleaned_data["topic"]
        if not self._campaign.topics.filter(code=topic).exists():
            raise ValidationError(f"The campaign has no topic {topic}.")
        return topic

    def clean_doc_id(self) -> str:
        doc_id: str = self.cleaned_data["doc_id"]
        if len(doc_id.split()) != 1:
            raise ValidationError("A document id contains no spaces.")
        return doc_id


class JudgmentsForm(forms.Form):
    """`confirmed` is the sha256 of the file whose conflicts the organiser has seen, so that a
    confirmation is valid for that file only."""

    assessor = forms.TypedChoiceField(coerce=int, label="Judged by")
    file = forms.FileField(
        label="Judgments",
        help_text="The exported CSV or prels file with grades, or a qrels file: topic, 0, document,"
        " grade. A grade below 0, or an empty grade in a CSV, means not judged.",
        allow_empty_file=True,  # the reader of the file reports the error
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
