"""Agreement of measures, and of qrels versions, on the order of the runs."""

from django.urls import path

from scoring.agreement import views

HERE = "campaigns/<slug:slug>/agreement"

urlpatterns = [
    path(f"{HERE}/", views.agreement_page, name="agreement"),
    *views.STATISTICS_OF_PAIRS.paths(HERE),
    *views.ORDERINGS.paths(f"{HERE}/runs"),
    *views.SWAPS.paths(f"{HERE}/swaps"),
]
api_urlpatterns = [
    views.STATISTICS_OF_PAIRS.api_path(HERE),
    views.ORDERINGS.api_path(f"{HERE}/runs"),
    views.SWAPS.api_path(f"{HERE}/swaps"),
]
