"""The one figure of the runs that assessors may see, where the organisers unblind it."""

from django import template

from campaigns.models import Plan
from scoring import judging_progress

register = template.Library()


@register.simple_tag
def mean_residual(plan: Plan | None) -> float | None:
    """The mean residual of all ranked runs, if assessors are shown it: it falls with every document
    judged, whatever is said of it, and so leads nobody."""
    if plan is None or not plan.shows_residual:
        return None
    return judging_progress.mean_residual(plan)
