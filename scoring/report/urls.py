"""The report: figures and tables of the RBP paper for a campaign."""

from django.urls import path

from scoring.report import views

HERE = "campaigns/<slug:slug>/report"

urlpatterns = [
    path(f"{HERE}/", views.report_page, name="report"),
    *views.AGREEMENT.paths(f"{HERE}/agreement"),
    *views.BOUNDS.paths(f"{HERE}/bounds"),
]
api_urlpatterns = [
    views.AGREEMENT.api_path(f"{HERE}/agreement"),
    views.BOUNDS.api_path(f"{HERE}/bounds"),
]
