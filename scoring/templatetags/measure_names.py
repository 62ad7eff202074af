"""The catalogue of measures, for those who choose some by name."""

from collections.abc import Iterator

from django import template

from scoring.core.measures.catalogue import FAMILIES
from scoring.core.measures.measure import Family

register = template.Library()

BEHIND_THE_AT = {"required": "@10", "recall": "@0.1"}


@register.simple_tag
def measure_names() -> Iterator[tuple[str, str]]:
    """Each family as it may be typed, and its name in words."""
    for family in FAMILIES:
        yield _typed(family), family.facts.pretty_name


def _typed(family: Family) -> str:
    """With what has to be given: a cutoff, and parameters that have no default."""
    needed = [
        f"{each.name}={each.words[0] if each.words else '…'}"
        for each in family.parameters
        if each.default is None and not _is_second_choice(family, each.name)
    ]
    inside = f"({','.join(needed)})" if needed else ""
    return f"{family.name}{inside}{BEHIND_THE_AT.get(family.cutoff or '', '')}"


def _is_second_choice(family: Family, name: str) -> bool:
    """Whether it may be left out where an earlier parameter is given."""
    parameter = family.parameter(name)
    earlier = [each.name for each in family.parameters]
    first = earlier[: earlier.index(name)]
    return parameter is not None and any(other in first for other in parameter.instead_of)
