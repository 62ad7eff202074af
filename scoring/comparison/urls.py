"""Comparison of two runs."""

from django.urls import path

from scoring.comparison import topic_sides_views, views

HERE = "campaigns/<slug:slug>/compare"

urlpatterns = [
    path(f"{HERE}/", views.compare_page, name="compare"),
    *topic_sides_views.SIDES.paths(f"{HERE}/topics/<path:code>"),
    path(f"{HERE}/topics/<path:code>/", topic_sides_views.sides_page, name="compare-topic"),
    *views.BY_TOPIC.paths(HERE),
    *views.BY_PERSISTENCE.paths(f"{HERE}/by-p"),
]
api_urlpatterns = [
    views.BY_TOPIC.api_path(HERE),
    views.BY_PERSISTENCE.api_path(f"{HERE}/by-p"),
    topic_sides_views.SIDES.api_path(f"{HERE}/topics/<path:code>"),
]
