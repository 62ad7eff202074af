"""The problems of a file, as they are stored."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from django import template
from django.template.defaultfilters import pluralize

from campaigns.trec.problems import Problem

register = template.Library()


Stored: TypeAlias = Mapping[str, Any]  # as `Problem.as_dict`; older releases stored no counts


@register.filter
def problem_lines(problems: Sequence[Stored | Problem]) -> int:
    """On how many lines the listed problems are."""
    return sum(
        each.count if isinstance(each, Problem) else each.get("count", 1) for each in problems
    )


@register.filter
def counted(problems: Sequence[Stored | Problem], total: int) -> str:
    """Says how many problems there are. One problem on many lines is one."""
    if problem_lines(problems) != total or total == len(problems):
        return f"{total:,} problem{pluralize(total)}"
    if len(problems) == 1:
        return f"one problem on {total:,} lines"
    return f"{len(problems)} kinds of problems, {total:,} in all"
