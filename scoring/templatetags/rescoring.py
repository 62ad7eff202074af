"""How far scoring is, for pages of the other wing that say so."""

from django import template

from campaigns.models import Campaign
from scoring.rescoring import Rescoring, rescoring

register = template.Library()


@register.simple_tag
def rescoring_of(campaign: Campaign) -> Rescoring | None:
    return rescoring(campaign)
