"""Two runs side by side."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
