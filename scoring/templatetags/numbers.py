"""Numbers as `scoring.output.numbers` writes them, and the cells of a table on a page."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import template

from scoring.output.numbers import (
    addition,
    difference,
    firm,
    p_of_test,
    p_or_dash,
    p_text,
    p_value,
    pale,
    percent,
    score,
    signed,
)
from scoring.output.table import PageColumn

register = template.Library()

for each in (
    addition, difference, firm, p_of_test, p_or_dash, p_text, p_value, pale, percent, score, signed,
):  # fmt: skip
    register.filter(each)


@register.filter
def beyond(value: float, start: float) -> float:
    """How much the value is above the start."""
    return value - start


@register.filter
def cells(row: Any, columns: Sequence[PageColumn]) -> Iterator[tuple[PageColumn, str]]:
    """Each column of a table on a page, with what it shows of this row."""
    return ((column, column.cell(row)) for column in columns)
