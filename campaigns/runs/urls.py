"""Pages to submit runs, to list them and to decide about them."""

from django.urls import path

from campaigns.runs import description_views, list_views, views

_RUN = "campaigns/<slug:slug>/runs/<str:public_id>"
urlpatterns = [
    path("campaigns/<slug:slug>/submit/", views.run_create, name="run-create"),
    path("campaigns/<slug:slug>/runs/", list_views.run_list, name="run-list"),
    path(f"{_RUN}/accept/", views.run_accept, name="run-accept"),
    path(f"{_RUN}/rename/", views.run_rename, name="run-rename"),
    path(f"{_RUN}/withdraw/", views.run_withdraw, name="run-withdraw"),
    path(f"{_RUN}/disqualify/", views.run_disqualify, name="run-disqualify"),
    path(f"{_RUN}/file", list_views.run_file, name="run-file"),
    path("campaigns/<slug:slug>/manage/run-form/", description_views.run_form, name="run-form"),
]
