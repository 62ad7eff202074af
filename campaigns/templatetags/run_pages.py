"""Which pages of a run a viewer may open."""

from django import template

from campaigns.access import Viewer
from campaigns.models import Run

register = template.Library()


@register.filter
def sees_curves(viewer: Viewer, run: Run) -> bool:
    return viewer.can_see_curves_of(run)


@register.filter
def sees_documents(viewer: Viewer, run: Run) -> bool:
    return viewer.can_see_documents_of(run)


@register.filter
def sees_unique_documents(viewer: Viewer, run: Run) -> bool:
    return viewer.can_see_unique_documents_of(run)
