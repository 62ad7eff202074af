"""Judging plans and the progress of judging, for organisers only."""

from django.urls import URLPattern, path
from django.views.generic import RedirectView

from scoring.judging import plan_views, views
from scoring.judging.plan_tables import FORECASTS, SIMULATIONS

HERE = "campaigns/<slug:slug>/judging"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", views.judging_page, name="judging"),
    path(f"{HERE}.csv", views.judging_csv, name="judging-csv"),
    path(f"{HERE}/topics.csv", views.topics_csv, name="judging-topics-csv"),
    path(f"{HERE}/plan/", plan_views.plan_page, name="judging-plan"),
    path(f"{HERE}/plan/<str:act>/", plan_views.plan_act, name="judging-plan-act"),
    *(
        path(
            f"{HERE}/plan/{table}.csv",
            plan_views.plan_table,
            {"table": table},
            name=f"judging-plan-{table}-csv",
        )
        for table in (*FORECASTS, *SIMULATIONS)
    ),
    path(
        f"{HERE}/plan/replay.csv",  # the address of before
        RedirectView.as_view(
            pattern_name="scoring:judging-plan-simulation-csv", permanent=True, query_string=True
        ),
    ),
]
