"""Somebody else may save while a form lies open: it says so before it takes their work back."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from campaigns.models import Campaign

STALE = (
    "Somebody has changed this since you opened the page; the log says who and what. Nothing is "
    "saved yet. Save again, and what stands here takes the place of theirs"
)


def mark_of(campaign: Campaign, columns: Iterable[str]) -> str:
    """Tells one state of these columns from another; it goes with the form and comes back."""
    fields = [Campaign._meta.get_field(name).attname for name in sorted(columns)]
    values = [[name, getattr(campaign, name)] for name in fields]
    return hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()[:16]


def is_stale(sent: Mapping[str, str], mark: str) -> bool:
    """Whether the form was opened on another state than this."""
    return sent.get("mark", mark) != mark
