"""Versions of the qrels, and rescoring."""

from django.urls import path

from scoring.qrels import views

urlpatterns = [
    path(
        "campaigns/<slug:slug>/qrels/<int:old>-<int:new>/",
        views.qrels_diff,
        name="qrels-diff",
    ),
    path(
        "campaigns/<slug:slug>/qrels/<int:old>-<int:new>.csv",
        views.qrels_diff_csv,
        name="qrels-diff-csv",
    ),
    path("campaigns/<slug:slug>/manage/rescoring/", views.rescoring, name="rescoring"),
]
