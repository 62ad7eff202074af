"""Significance of the differences between runs."""

from django.urls import URLPattern, path

from scoring.significance import views

HERE = "campaigns/<slug:slug>/significance"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.significance_page, name="significance"),
    *views.PAIRS.paths(HERE),
    path(f"{HERE}/counts/", views.counts_page, name="significance-counts"),
    *views.COUNTS.paths(f"{HERE}/counts"),
]
api_urlpatterns = [views.PAIRS.api_path(HERE), views.COUNTS.api_path(f"{HERE}/counts")]
