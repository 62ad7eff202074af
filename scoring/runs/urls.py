"""The list of runs as files, and one run: its scores, curves and documents."""

from django.urls import path

from scoring.output.responses import table_paths
from scoring.output.result_view import ResultView
from scoring.runs import curve_views, document_views, trial_views, views
from scoring.runs.curve_views import CURVES
from scoring.runs.listed_runs import listed_runs_file

RUN = "campaigns/<slug:slug>/runs/<str:public_id>"


def curve_route(view: ResultView) -> str:
    return f"{RUN}/curves/{view.name.removeprefix('run-')}"


urlpatterns = [
    path("campaigns/<slug:slug>/try/", trial_views.run_trial, name="run-trial"),
    *table_paths("campaigns/<slug:slug>/runs", listed_runs_file, "runs"),
    path(f"{RUN}/", views.run_detail, name="run-detail"),
    path(f"{RUN}/status/", views.run_status, name="run-status"),
    *table_paths(f"{RUN}/scores", views.run_rows, "run"),
    path(f"{RUN}/curves/", curve_views.curves_page, name="run-curves"),
    *(path for view in CURVES for path in view.paths(curve_route(view))),
    path(f"{RUN}/documents/", document_views.documents_page, name="run-documents"),
    *document_views.RANKING.paths(f"{RUN}/documents"),
    path(f"{RUN}/documents/unjudged/", document_views.unjudged_page, name="run-unjudged"),
    *document_views.UNJUDGED.paths(f"{RUN}/documents/unjudged"),
    path(f"{RUN}/documents/unique/", document_views.unique_page, name="run-unique"),
    *document_views.UNIQUE.paths(f"{RUN}/documents/unique"),
    *document_views.UNIQUE_RUNS.paths(f"{RUN}/documents/unique-runs"),
]
api_urlpatterns = [
    *(view.api_path(curve_route(view)) for view in CURVES),
    document_views.RANKING.api_path(f"{RUN}/documents"),
    document_views.UNJUDGED.api_path(f"{RUN}/documents/unjudged"),
    document_views.UNIQUE.api_path(f"{RUN}/documents/unique"),
    document_views.UNIQUE_RUNS.api_path(f"{RUN}/documents/unique-runs"),
]
