"""The DOI of a snapshot that was deposited in an archive."""

import re
from typing import Any, Final
from urllib.parse import unquote

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import User
from scoring.models import Snapshot

DOI: Final = re.compile(r"10\.[0-9]{4,9}/[!-~]{1,180}")
PREFIX: Final = re.compile(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


class DoiForm(forms.Form):
    doi = forms.CharField(
        required=False,
        max_length=250,
        label="DOI",
        help_text="Of this snapshot in an archive, such as 10.5281/zenodo.1234567. Citations then "
        "name it. Leave it empty if there is none.",
    )

    @classmethod
    def of(cls, snapshot: Snapshot, data: Any = None) -> "DoiForm":
        return cls(data, initial={"doi": snapshot.doi})

    def clean_doi(self) -> str:
        typed = self.cleaned_data["doi"]
        doi = PREFIX.sub("", typed)
        # In a URL, characters of a DOI such as < are percent-encoded.
        if "://" in typed[: len(typed) - len(doi)]:
            doi = unquote(doi)
        if doi and not DOI.fullmatch(doi):
            raise ValidationError("A DOI has the form 10.5281/zenodo.1234567.")
        return doi


@transaction.atomic
def set_doi(*, snapshot: Snapshot, doi: str, actor: User) -> None:
    """The file stays as it is: archives give a DOI to a file that they have."""
    refuse_archived(snapshot.campaign)
    if doi == snapshot.doi:
        return
    snapshot.doi = doi
    snapshot.save(update_fields=["doi"])
    record(snapshot, actor, "changed DOI", doi=doi)
