"""The names of measures on pages and in charts. Files, URLs and the API have the canonical
names."""

import re
from typing import Final

GRADED: Final = ", graded gains"
GAIN_MAP: Final = re.compile(r"\(gain=map\)|,gain=map\b|\bgain=map,")


def measure_label(measure: object) -> str:
    """RBP(p=0.8), graded gains: of a measure with the canonical name RBP(p=0.8,gain=map), or of
    this name."""
    name, count = GAIN_MAP.subn("", str(measure))
    return name + GRADED if count else name


def has_graded_gains(measure: object) -> bool:
    """Whether the campaign's gain map gives the gain of each grade."""
    return GAIN_MAP.search(str(measure)) is not None
