"""Topics, and the scores of the runs on them."""

from django.urls import path

from scoring.output.responses import table_paths
from scoring.topics import views

HERE = "campaigns/<slug:slug>"

urlpatterns = [
    path(f"{HERE}/topics/", views.topic_list, name="topic-list"),
    *table_paths(f"{HERE}/topics", views.topics_rows, "topics"),
    # The code of a topic is any text without spaces, and may contain "/".
    *table_paths(f"{HERE}/topics/<path:code>", views.runs_on_topic, "topic"),
    path(f"{HERE}/topics/<path:code>/", views.topic_detail, name="topic-detail"),
    path(f"{HERE}/topic-matrix.csv", views.matrix_csv, name="topic-matrix-csv"),
]
