"""Judging plans and the progress of judging, for organisers only."""

from django.urls import URLPattern, path
from django.views.generic import RedirectView

from scoring.judging import plan_table_views, plan_views, views

HERE = "campaigns/<slug:slug>/judging"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.judging_page, name="judging"),
    *views.RUNS.paths(HERE),
    *views.TOPICS_OF_PLAN.paths(f"{HERE}/topics"),
    path(f"{HERE}/plan/", plan_views.plan_page, name="judging-plan"),
    path(f"{HERE}/plan/<str:act>/", plan_views.plan_act, name="judging-plan-act"),
    *(
        url
        for name, table in plan_table_views.TABLES.items()
        for url in table.paths(f"{HERE}/plan/{name}")
    ),
    path(
        f"{HERE}/plan/replay.csv",  # the URL of before
        RedirectView.as_view(
            pattern_name="scoring:judging-plan-simulation-csv", permanent=True, query_string=True
        ),
    ),
]
api_urlpatterns = [
    views.RUNS.api_path(f"{HERE}/runs"),
    views.TOPICS_OF_PLAN.api_path(f"{HERE}/topics"),
    *(table.api_path(f"{HERE}/plan/{name}") for name, table in plan_table_views.TABLES.items()),
]
