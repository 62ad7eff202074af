"""Formats the seven properties of measures."""

from django import template

from scoring.core.measures.entries import number
from scoring.core.properties.properties import PROPERTIES
from scoring.core.properties.table import PropertyRow

register = template.Library()


@register.filter
def holds(row: PropertyRow) -> list[bool]:
    """For each property, whether the measure has it."""
    return [row.findings[name].holds for name in PROPERTIES]


@register.filter
def example_score(value: float) -> str:
    return number(value)
