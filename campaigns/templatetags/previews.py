"""Keeps the parameters of a preview in the links of a page."""

from django import template

from campaigns.access import preview_query, preview_terms

register = template.Library()
register.filter(preview_query)
register.filter(preview_terms)
