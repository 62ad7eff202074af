"""Comparison of two runs."""

from django.urls import path

from scoring.comparison import topic_sides_views, views
from scoring.output.responses import table_paths

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/compare/", views.compare_page, name="compare"),
    path(
        f"{HERE}/compare/topics/<path:code>.csv",
        topic_sides_views.sides_csv,
        name="compare-topic-csv",
    ),
    path(f"{HERE}/compare/topics/<path:code>/", topic_sides_views.sides_page, name="compare-topic"),
    *table_paths(f"{HERE}/compare", views.compare_rows, "compare"),
    path(f"{HERE}/compare/by-p.csv", views.compare_persistences, name="compare-bands-csv"),
]
