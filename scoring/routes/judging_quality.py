"""How far the assessors agree, and pools for judging elsewhere."""

from django.urls import URLPattern, path

from scoring.views import judging_pool, judging_quality

JUDGING = "campaigns/<slug:slug>/judging"

urlpatterns: list[URLPattern] = [
    path(f"{JUDGING}/agreement/", judging_quality.agreement_page, name="judging-agreement"),
    path(f"{JUDGING}/agreement.csv", judging_quality.agreement_table, name="judging-agreement-csv"),
    path(f"{JUDGING}/boards.csv", judging_quality.boards_table, name="judging-boards-csv"),
    path(f"{JUDGING}/pool.csv", judging_pool.pool_table, name="judging-pool-csv"),
    path(f"{JUDGING}/pool.prels", judging_pool.pool_prels_file, name="judging-pool-prels"),
]
