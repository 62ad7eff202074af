from django.urls import path

from campaigns.views import account, campaigns, manage, people, runs

app_name = "campaigns"
urlpatterns = [
    path("", campaigns.campaign_list, name="campaign-list"),
    path("campaigns/new/", campaigns.campaign_create, name="campaign-create"),
    path("campaigns/<slug:slug>/", campaigns.campaign_detail, name="campaign-detail"),
    path("campaigns/<slug:slug>/topics.xml", campaigns.topics_file, name="topics-file"),
    path("campaigns/<slug:slug>/submit/", runs.run_create, name="run-create"),
    path("campaigns/<slug:slug>/runs/", runs.run_list, name="run-list"),
    path(
        "campaigns/<slug:slug>/runs/<str:public_id>/withdraw/",
        runs.run_withdraw,
        name="run-withdraw",
    ),
    path("campaigns/<slug:slug>/team/", people.team, name="team"),
    path("campaigns/<slug:slug>/team/invite/", people.team_invite, name="team-invite"),
    path("campaigns/<slug:slug>/manage/", manage.campaign_manage, name="campaign-manage"),
    path("campaigns/<slug:slug>/manage/settings/", manage.campaign_edit, name="campaign-edit"),
    path("campaigns/<slug:slug>/manage/topics/", manage.topics_add, name="topics-add"),
    path("campaigns/<slug:slug>/manage/qrels/", manage.qrels_add, name="qrels-add"),
    path(
        "campaigns/<slug:slug>/manage/organisers/", people.organiser_invite, name="organiser-invite"
    ),
    path("campaigns/<slug:slug>/manage/<str:step>/", manage.campaign_step, name="campaign-step"),
    path("account/", account.account, name="account"),
    path("account/tokens/", account.token_create, name="token-create"),
    path("account/tokens/<str:key>/revoke/", account.token_revoke, name="token-revoke"),
    path("invitations/<str:token>/", people.invitation, name="invitation"),
]
