"""Agreement between assessors, and the export of pools."""

from django.urls import URLPattern, path

from scoring.assessors import program_views, views
from scoring.judging import pool_views

JUDGING = "campaigns/<slug:slug>/judging"
PROGRAM = f"{JUDGING}/programs/<int:program>"

urlpatterns: list[URLPattern] = [
    path(f"{JUDGING}/agreement/", views.agreement_page, name="judging-agreement"),
    path(f"{JUDGING}/agreement.csv", views.agreement_csv, name="judging-agreement-csv"),
    path(f"{JUDGING}/boards.csv", views.boards_csv, name="judging-boards-csv"),
    path(f"{PROGRAM}/agreement/", program_views.program_page, name="program-page"),
    path(f"{PROGRAM}/agreement.csv", program_views.agreement_csv, name="program-agreement-csv"),
    path(f"{PROGRAM}/leaderboards.csv", program_views.boards_csv, name="program-boards-csv"),
    path(f"{PROGRAM}/pairs.csv", program_views.pairs_csv, name="program-pairs-csv"),
    path(f"{JUDGING}/pool.csv", pool_views.pool_table, name="judging-pool-csv"),
    path(f"{JUDGING}/pool.prels", pool_views.pool_prels_file, name="judging-pool-prels"),
]
