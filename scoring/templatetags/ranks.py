"""Shares of samples, and numbers of topics."""

from django import template

from scoring.ranks.tables import count, share

register = template.Library()
register.filter(share)
register.filter(count)
