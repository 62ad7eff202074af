"""What the board would be under a shallower pool, or without a team's documents."""

from django.urls import URLPattern, path

from scoring.output.responses import table_paths
from scoring.pools import views

HERE = "campaigns/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/pools/", views.pools_page, name="pools"),
    *table_paths(f"{HERE}/pools", views.pools_rows, "pools"),
    path(f"{HERE}/pools/depths.csv", views.depths_csv, name="pools-depths-csv"),
    path(f"{HERE}/pools/measures.tex", views.measures_latex, name="pools-measures-latex"),
    path(f"{HERE}/pools/teams/", views.teams_page, name="pools-teams"),
    *table_paths(f"{HERE}/pools/teams", views.teams_rows, "pools-teams"),
]
