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
