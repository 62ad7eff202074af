"""Judging by assessors, and the texts that they read."""

from django.urls import path

from campaigns.views import assessing, documents

_JUDGING = "campaigns/<slug:slug>/judging/documents/"
urlpatterns = [
    path("campaigns/<slug:slug>/assess/", assessing.assess, name="assess"),
    path("campaigns/<slug:slug>/assess/<path:code>/", assessing.assess_topic, name="assess-topic"),
    # Not below assess/: a topic's code may hold any word, and strokes too.
    path("campaigns/<slug:slug>/assessed/<path:code>/", assessing.assessed, name="assessed"),
    path(_JUDGING, documents.documents, name="documents"),
    path(f"{_JUDGING}address/", documents.documents_address, name="documents-address"),
    path(f"{_JUDGING}remove/", documents.documents_remove, name="documents-remove"),
]
