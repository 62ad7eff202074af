"""Which runs can be told apart."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
