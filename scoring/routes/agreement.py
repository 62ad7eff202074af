"""Agreement of measures, and of qrels versions, on the order of the runs."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
