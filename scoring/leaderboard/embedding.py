"""The leaderboard in a frame on other web sites, if the organisers allow them."""

import html
from typing import Any

from django import forms
from django.db import transaction

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, User
from campaigns.models.campaign import check_origins

WIDTH, HEIGHT = 640, 480


class EmbeddingForm(forms.Form):
    origins = forms.CharField(
        required=False,
        label="Web sites that may show the leaderboard",
        help_text="One address for each line, such as https://www.example.org. Nobody else can "
        "show it in a frame. Leave it empty to allow no site.",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=4_000,
    )

    @classmethod
    def of(cls, campaign: Campaign, data: Any = None) -> "EmbeddingForm":
        return cls(data, initial={"origins": "\n".join(campaign.embedding_origins)})

    def clean_origins(self) -> list[str]:
        lines = (line.strip().lower() for line in self.cleaned_data["origins"].splitlines())
        origins = list(dict.fromkeys(line.rstrip("/") for line in lines if line))
        check_origins(origins)
        return origins


@transaction.atomic
def set_embedding_origins(*, campaign: Campaign, origins: list[str], actor: User) -> None:
    refuse_archived(campaign)
    campaign.embedding_origins = origins
    campaign.save(update_fields=["embedding_origins"])
    record(campaign, actor, "changed embedding", sites=origins)


def embedding_snippet(*, title: str, address: str) -> str:
    """HTML for the other site; `address` is an absolute URL."""
    return (
        f'<iframe src="{html.escape(address)}" title="Leaderboard of {html.escape(title)}" '
        f'width="{WIDTH}" height="{HEIGHT}" loading="lazy"></iframe>'
    )
