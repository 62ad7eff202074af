"""The organisers' queue."""

from django.urls import path

from scoring.queue import views

HERE = "campaigns/<slug:slug>/manage/queue"

urlpatterns = [
    path(f"{HERE}/", views.queue, name="queue"),
    path(f"{HERE}/retry/", views.queue_retry, name="queue-retry"),
    path(f"{HERE}/<int:job>/retry/", views.job_retry, name="job-retry"),
]
