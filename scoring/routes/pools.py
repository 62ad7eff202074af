"""What the board would be under a shallower pool, or without a team's documents."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
