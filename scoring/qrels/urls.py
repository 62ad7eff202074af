"""Versions of the qrels, scoring anew, and the queue."""

from django.urls import path

from scoring.views import qrels, queue

urlpatterns = [
    path(
        "campaigns/<slug:slug>/qrels/<int:old>-<int:new>/",
        qrels.qrels_diff,
        name="qrels-diff",
    ),
    path(
        "campaigns/<slug:slug>/qrels/<int:old>-<int:new>.csv",
        qrels.qrels_diff_csv,
        name="qrels-diff-csv",
    ),
    path("campaigns/<slug:slug>/manage/rescoring/", qrels.rescoring, name="rescoring"),
    path("campaigns/<slug:slug>/manage/queue/", queue.queue, name="queue"),
    path("campaigns/<slug:slug>/manage/queue/retry/", queue.queue_retry, name="queue-retry"),
    path("campaigns/<slug:slug>/manage/queue/<int:job>/retry/", queue.job_retry, name="job-retry"),
]
