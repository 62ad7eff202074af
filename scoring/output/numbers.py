"""Formats numbers for pages; `scoring.core.statistics.rounding` rounds them.

A score has the digits that its residual leaves certain (`shown_digits`) and one more, paler, which
distinguishes runs on the page although it is smaller than the residual. On a leaderboard it can
have several paler ones.
"""

import math
from typing import NamedTuple

from scoring.core.statistics.means import shown_digits
from scoring.core.statistics.rounding import addition_text, decimal_text, difference_text

SMALLEST_P = 0.0001
MAX_DIGITS = shown_digits(None)


class Digits(NamedTuple):
    """Decimals of a score. Those that are shown and not firm are paler."""

    firm: int
    shown: int

    @classmethod
    def of(cls, digits: "int | Digits") -> "Digits":
        """The certain digits and one more, but no more than four."""
        return digits if isinstance(digits, Digits) else cls(digits, min(digits + 1, MAX_DIGITS))


FOUR_DIGITS = Digits(MAX_DIGITS, MAX_DIGITS)


def score(value: float | None, digits: int | Digits = MAX_DIGITS) -> str:
    """A score with its certain digits and one more, or a dash."""
    return "–" if value is None else _printed(decimal_text(value, Digits.of(digits).shown))


def firm(value: float | None, digits: int | Digits) -> str:
    """`score` without the digits that are shown paler."""
    return score(value, digits).removesuffix(pale(value, digits))


def pale(value: float | None, digits: int | Digits) -> str:
    """The digits of `score` that are shown paler, if there are any."""
    digits = Digits.of(digits)
    count = digits.shown - digits.firm
    return "" if value is None or count <= 0 else score(value, digits)[-count:]


def addition(value: float | None, digits: int = MAX_DIGITS) -> str:
    """A residual: +0.06, or <0.01 where it would be rounded to 0."""
    return "–" if value is None else _printed(addition_text(value, Digits.of(digits).shown))


def p_text(p: float) -> str:
    """The p of an RBP: 0.80, and 0.995 where two decimals are not enough."""
    return f"{p:.3f}".removesuffix("0")


def p_of_test(p: float) -> str:
    """p = 0.0412, or p < 0.0001; a dash where there is none."""
    if math.isnan(p):
        return "–"
    return f"p < {SMALLEST_P:.4f}" if p < SMALLEST_P else f"p = {p:.4f}"


def p_value(p: float) -> str:
    """Three decimals: .042, <.001, 1; a dash where there is none."""
    if math.isnan(p):
        return "–"
    # Three decimals would be .000.
    if p < 0.0005:
        return "<.001"
    return "1" if p >= 0.9995 else f"{p:.3f}".removeprefix("0")


def p_or_dash(p: float | None) -> str:
    """`p_value` of a p that may be None."""
    return "–" if p is None else p_value(p)


def difference(value: float | None, digits: int = MAX_DIGITS) -> str:
    """Four decimals with a sign, or an interval where the value would be rounded to 0."""
    if value is None or math.isnan(value):
        return "–"
    return _printed(difference_text(value, digits))


def percent(value: float | None) -> str:
    """A share as a length in a chart: 0 to 100, two decimals."""
    return f"{100 * min(max(value or 0.0, 0.0), 1.0):.2f}"


def signed(value: float | None, digits: int) -> str:
    """Decimals with a sign; 0 and ∞ without decimals, a dash where there is no number."""
    if value is None or math.isnan(value):
        return "–"
    text = "∞" if math.isinf(value) else decimal_text(abs(value), digits)
    return text if not value else f"{'−' if value < 0 else '+'}{text}"


def _printed(text: str) -> str:
    """With a typographic minus sign."""
    return text.replace("-", "−")
