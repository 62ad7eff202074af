"""Agreement of measures, and of qrels versions, on the order of the runs."""

from django.urls import path

from scoring.agreement import views
from scoring.output.responses import table_paths

HERE = "campaigns/<slug:slug>/agreement"

urlpatterns = [
    path(f"{HERE}/", views.agreement_page, name="agreement"),
    *table_paths(HERE, views.agreement_rows, "agreement"),
    *table_paths(f"{HERE}/runs", views.orderings_rows, "agreement-runs"),
    path(f"{HERE}/swaps.csv", views.swapped_rows, name="agreement-swaps-csv"),
]
