"""How an organiser's look through other eyes is carried from page to page."""

from urllib.parse import urlencode

from django import template

from campaigns.access import Viewer

register = template.Library()


@register.filter
def preview_query(viewer: Viewer) -> str:
    """?as=public&at=published, to stand behind an address; empty where nothing is previewed."""
    return f"?{urlencode(terms)}" if (terms := preview_terms(viewer)) else ""


@register.filter
def preview_terms(viewer: Viewer) -> list[tuple[str, str]]:
    """The same as names and values, for forms."""
    preview = viewer.preview
    if preview is None:
        return []
    stage = [("at", preview.stage)] if preview.stage else []
    return [("as", preview.team or "public"), *stage]
