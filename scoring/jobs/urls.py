"""Health checks and metrics, for operators."""

from django.urls import path

from scoring.jobs import health_views

urlpatterns = [
    path("healthz", health_views.healthz, name="healthz"),
    path("metrics", health_views.metrics, name="metrics"),
]
