"""URLs of the pages of a campaign."""

from django.urls import path
from django.views.generic import RedirectView

from campaigns.manage import (
    archiving_views,
    baselines_views,
    campaign_views,
    log_views,
    pooling_views,
    qrels_views,
    upload_views,
    views,
    visibility_views,
)

OLD_VISIBILITY = RedirectView.as_view(
    pattern_name="campaigns:visibility", permanent=True, query_string=True
)

urlpatterns = [
    path("", campaign_views.campaign_list, name="campaign-list"),
    path("campaigns/new/", campaign_views.campaign_create, name="campaign-create"),
    path("campaigns/<slug:slug>/", campaign_views.campaign_detail, name="campaign-detail"),
    path("campaigns/<slug:slug>/dates.ics", campaign_views.campaign_dates, name="campaign-dates"),
    path("campaigns/<slug:slug>/manage/", views.campaign_manage, name="campaign-manage"),
    path("campaigns/<slug:slug>/manage/settings/", views.campaign_edit, name="campaign-edit"),
    path(
        "campaigns/<slug:slug>/manage/steps/<str:step>/",
        views.campaign_step,
        name="campaign-step",
    ),
    path(
        "campaigns/<slug:slug>/manage/visibility/", visibility_views.visibility, name="visibility"
    ),
    path("campaigns/<slug:slug>/manage/showing/", OLD_VISIBILITY),
    path("campaigns/<slug:slug>/manage/topics/", qrels_views.topics_add, name="topics-add"),
    path(
        "campaigns/<slug:slug>/manage/topics/remove/",
        qrels_views.topics_remove,
        name="topics-remove",
    ),
    path("campaigns/<slug:slug>/manage/qrels/", qrels_views.qrels_add, name="qrels-add"),
    path(
        "campaigns/<slug:slug>/manage/qrels/<int:version>/activate/",
        qrels_views.qrels_activate,
        name="qrels-activate",
    ),
    path(
        "campaigns/<slug:slug>/manage/qrels/freeze/",
        qrels_views.qrels_freeze,
        name="qrels-freeze",
    ),
    path(
        "campaigns/<slug:slug>/manage/uploads/<str:upload>/",
        upload_views.upload_page,
        name="upload",
    ),
    path(
        "campaigns/<slug:slug>/manage/uploads/<str:upload>/confirm/",
        upload_views.upload_confirm,
        name="upload-confirm",
    ),
    path(
        "campaigns/<slug:slug>/manage/uploads/<str:upload>/discard/",
        upload_views.upload_discard,
        name="upload-discard",
    ),
    path("campaigns/<slug:slug>/manage/copy/", archiving_views.campaign_copy, name="campaign-copy"),
    path(
        "campaigns/<slug:slug>/manage/archive/",
        archiving_views.campaign_archive,
        name="campaign-archive",
    ),
    path(
        "campaigns/<slug:slug>/manage/delete/",
        archiving_views.campaign_delete,
        name="campaign-delete",
    ),
    path("campaigns/<slug:slug>/manage/baselines/", baselines_views.baselines, name="baselines"),
    path(
        "campaigns/<slug:slug>/manage/pooled-runs/", pooling_views.pooled_runs, name="pooled-runs"
    ),
    path("campaigns/<slug:slug>/manage/log/", log_views.log_page, name="log"),
    path("campaigns/<slug:slug>/manage/log.csv", log_views.log_csv, name="log-csv"),
]
