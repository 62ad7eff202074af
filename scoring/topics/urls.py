"""Topics, and the scores of the runs on them."""

from django.urls import path

from scoring.topics import views

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/topics/", views.topic_list, name="topic-list"),
    *views.MEANS.paths(f"{HERE}/topics"),
    # The code of a topic is any text without spaces, and may contain "/".
    *views.RUNS_ON_TOPIC.paths(f"{HERE}/topics/<path:code>"),
    path(f"{HERE}/topics/<path:code>/", views.topic_detail, name="topic-detail"),
    *views.MATRIX.paths(f"{HERE}/topic-matrix"),
]
api_urlpatterns = [
    views.MEANS.api_path(f"{HERE}/topic-means"),
    views.RUNS_ON_TOPIC.api_path(f"{HERE}/topic-means/<path:code>"),
    views.MATRIX.api_path(f"{HERE}/topic-matrix"),
]
