"""Handing runs in, and what a team and the organisers do with them."""

from django.urls import path

from campaigns.views import run_fields, run_list, runs

_RUN = "campaigns/<slug:slug>/runs/<str:public_id>"
urlpatterns = [
    path("campaigns/<slug:slug>/submit/", runs.run_create, name="run-create"),
    path("campaigns/<slug:slug>/runs/", run_list.run_list, name="run-list"),
    path("campaigns/<slug:slug>/runs.csv", run_list.runs_as_csv, name="runs-csv"),
    path(f"{_RUN}/accept/", runs.run_accept, name="run-accept"),
    path(f"{_RUN}/withdraw/", runs.run_withdraw, name="run-withdraw"),
    path(f"{_RUN}/disqualify/", runs.run_judge, name="run-judge"),
    path(f"{_RUN}/file", run_list.run_file, name="run-file"),
    path("campaigns/<slug:slug>/manage/run-form/", run_fields.run_form, name="run-form"),
]
