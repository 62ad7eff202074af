"""What the board would be under a shallower pool, or without a team's documents."""

from django.urls import URLPattern, path

from scoring.views import pools, topics

HERE = "campaigns/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/pools/", pools.pools_page, name="pools"),
    path(f"{HERE}/pools.csv", pools.pools_csv, name="pools-csv"),
    path(f"{HERE}/pools.tex", pools.pools_tex, name="pools-latex"),
    path(f"{HERE}/pools/depths.csv", pools.summaries_table, name="pools-depths-csv"),
    path(f"{HERE}/pools/measures.tex", pools.summaries_tex, name="pools-measures-latex"),
    path(f"{HERE}/pools/teams/", pools.teams_page, name="pools-teams"),
    path(f"{HERE}/pools/teams.csv", pools.teams_table, name="pools-teams-csv"),
    path(f"{HERE}/pools/teams.tex", pools.teams_tex, name="pools-teams-latex"),
    path(f"{HERE}/topic-matrix.csv", topics.matrix_csv, name="topic-matrix-csv"),
]
