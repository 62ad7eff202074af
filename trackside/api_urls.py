"""URLs of the API, under /api/. If several methods share a URL, each is a view."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from campaigns.api.endpoints import BaseView, UnknownURL, by_method
from campaigns.judging import programs_api
from campaigns.manage import api as campaigns
from campaigns.manage import archiving_api, baselines_api, pooling_api
from campaigns.people import announcements_api, invitations_api
from campaigns.people import api as teams
from campaigns.qrels import api as qrels
from campaigns.qrels import topics_api, uploads_api
from campaigns.runs import api as handing_in
from campaigns.runs import decisions_api
from scoring.agreement import urls as agreement
from scoring.assessors import urls as assessors
from scoring.comparison import urls as comparison
from scoring.downloads import api as scores
from scoring.downloads import snapshots_api
from scoring.estimates import urls as estimates
from scoring.judging import urls as plan_tables
from scoring.leaderboard import api as boards
from scoring.measures import urls as measures
from scoring.pools import urls as pools
from scoring.pools import views as pool_tables
from scoring.qrels import urls as qrels_versions
from scoring.ranks import urls as ranks
from scoring.report import urls as report
from scoring.runs import api as runs
from scoring.runs import trial_api
from scoring.runs import urls as run_tables
from scoring.significance import urls as significance
from scoring.topics import urls as topic_scores

HERE = "campaigns/<slug:slug>"
RUN = f"{HERE}/runs/<str:public_id>"
TEAM = f"{HERE}/teams/<str:team>"
PARTS = "topics|runs|leaderboard|scores|snapshots|qrels|teams|announcements|judging|uploads"

every_campaign = by_method(GET=campaigns.campaign_list, POST=campaigns.campaign_create)
one_campaign = by_method(
    GET=campaigns.campaign_detail,
    PATCH=campaigns.campaign_change,
    DELETE=archiving_api.campaign_delete,
)
every_topic = by_method(GET=topics_api.topic_list, POST=topics_api.topics_add)
one_topic = by_method(GET=topics_api.topic_detail, DELETE=topics_api.topic_remove)
every_version = by_method(GET=qrels.qrels_list, POST=qrels.qrels_add)
one_version = by_method(GET=qrels.qrels_file, POST=qrels.qrels_activate)
one_upload = by_method(GET=uploads_api.upload_detail, DELETE=uploads_api.upload_delete)
every_team = by_method(GET=teams.team_list, POST=invitations_api.team_create)
every_run = by_method(GET=handing_in.run_list, POST=handing_in.run_create)
the_pool = by_method(GET=pool_tables.RUNS_AT_DEPTH.endpoint(), PATCH=pooling_api.pool_state)
baseline_mark = by_method(
    POST=baselines_api.run_mark_baseline, DELETE=baselines_api.run_unmark_baseline
)
every_snapshot = by_method(GET=snapshots_api.snapshot_list, POST=snapshots_api.snapshot_take)
every_announcement = by_method(
    GET=announcements_api.announcement_list, POST=announcements_api.announcement_create
)
one_announcement = by_method(
    PUT=announcements_api.announcement_change, DELETE=announcements_api.announcement_delete
)


class Schema(BaseView, SpectacularAPIView):
    """The OpenAPI schema of the API."""

    custom_settings = {
        "DESCRIPTION": "Requests without a token see what the public sees. An object that you may "
        "not see and an object that does not exist give the same 404. Every error has a `code` for "
        "programs and a `message` for people. Invalid fields are listed in `fields`, each with its "
        "own code. An unknown field is an error too.",
        # Operations are grouped by the word that follows the URL of the campaign.
        "SCHEMA_PATH_PREFIX": rf"/api/(?:campaigns/{{slug}}/(?=(?:{PARTS})/))?",
    }


class Docs(BaseView, SpectacularSwaggerSplitView):
    """The API documentation for people."""


app_name = "api"
urlpatterns = [
    *measures.api_urlpatterns,
    path("campaigns/", every_campaign, name="campaign-list"),
    path(f"{HERE}/", one_campaign, name="campaign-detail"),
    path(f"{HERE}/steps/<str:step>/", campaigns.campaign_step, name="campaign-step"),
    path(f"{HERE}/copy/", archiving_api.campaign_copy, name="campaign-copy"),
    path(f"{HERE}/archive/", archiving_api.campaign_archive, name="campaign-archive"),
    path(f"{HERE}/unarchive/", archiving_api.campaign_unarchive, name="campaign-unarchive"),
    path(f"{HERE}/announcements/", every_announcement, name="announcement-list"),
    path(f"{HERE}/announcements/<int:announcement>/", one_announcement, name="announcement-detail"),
    path(f"{HERE}/topics/", every_topic, name="topic-list"),
    path(f"{HERE}/topics/<path:code>/", one_topic, name="topic-detail"),
    path(f"{HERE}/qrels/", every_version, name="qrels-list"),
    path(f"{HERE}/qrels/freeze/", qrels.qrels_freeze, name="qrels-freeze"),
    path(f"{HERE}/qrels/<int:version>/", one_version, name="qrels-file"),
    path(f"{HERE}/uploads/<str:upload>/", one_upload, name="upload-detail"),
    path(
        f"{HERE}/uploads/<str:upload>/confirm/", uploads_api.upload_confirm, name="upload-confirm"
    ),
    path(f"{HERE}/judging/next/", programs_api.judging_next, name="judging-next"),
    path(f"{HERE}/judging/judgments/", programs_api.judging_grades, name="judging-grades"),
    path(f"{HERE}/judging/progress/", programs_api.judging_progress, name="judging-progress"),
    *plan_tables.api_urlpatterns,
    *assessors.api_urlpatterns,
    path(f"{HERE}/teams/", every_team, name="team-list"),
    path(f"{HERE}/invitations/", invitations_api.invitation_create, name="invitation-create"),
    path(f"{TEAM}/invitations/", invitations_api.team_invite, name="team-invite"),
    path(f"{TEAM}/approve/", teams.team_approve, name="team-approve"),
    path(f"{TEAM}/decline/", teams.team_decline, name="team-decline"),
    path(f"{TEAM}/admit/", teams.team_admit, name="team-admit"),
    path(f"{TEAM}/revoke-admission/", teams.team_revoke_admission, name="team-revoke-admission"),
    path(f"{TEAM}/merge/", teams.team_merge, name="team-merge"),
    path(f"{TEAM}/rename/", teams.team_rename, name="team-rename"),
    path(f"{TEAM}/disqualify/", teams.team_disqualify, name="team-disqualify"),
    path(f"{TEAM}/reinstate/", teams.team_reinstate, name="team-reinstate"),
    path(f"{HERE}/runs/", every_run, name="run-create"),
    path(f"{HERE}/runs/try/", trial_api.run_trial, name="run-trial"),
    path(f"{RUN}/", runs.run_detail, name="run-detail"),
    path(f"{RUN}/accept/", decisions_api.run_accept, name="run-accept"),
    path(f"{RUN}/rename/", decisions_api.run_rename, name="run-rename"),
    path(f"{RUN}/withdraw/", decisions_api.run_withdraw, name="run-withdraw"),
    path(f"{RUN}/disqualify/", decisions_api.run_disqualify, name="run-disqualify"),
    path(f"{RUN}/reinstate/", decisions_api.run_reinstate, name="run-reinstate"),
    path(f"{RUN}/baseline/", baseline_mark, name="run-baseline"),
    path(f"{RUN}/file/", handing_in.run_file, name="run-file"),
    path(f"{HERE}/leaderboard/", boards.leaderboard_rows, name="leaderboard"),
    path(f"{HERE}/scores/", scores.score_rows, name="scores"),
    *topic_scores.api_urlpatterns,
    *run_tables.api_urlpatterns,
    *agreement.api_urlpatterns,
    *significance.api_urlpatterns,
    *estimates.api_urlpatterns,
    *ranks.api_urlpatterns,
    *comparison.api_urlpatterns,
    path(f"{HERE}/pool/", the_pool, name="pool"),
    *pools.api_urlpatterns,
    *report.api_urlpatterns,
    *qrels_versions.api_urlpatterns,
    path(f"{HERE}/snapshots/", every_snapshot, name="snapshot-list"),
    path("schema/", Schema.as_view(), name="schema"),
    path(
        "docs/",
        Docs.as_view(url_name="api:schema", template_name="api_docs.html"),
        name="docs",
    ),
    # A URL without a trailing slash is tried with one first.
    re_path(r"^(?:.*/)?$", UnknownURL.as_view(), name="nothing"),
]
