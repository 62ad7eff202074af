"""Plans of judging, and how far judging has come: organisers only."""

from django.urls import URLPattern, path

from scoring.judging import plan_views, views
from scoring.judging.plan_tables import FORECASTS, REPLAYS

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
        for table in (*FORECASTS, *REPLAYS)
    ),
]
