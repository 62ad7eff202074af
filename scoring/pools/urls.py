"""What the board would be under a shallower pool, or without a team's documents."""

from django.urls import URLPattern, path

from scoring.pools import views

HERE = "campaigns/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/pools/", views.pools_page, name="pools"),
    *views.RUNS_AT_DEPTH.paths(f"{HERE}/pools"),
    *views.DEPTHS.paths(f"{HERE}/pools/depths"),
    path(f"{HERE}/pools/measures.tex", views.measures_latex, name="pools-measures-latex"),
    path(f"{HERE}/pools/teams/", views.teams_page, name="pools-teams"),
    *views.TEAMS.paths(f"{HERE}/pools/teams"),
]
api_urlpatterns = [
    views.DEPTHS.api_path(f"{HERE}/pool/depths"),
    views.TEAMS.api_path(f"{HERE}/pool/teams"),
]
