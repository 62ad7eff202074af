"""What may be done with a run, asked by the page that offers it."""

from typing import Any

from django import template
from django.utils import timezone

from campaigns import intake, verdicts
from campaigns.access import Viewer
from campaigns.models import Run

register = template.Library()


@register.filter
def may_follow(viewer: Viewer, run: Run) -> bool:
    return viewer.can_follow(run)


@register.filter
def may_accept(viewer: Viewer, run: Run) -> bool:
    return verdicts.can_accept(viewer, run)


@register.filter
def may_withdraw(viewer: Viewer, run: Run) -> bool:
    return intake.can_withdraw(viewer, run, timezone.now())


@register.filter
def may_replace(viewer: Viewer, run: Run) -> bool:
    return intake.can_replace(viewer, run, timezone.now())


@register.filter
def may_download(viewer: Viewer, run: Run) -> bool:
    return bool(run.storage_key) and viewer.can_download(run)


@register.filter
def sees_curves(viewer: Viewer, run: Run) -> bool:
    return viewer.can_see_curves_of(run)


@register.filter
def sees_documents(viewer: Viewer, run: Run) -> bool:
    return viewer.can_see_documents_of(run)


@register.filter
def successor(run: Run) -> Run | None:
    """The upload that is about to replace it."""
    return intake.successor_of(run) if run.replaced_at is None else None


@register.filter
def check_sheet(viewer: Viewer, run: Run) -> dict[str, Any]:
    return verdicts.sheet_for(viewer, run)


@register.simple_tag(takes_context=True)
def same_query(context: template.Context) -> str:
    """The query of the page, to be carried to another form of the same rows."""
    query = context["request"].GET.urlencode()
    return f"?{query}" if query else ""
