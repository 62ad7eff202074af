"""A campaign's own pages: what it is, what it shows, and when."""

from django.urls import path

from campaigns.views import archiving, campaigns, log, manage, showing

urlpatterns = [
    path("", campaigns.campaign_list, name="campaign-list"),
    path("campaigns/new/", campaigns.campaign_create, name="campaign-create"),
    path("campaigns/<slug:slug>/", campaigns.campaign_detail, name="campaign-detail"),
    path("campaigns/<slug:slug>/manage/", manage.campaign_manage, name="campaign-manage"),
    path("campaigns/<slug:slug>/manage/settings/", manage.campaign_edit, name="campaign-edit"),
    path(
        "campaigns/<slug:slug>/manage/steps/<str:step>/",
        manage.campaign_step,
        name="campaign-step",
    ),
    path("campaigns/<slug:slug>/manage/showing/", showing.showing_edit, name="showing-edit"),
    path("campaigns/<slug:slug>/manage/copy/", archiving.campaign_copy, name="campaign-copy"),
    path(
        "campaigns/<slug:slug>/manage/archive/",
        archiving.campaign_archive,
        name="campaign-archive",
    ),
    path("campaigns/<slug:slug>/manage/delete/", archiving.campaign_delete, name="campaign-delete"),
    path("campaigns/<slug:slug>/manage/log/", log.log_page, name="log"),
    path("campaigns/<slug:slug>/manage/log.csv", log.log_csv, name="log-csv"),
]
