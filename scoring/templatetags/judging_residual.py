"""The one figure of the runs that assessors may see, where the organisers unblind it."""

from django import template

from campaigns.models import Plan

register = template.Library()


@register.simple_tag
def mean_residual(plan: Plan | None) -> float | None:
    """The mean residual of all runs of the plan, if assessors are shown it.

    Nothing computes it yet: the live progress of a plan does, and answers here.
    """
    return None
