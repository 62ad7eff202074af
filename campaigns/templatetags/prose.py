"""Prose that people wrote: the one place where markup is let through, cleaned."""

from django import template
from django.utils.safestring import SafeString, mark_safe  # noqa: TID251 - this place

from campaigns.text.markdown import render

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    return mark_safe(render(text))  # noqa: S308 - what `render` gives out has been cleaned
