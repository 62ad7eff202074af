"""URLs of accounts, teams, roles, invitations and announcements."""

from django.urls import path

from campaigns.people import (
    account_views,
    announcement_views,
    demo_views,
    organiser_views,
    request_views,
    views,
)

OF_CAMPAIGN = "campaigns/<slug:slug>/"
MANAGE = OF_CAMPAIGN + "manage/"

urlpatterns = [
    path(OF_CAMPAIGN + "team/", views.team, name="team"),
    path(OF_CAMPAIGN + "team/invite/", views.team_invite, name="team-invite"),
    path(OF_CAMPAIGN + "team/edit/", views.team_edit, name="team-edit"),
    path(OF_CAMPAIGN + "team/leave/", views.team_leave, name="team-leave"),
    path(OF_CAMPAIGN + "team/terms/", views.terms_accept, name="terms-accept"),
    path(MANAGE + "people/", organiser_views.people_page, name="people"),
    path(MANAGE + "people/invite/<str:role>/", organiser_views.role_invite, name="role-invite"),
    path(MANAGE + "people/invite-by-email/", organiser_views.email_invite, name="email-invite"),
    path(
        MANAGE + "people/links/<int:invitation>/",
        organiser_views.invitation_link,
        name="invitation-link",
    ),
    path(
        MANAGE + "people/links/<int:invitation>/revoke/",
        organiser_views.invitation_revoke,
        name="invitation-revoke",
    ),
    path(
        MANAGE + "people/<int:membership>/remove/", organiser_views.role_remove, name="role-remove"
    ),
    path(MANAGE + "people/<int:membership>/team/", organiser_views.team_assign, name="team-assign"),
    path(MANAGE + "teams/", organiser_views.team_create, name="team-create"),
    path(MANAGE + "teams/<str:team>/link/", organiser_views.team_link, name="team-link"),
    path(MANAGE + "teams/<str:team>/merge/", organiser_views.team_merge, name="team-merge"),
    path(MANAGE + "teams/<str:team>/<str:act>/", organiser_views.team_decide, name="team-decide"),
    path(MANAGE + "announce/", announcement_views.announce, name="announce"),
    path(
        MANAGE + "announcements/<int:announcement>/edit/",
        announcement_views.announcement_edit,
        name="announcement-edit",
    ),
    path(
        MANAGE + "announcements/<int:announcement>/delete/",
        announcement_views.announcement_delete,
        name="announcement-delete",
    ),
    path("welcome/", request_views.welcome, name="welcome"),
    path("organise/", request_views.organiser_request, name="organiser-request"),
    path("organiser-requests/", request_views.request_list, name="request-list"),
    path(
        "organiser-requests/<int:request_id>/<str:decision>/",
        request_views.request_decide,
        name="request-decide",
    ),
    path("account/", account_views.account, name="account"),
    path("account/data.json", account_views.account_data, name="account-data"),
    path("account/close/", account_views.account_close, name="account-close"),
    path("account/tokens/", account_views.token_create, name="token-create"),
    path("account/tokens/<str:key>/revoke/", account_views.token_revoke, name="token-revoke"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
    path("demo/login/<str:account>/", demo_views.demo_login, name="demo-login"),
]
