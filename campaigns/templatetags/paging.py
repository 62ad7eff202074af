"""The URL of another page of a table, with the same other parameters."""

from typing import Any

from django import template

register = template.Library()


@register.simple_tag(takes_context=True)
def page_url(context: dict[str, Any], parameter: str, number: int) -> str:
    """`{% querystring %}` with a variable parameter name."""
    params = context["request"].GET.copy()
    params[parameter] = str(number)
    return f"?{params.urlencode()}"


@register.simple_tag(takes_context=True)
def same_query(context: dict[str, Any]) -> str:
    """The query of the page, for a link to another format of the same rows."""
    query = context["request"].GET.urlencode()
    return f"?{query}" if query else ""
