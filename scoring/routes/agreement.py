"""Agreement of measures, and of qrels versions, on the order of the runs."""

from django.urls import path

from scoring.views import agreement

HERE = "campaigns/<slug:slug>/agreement"

urlpatterns = [
    path(f"{HERE}/", agreement.agreement_page, name="agreement"),
    path(f"{HERE}.csv", agreement.agreement_rows, name="agreement-csv"),
    path(f"{HERE}.tex", agreement.agreement_tex, name="agreement-latex"),
    path(f"{HERE}/runs.csv", agreement.orderings_rows, name="agreement-runs-csv"),
    path(f"{HERE}/runs.tex", agreement.orderings_tex, name="agreement-runs-latex"),
    path(f"{HERE}/swaps.csv", agreement.swapped_rows, name="agreement-swaps-csv"),
]
