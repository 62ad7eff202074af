"""The leaderboard."""

from django.urls import path

from scoring.leaderboard import views
from scoring.output.responses import table_paths

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/leaderboard/", views.leaderboard_page, name="leaderboard"),
    *table_paths(f"{HERE}/leaderboard", views.leaderboard_table, "leaderboard"),
    path(f"{HERE}/badge.svg", views.badge, name="badge"),
    path(f"{HERE}/runs/<str:public_id>/badge.svg", views.run_badge, name="run-badge"),
    path(f"{HERE}/leaderboard/embedded/", views.embedded_leaderboard, name="embedded-leaderboard"),
]
