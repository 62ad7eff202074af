"""The address of another page of a table: all other choices of the address stay."""

from typing import Any

from django import template

register = template.Library()


@register.simple_tag(takes_context=True)
def page_address(context: dict[str, Any], parameter: str, number: int) -> str:
    """`{% querystring %}` with a parameter whose name is not known before."""
    asked = context["request"].GET.copy()
    asked[parameter] = str(number)
    return f"?{asked.urlencode()}"


@register.simple_tag(takes_context=True)
def same_query(context: dict[str, Any]) -> str:
    """The query of the page, to be carried to another form of the same rows."""
    query = context["request"].GET.urlencode()
    return f"?{query}" if query else ""
