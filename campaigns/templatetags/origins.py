"""Where a version of the qrels comes from."""

from django import template

from campaigns.models import Qrels
from campaigns.qrels import provenance

register = template.Library()


@register.filter
def origin(qrels: Qrels) -> list[str]:
    """Sentences; none for an uploaded version."""
    return provenance.origin_of(qrels)
