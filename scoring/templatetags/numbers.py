"""How numbers are written on pages.

A score shows the digits worth showing (`shown_digits`) and one more, paler: it tells runs apart on
the page, though it is worth less than what unjudged documents could add.
"""

import math

from django import template

from scoring.core.means import shown_digits

register = template.Library()

LEAST_P = 0.0001
MOST_DIGITS = shown_digits(None)


@register.filter
def score(value: float | None, digits: int = MOST_DIGITS) -> str:
    """A score with the digits worth showing and one more, or a dash."""
    return "–" if value is None else f"{value:.{_places(digits)}f}".replace("-", "−")


@register.filter
def firm(value: float | None, digits: int) -> str:
    """`score` without the digit that is shown paler."""
    return score(value, digits).removesuffix(pale(value, digits))


@register.filter
def pale(value: float | None, digits: int) -> str:
    """The digit of `score` that is shown paler, if there is one."""
    return "" if value is None or _places(digits) == digits else score(value, digits)[-1]


@register.filter
def addition(value: float | None, digits: int = MOST_DIGITS) -> str:
    """What could be added to a score: +0.06, or <0.01 where rounding would call it nothing."""
    if value is None:
        return "–"
    least = 10.0 ** -_places(digits)
    return f"<{least:.{_places(digits)}f}" if 0 < value < least / 2 else f"+{score(value, digits)}"


@register.filter
def p_of_test(p: float) -> str:
    """A p-value with its sign: p = 0.0412, p < 0.0001; a dash where there is none."""
    if math.isnan(p):
        return "–"
    return f"p < {LEAST_P:.4f}" if p < LEAST_P else f"p = {p:.4f}"


@register.filter
def difference(value: float | None) -> str:
    """Four decimals with a sign; one that rounds to nothing says between what it lies."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    if abs(value) < LEAST_P / 2:
        return ">−0.0001" if value < 0 else "<+0.0001"
    return f"{'−' if value < 0 else '+'}{abs(value):.4f}"


@register.filter
def percent(value: float | None) -> str:
    """A share as a length in a drawing: 0 to 100, two decimals."""
    return f"{100 * min(max(value or 0.0, 0.0), 1.0):.2f}"


def _places(digits: int) -> int:
    return min(digits + 1, MOST_DIGITS)
