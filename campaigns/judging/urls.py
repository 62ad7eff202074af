"""Judging by assessors, and the texts that they read."""

from django.urls import path

from campaigns.judging import document_views, views

_JUDGING = "campaigns/<slug:slug>/judging/documents/"
urlpatterns = [
    path("campaigns/<slug:slug>/assess/", views.assess, name="assess"),
    path("campaigns/<slug:slug>/assess/<path:code>/", views.assess_topic, name="assess-topic"),
    # Not below assess/: a topic's code may hold any word, and strokes too.
    path("campaigns/<slug:slug>/assessed/<path:code>/", views.assessed, name="assessed"),
    path(_JUDGING, document_views.documents, name="documents"),
    path(f"{_JUDGING}address/", document_views.documents_address, name="documents-address"),
    path(f"{_JUDGING}remove/", document_views.documents_remove, name="documents-remove"),
]
