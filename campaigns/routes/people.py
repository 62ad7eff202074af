"""Who takes part: accounts, teams, roles, invitations, and what they are told."""

from django.urls import path

from campaigns.views import account, announcements, merging, people, roles

OF_CAMPAIGN = "campaigns/<slug:slug>/"
MANAGE = OF_CAMPAIGN + "manage/"

urlpatterns = [
    path(OF_CAMPAIGN + "team/", people.team, name="team"),
    path(OF_CAMPAIGN + "team/invite/", people.team_invite, name="team-invite"),
    path(OF_CAMPAIGN + "team/edit/", people.team_edit, name="team-edit"),
    path(OF_CAMPAIGN + "team/leave/", people.team_leave, name="team-leave"),
    path(OF_CAMPAIGN + "team/terms/", people.terms_accept, name="terms-accept"),
    path(MANAGE + "people/", roles.people_page, name="people"),
    path(MANAGE + "people/invite/<str:role>/", roles.role_invite, name="role-invite"),
    path(
        MANAGE + "people/links/<int:invitation>/revoke/",
        roles.invitation_revoke,
        name="invitation-revoke",
    ),
    path(MANAGE + "people/<int:membership>/remove/", roles.role_remove, name="role-remove"),
    path(MANAGE + "teams/", roles.team_create, name="team-create"),
    path(MANAGE + "teams/<str:team>/link/", roles.team_link, name="team-link"),
    path(MANAGE + "teams/<str:team>/merge/", merging.team_merge, name="team-merge"),
    path(MANAGE + "teams/<str:team>/<str:act>/", roles.team_decide, name="team-decide"),
    path(MANAGE + "announce/", announcements.announce, name="announce"),
    path("account/", account.account, name="account"),
    path("account/data.json", account.account_data, name="account-data"),
    path("account/close/", account.account_close, name="account-close"),
    path("account/tokens/", account.token_create, name="token-create"),
    path("account/tokens/<str:key>/revoke/", account.token_revoke, name="token-revoke"),
    path("invitations/<str:token>/", people.invitation, name="invitation"),
]
