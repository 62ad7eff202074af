"""Numbers as the papers write them."""

import re

from tools.reproduction_page.rows import rounded


def short(value: float, digits: int) -> str:
    """Without the zero before the point, as the papers print."""
    return without_zero(f"{rounded(value, digits):.{digits}f}")


def without_zero(word: str) -> str:
    """.5 for 0.5, also within a text."""
    return re.sub(r"(?<![\d.])0(?=\.)", "", word)
