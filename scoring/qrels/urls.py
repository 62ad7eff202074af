"""Versions of the qrels, and rescoring."""

from django.urls import path

from scoring.qrels import views

HERE = "campaigns/<slug:slug>"
TWO_VERSIONS = f"{HERE}/qrels/<int:old>-<int:new>"

urlpatterns = [
    path(f"{TWO_VERSIONS}/", views.qrels_diff, name="qrels-diff"),
    *views.FILES.paths(TWO_VERSIONS),
    path(f"{HERE}/manage/rescoring/", views.rescoring, name="rescoring"),
]
api_urlpatterns = [
    views.CHANGES.api_path(f"{TWO_VERSIONS}/judgments"),
    views.MOVES.api_path(f"{TWO_VERSIONS}/runs"),
]
