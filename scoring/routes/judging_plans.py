"""Plans of judging, and how far judging has come: organisers only."""

from django.urls import URLPattern, path

from scoring.plan_tables import HEADS
from scoring.views import judging, judging_plans

HERE = "campaigns/<slug:slug>/judging"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", judging.judging_page, name="judging"),
    path(f"{HERE}.csv", judging.judging_csv, name="judging-csv"),
    path(f"{HERE}/topics.csv", judging.topics_csv, name="judging-topics-csv"),
    path(f"{HERE}/plan/", judging_plans.plan_page, name="judging-plan"),
    path(f"{HERE}/plan/<str:act>/", judging_plans.plan_act, name="judging-plan-act"),
    *(
        path(
            f"{HERE}/plan/{table}.csv",
            judging_plans.plan_table,
            {"table": table},
            name=f"judging-plan-{table}-csv",
        )
        for table in HEADS
    ),
]
