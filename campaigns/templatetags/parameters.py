"""Names the query parameters that a page has ignored."""

from typing import Any

from django import template

from campaigns.options import ignored_parameters

register = template.Library()


@register.inclusion_tag("_ignored_parameters.html", takes_context=True)
def ignored_parameters_note(context: dict[str, Any]) -> dict[str, Any]:
    return {"ignored": ignored_parameters(context["request"]) if "request" in context else []}
