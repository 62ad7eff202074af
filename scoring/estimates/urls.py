"""Scores estimated from a stratified sample."""

from django.urls import URLPattern, path

from scoring.estimates import views
from scoring.output.responses import table_paths

HERE = "campaigns/<slug:slug>/estimates"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.estimates_page, name="estimates"),
    *table_paths(HERE, views.estimates_rows, "estimates"),
]
