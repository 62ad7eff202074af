"""Where a version of the qrels comes from."""

from django import template

from campaigns import provenance
from campaigns.models import Qrels

register = template.Library()


@register.filter
def origin(qrels: Qrels) -> list[str]:
    """Sentences; none for an uploaded version."""
    return provenance.told(qrels.provenance)
