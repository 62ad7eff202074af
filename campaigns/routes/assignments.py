"""Topics and qrels."""

from django.urls import path

from campaigns.views import assignments

urlpatterns = [
    path("campaigns/<slug:slug>/topics.xml", assignments.topics_file, name="topics-file"),
    path("campaigns/<slug:slug>/manage/topics/", assignments.topics_add, name="topics-add"),
    path(
        "campaigns/<slug:slug>/manage/topics/remove/",
        assignments.topics_remove,
        name="topics-remove",
    ),
    path(
        "campaigns/<slug:slug>/qrels/<int:version>.txt", assignments.qrels_file, name="qrels-file"
    ),
    path("campaigns/<slug:slug>/manage/qrels/", assignments.qrels_add, name="qrels-add"),
    path(
        "campaigns/<slug:slug>/manage/qrels/<int:version>/activate/",
        assignments.qrels_activate,
        name="qrels-activate",
    ),
    path(
        "campaigns/<slug:slug>/manage/qrels/freeze/",
        assignments.qrels_freeze,
        name="qrels-freeze",
    ),
]
