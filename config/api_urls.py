"""Addresses for scripts, under /api/. Where reading and writing share one, each is a view."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from campaigns.api import campaigns, people, qrels, topics
from campaigns.api import runs as handing_in
from campaigns.api.by_method import by_method
from scoring.api import boards, runs, scores, snapshots

HERE = "campaigns/<slug:slug>"
RUN = f"{HERE}/runs/<str:public_id>"

every_campaign = by_method(GET=campaigns.campaign_list, POST=campaigns.campaign_create)
one_campaign = by_method(GET=campaigns.campaign_detail, PATCH=campaigns.campaign_change)
every_topic = by_method(GET=topics.topic_list, POST=topics.topics_add)
one_topic = by_method(GET=topics.topic_detail, DELETE=topics.topic_remove)
every_version = by_method(GET=qrels.qrels_list, POST=qrels.qrels_add)
one_version = by_method(GET=qrels.qrels_file, POST=qrels.qrels_activate)
every_run = by_method(GET=handing_in.run_list, POST=handing_in.run_create)
every_snapshot = by_method(GET=snapshots.snapshot_list, POST=snapshots.snapshot_take)

app_name = "api"
urlpatterns = [
    path("campaigns/", every_campaign, name="campaign-list"),
    path(f"{HERE}/", one_campaign, name="campaign-detail"),
    path(f"{HERE}/steps/<str:step>/", campaigns.campaign_step, name="campaign-step"),
    path(f"{HERE}/topics/", every_topic, name="topic-list"),
    path(f"{HERE}/topics/<path:code>/", one_topic, name="topic-detail"),
    path(f"{HERE}/qrels/", every_version, name="qrels-list"),
    path(f"{HERE}/qrels/<int:version>/", one_version, name="qrels-file"),
    path(f"{HERE}/teams/", people.team_list, name="team-list"),
    path(f"{HERE}/runs/", every_run, name="run-create"),
    path(f"{RUN}/", runs.run_detail, name="run-detail"),
    path(f"{RUN}/accept/", handing_in.run_accept, name="run-accept"),
    path(f"{RUN}/withdraw/", handing_in.run_withdraw, name="run-withdraw"),
    path(f"{RUN}/file/", handing_in.run_file, name="run-file"),
    path(f"{HERE}/leaderboard/", boards.leaderboard_rows, name="leaderboard"),
    path(f"{HERE}/scores/", scores.score_rows, name="scores"),
    path(f"{HERE}/snapshots/", every_snapshot, name="snapshot-list"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path(
        "docs/",
        SpectacularSwaggerSplitView.as_view(url_name="api:schema", template_name="api_docs.html"),
        name="docs",
    ),
]
