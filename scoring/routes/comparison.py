"""Two runs side by side."""

from django.urls import path

from scoring.views import comparison

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/compare/", comparison.compare_page, name="compare"),
    path(f"{HERE}/compare.csv", comparison.compare_csv, name="compare-csv"),
    path(f"{HERE}/compare.tex", comparison.compare_tex, name="compare-latex"),
]
