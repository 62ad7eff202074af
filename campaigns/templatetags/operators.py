"""Whom to ask if only an operator of the site can help."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def operator_email() -> str:
    """The address, or "" if the site states none."""
    return str(settings.OPERATOR_EMAIL)
