"""Renders Markdown that people wrote. No other module outputs markup from users."""

from functools import lru_cache

import nh3
from django import template
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe  # noqa: TID251 - this place
from markdown_it import MarkdownIt

from campaigns.models.campaign import LONGEST_MARKDOWN

register = template.Library()
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
TAGS = {
    "p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li",
    "h3", "h4", "h5", "hr", "a", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


@register.filter
def markdown(text: str) -> SafeString:
    return mark_safe(render(text))  # noqa: S308 - what `render` gives out has been cleaned


@lru_cache(maxsize=128)  # every view of a campaign shows the same
def render(text: str) -> str:
    """HTML of Markdown with headings below those of the page, without raw HTML, and without images,
    which would be loaded from other hosts. A text that is longer than fields allow today is shown
    as it was typed, because the time for brackets grows with the square of their number."""
    if len(text) > LONGEST_MARKDOWN:
        return linebreaks(text, autoescape=True)
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 5)}"
    made = _PARSER.renderer.render(tokens, _PARSER.options, {})
    # The parser passes no HTML on. If it ever did, this would stop it.
    return nh3.clean(
        made,
        tags=TAGS,
        attributes={"a": {"href"}, "*": set()},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer",
    )
