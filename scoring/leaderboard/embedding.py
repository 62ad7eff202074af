"""The leaderboard in a frame on other web sites, if the organisers allow them."""

import html
from typing import Any

import idna
from django import forms
from django.core.exceptions import ValidationError
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
        help_text="One URL for each line, such as https://www.example.org, "
        "https://lab.example:8443, or https://*.example.org for all names below example.org. "
        "Nobody else can show it in a frame. Leave it empty to allow no site.",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=4_000,
    )

    @classmethod
    def of(cls, campaign: Campaign, data: Any = None) -> "EmbeddingForm":
        return cls(data, initial={"origins": "\n".join(campaign.embedding_origins)})

    def clean_origins(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["origins"].splitlines())
        origins = list(dict.fromkeys(origin_of(line) for line in lines if line))
        check_origins(origins)
        return origins


def origin_of(url: str) -> str:
    """The URL of a web site as the header names it: `https://xn--bcher-kva.example:8443` for
    `https://Bücher.example:8443/`. Raises `ValidationError`."""
    scheme, _, rest = url.partition("://")
    if scheme.lower() not in ("http", "https") or not rest:
        raise ValidationError(f"{url}: begin with https://, as in https://www.example.org.")
    site = rest.removesuffix("/")
    if not {"/", "?", "#"}.isdisjoint(site):
        raise ValidationError(f"{url}: remove what follows the name of the site and its port.")
    any_below = "*." if site.startswith("*.") else ""
    host, colon, port = site.removeprefix("*.").partition(":")
    if "*" in host:
        raise ValidationError(f"{url}: write * only before a name, as in https://*.example.org.")
    if colon and not (port.isdecimal() and len(port) <= 5 and 0 < int(port) < 1 << 16):
        raise ValidationError(f"{url}: the port is a number from 1 to 65535.")
    try:
        name = idna.encode(host, uts46=True).decode()
    except idna.IDNAError as error:
        raise ValidationError(f"{url}: {host} is not the name of a web site.") from error
    if any_below and "." not in name:
        raise ValidationError(
            f"{url}: write a domain with two parts or more after *, as in https://*.example.org."
        )
    return f"{scheme.lower()}://{any_below}{name}" + (f":{int(port)}" if colon else "")


@transaction.atomic
def set_embedding_origins(*, campaign: Campaign, origins: list[str], actor: User) -> None:
    refuse_archived(campaign)
    campaign.embedding_origins = origins
    campaign.save(update_fields=["embedding_origins"])
    record(campaign, actor, "changed embedding", sites=origins)


def embedding_snippet(*, title: str, url: str) -> str:
    """HTML for the other site; `url` is absolute."""
    return (
        f'<iframe src="{html.escape(url)}" title="Leaderboard of {html.escape(title)}" '
        f'width="{WIDTH}" height="{HEIGHT}" loading="lazy"></iframe>'
    )
