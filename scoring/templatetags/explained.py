"""Measures that say what they are, wherever their names stand: explain.js shows it on hover and on
focus, and who has no scripts still gets the title."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from scoring.core.measures.catalogue import meaning_of

register = template.Library()


@register.simple_tag
def explained(measure: object) -> SafeString:
    """The name of a measure, which leads to its page."""
    name = str(measure)
    address = reverse("scoring:measure-detail", args=[name])
    return format_html('<a class="measure" href="{}" {}>{}</a>', address, explains(name), name)


@register.simple_tag
def explains(measure: object) -> SafeString:
    """For the tag of what stands for a measure and leads elsewhere: a switch, the head of a
    column."""
    return format_html('data-explained title="{}"', meaning_of(str(measure)))
