"""Formats grades and numbers of the playground."""

from collections.abc import Sequence

from django import template

from scoring.core.statistics.rounding import addition_text, decimal_text
from scoring.measures.playground.conclusions import Exchange

register = template.Library()

WORDS = {-1: "unjudged", 0: "not relevant"}


@register.filter
def play(value: float | None) -> str:
    """Four decimals, or a whole number without decimals; a dash where there is none."""
    if value is None:
        return "–"
    if value == int(value):
        return f"{int(value):,}".replace("-", "−")
    return decimal_text(value, 4).replace("-", "−")


@register.filter
def play_addition(value: float | None) -> str:
    """A residual in the format of `play`; <0.0001 where it would be rounded to 0."""
    if value is None:
        return "–"
    return f"+{play(value)}" if value == int(value) else addition_text(value, 4)


@register.filter
def sign_of(grade: int, top: int) -> str:
    """The text of a box: $ and – if there are only two grades."""
    if grade < 0:
        return "?"
    return {0: "–", 1: "$"}[grade] if top == 1 else str(grade)


@register.filter
def sign_class(grade: int) -> str:
    return "unjudged" if grade < 0 else str(grade)


@register.filter
def grade_words(grade: int) -> str:
    return WORDS.get(grade, f"grade {grade}")


@register.filter
def share_of(value: float | None, greatest: float) -> str:
    """In percent of the greatest, for a chart."""
    return f"{100 * max(value or 0.0, 0.0) / greatest:.2f}" if greatest > 0 else "0"


@register.filter
def is_round(rank: int) -> bool:
    return rank == 1 or rank % 5 == 0


@register.filter
def violation_count(rows: Sequence[Exchange]) -> int:
    return sum(bool(row.broken) for row in rows)
