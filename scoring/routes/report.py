"""The figures and tables of the RBP paper, for this campaign."""

from django.urls import path

from scoring.views import report

HERE = "campaigns/<slug:slug>/report"

urlpatterns = [
    path(f"{HERE}/", report.report_page, name="report"),
    path(f"{HERE}/agreement.csv", report.agreement_table, name="report-agreement-csv"),
    path(f"{HERE}/agreement.tex", report.agreement_tex, name="report-agreement-latex"),
    path(f"{HERE}/bounds.csv", report.bounds_table, name="report-bounds-csv"),
]
