"""The catalogue of measures and the playground; no campaign needed."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
