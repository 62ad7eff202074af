"""Detects that another person has saved while a form was open."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from campaigns.models import Campaign

STALE = (
    "Another organiser has saved changes since you opened this page. The log lists them. No change "
    "of yours was saved. If you save again, you overwrite these fields"
)


def version_of(campaign: Campaign, columns: Iterable[str]) -> str:
    """A digest of these columns, which forms send back in a hidden field."""
    # `attname` is the key of a related row, which needs no query.
    fields = [Campaign._meta.get_field(name).attname for name in sorted(columns)]
    values = [[name, getattr(campaign, name)] for name in fields]
    return hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()[:16]


def is_stale(sent: Mapping[str, str], version: str) -> bool:
    """Whether the form was opened with another version than the current one. Pages that were opened
    before an upgrade call it `mark`."""
    return sent.get("version", sent.get("mark", version)) != version
