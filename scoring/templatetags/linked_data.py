"""JSON-LD in a page, for search engines and catalogues."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def json_ld(content: Mapping[str, Any]) -> SafeString:
    """A script that no browser runs. Django escapes its content so that it cannot end it."""
    return SafeString(json_script(content).replace("application/json", "application/ld+json", 1))
