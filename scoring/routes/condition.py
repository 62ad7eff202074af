"""For those who run the site."""

from django.urls import path

from scoring.views import condition

urlpatterns = [
    path("healthz", condition.healthz, name="healthz"),
    path("metrics", condition.metrics, name="metrics"),
]
