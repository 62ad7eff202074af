"""The report: figures and tables of the RBP paper for a campaign."""

from django.urls import path

from scoring.output.responses import table_paths
from scoring.report import views

HERE = "campaigns/<slug:slug>/report"

urlpatterns = [
    path(f"{HERE}/", views.report_page, name="report"),
    *table_paths(f"{HERE}/agreement", views.agreement_rows, "report-agreement"),
    path(f"{HERE}/bounds.csv", views.bounds_rows, name="report-bounds-csv"),
]
