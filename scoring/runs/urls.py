"""One run: its scores, curves and documents."""

from django.urls import path

from scoring.output.responses import table_paths
from scoring.runs import curve_views, document_views, trial_views, views

RUN = "campaigns/<slug:slug>/runs/<str:public_id>"

urlpatterns = [
    path("campaigns/<slug:slug>/try/", trial_views.run_trial, name="run-trial"),
    path(f"{RUN}/", views.run_detail, name="run-detail"),
    path(f"{RUN}/status/", views.run_status, name="run-status"),
    *table_paths(f"{RUN}/scores", views.run_rows, "run"),
    path(f"{RUN}/curves/", curve_views.curves_page, name="run-curves"),
    *(
        path(
            f"{RUN}/curves/{curve}.csv",
            curve_views.curve_csv,
            {"curve": curve},
            name=f"run-{curve}-csv",
        )
        for curve in curve_views.TABLES
    ),
    path(f"{RUN}/documents/", document_views.documents_page, name="run-documents"),
    path(f"{RUN}/documents.csv", document_views.documents_csv, name="run-documents-csv"),
    path(f"{RUN}/documents/unjudged/", document_views.unjudged_page, name="run-unjudged"),
    path(f"{RUN}/documents/unjudged.csv", document_views.unjudged_csv, name="run-unjudged-csv"),
    path(f"{RUN}/documents/unique/", document_views.unique_page, name="run-unique"),
    path(f"{RUN}/documents/unique.csv", document_views.unique_csv, name="run-unique-csv"),
    path(
        f"{RUN}/documents/unique-runs.csv",
        document_views.unique_runs_csv,
        name="run-unique-runs-csv",
    ),
]
