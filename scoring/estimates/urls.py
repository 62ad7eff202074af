"""Scores estimated from a stratified sample."""

from django.urls import URLPattern, path

from scoring.estimates import views

HERE = "campaigns/<slug:slug>/estimates"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.estimates_page, name="estimates"),
    *views.ESTIMATED_RUNS.paths(HERE),
]
api_urlpatterns = [views.ESTIMATED_RUNS.api_path(HERE)]
