"""Names of measures with an explanation: explain.js shows it on hover and on focus, and the title
attribute shows it without scripts."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from scoring.core.measures.catalogue import meaning_of
from scoring.output.measure_names import measure_label

register = template.Library()
register.filter(measure_label)


@register.simple_tag
def explained(measure: object) -> SafeString:
    """The name of a measure, with a link to its page."""
    url = reverse("scoring:measure-detail", args=[measure])
    label = measure_label(measure)
    return format_html('<a class="measure" href="{}" {}>{}</a>', url, explains(measure), label)


@register.simple_tag
def explains(measure: object) -> SafeString:
    """Attributes for an element that names a measure without a link to its page, such as a select
    box or the heading of a column."""
    return format_html('data-explained title="{}"', meaning_of(str(measure)))
