"""Agreement between assessors, their disagreements, and the export of pools."""

from django.urls import URLPattern, path

from scoring.assessors import program_views, views
from scoring.judging import pool_views

JUDGING = "campaigns/<slug:slug>/judging"
PROGRAM = f"{JUDGING}/programs/<int:program>"

urlpatterns: list[URLPattern] = [
    path(f"{JUDGING}/agreement/", views.agreement_page, name="judging-agreement"),
    *views.AGREEMENT.paths(f"{JUDGING}/agreement"),
    *views.LEADERBOARDS.paths(f"{JUDGING}/boards"),
    *views.DISAGREEMENTS.paths(f"{JUDGING}/disagreements"),
    path(f"{PROGRAM}/agreement/", program_views.program_page, name="program-page"),
    *program_views.JUDGMENTS.paths(f"{PROGRAM}/judgments"),
    *program_views.AGREEMENT.paths(f"{PROGRAM}/agreement"),
    *program_views.LEADERBOARDS.paths(f"{PROGRAM}/leaderboards"),
    *program_views.TURNED_PAIRS.paths(f"{PROGRAM}/pairs"),
    path(f"{JUDGING}/pool.csv", pool_views.pool_table, name="judging-pool-csv"),
    path(f"{JUDGING}/pool.prels", pool_views.pool_prels_file, name="judging-pool-prels"),
]
api_urlpatterns = [
    views.AGREEMENT.api_path(f"{JUDGING}/agreement"),
    views.LEADERBOARDS.api_path(f"{JUDGING}/agreement/leaderboards"),
    views.DISAGREEMENTS.api_path(f"{JUDGING}/disagreements"),
    program_views.JUDGMENTS.api_path(f"{PROGRAM}/judgments"),
    program_views.AGREEMENT.api_path(f"{PROGRAM}/agreement"),
    program_views.LEADERBOARDS.api_path(f"{PROGRAM}/leaderboards"),
    program_views.TURNED_PAIRS.api_path(f"{PROGRAM}/pairs"),
]
