"""Significance of the differences between runs."""

from django.urls import URLPattern, path

from scoring.output.responses import table_paths
from scoring.significance import views

HERE = "campaigns/<slug:slug>/significance"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.significance_page, name="significance"),
    *table_paths(HERE, views.significance_table, "significance"),
    path(f"{HERE}/counts/", views.counts_page, name="significance-counts"),
    *table_paths(f"{HERE}/counts", views.significant_pairs, "significance-counts"),
]
