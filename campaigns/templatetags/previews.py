"""How an organiser's look through other eyes is carried from page to page."""

from django import template

from campaigns.access import preview_query, preview_terms

register = template.Library()
register.filter(preview_query)
register.filter(preview_terms)
