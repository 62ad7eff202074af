"""Versions of the qrels, rescoring, and the queue."""

from django.urls import path

from scoring.qrels import queue_views, views

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
    path("campaigns/<slug:slug>/manage/queue/", queue_views.queue, name="queue"),
    path("campaigns/<slug:slug>/manage/queue/retry/", queue_views.queue_retry, name="queue-retry"),
    path(
        "campaigns/<slug:slug>/manage/queue/<int:job>/retry/",
        queue_views.job_retry,
        name="job-retry",
    ),
]
