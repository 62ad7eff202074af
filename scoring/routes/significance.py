"""Which runs can be told apart."""

from django.urls import URLPattern, path

from scoring.views import significance

HERE = "campaigns/<slug:slug>/significance"

urlpatterns: list[URLPattern] = [
    path(f"{HERE}/", significance.significance_page, name="significance"),
    path(f"{HERE}.csv", significance.significance_csv, name="significance-csv"),
    path(f"{HERE}.tex", significance.significance_tex, name="significance-latex"),
    path(f"{HERE}/counts/", significance.counts_page, name="significance-counts"),
    path(f"{HERE}/counts.csv", significance.counts_table, name="significance-counts-csv"),
    path(f"{HERE}/counts.tex", significance.counts_tex, name="significance-counts-latex"),
]
