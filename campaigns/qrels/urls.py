"""URLs of topics and qrels as files."""

from django.urls import path

from campaigns.qrels import views

urlpatterns = [
    path("campaigns/<slug:slug>/topics.xml", views.topics_file, name="topics-file"),
    path("campaigns/<slug:slug>/qrels/<int:version>.txt", views.qrels_file, name="qrels-file"),
]
