from django.conf import settings
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from campaigns.api import run_create
from scoring.api import leaderboard_rows, run_detail

api = [
    path("campaigns/<slug:slug>/runs/", run_create, name="run-create"),
    path("campaigns/<slug:slug>/runs/<str:public_id>/", run_detail, name="run-detail"),
    path("campaigns/<slug:slug>/leaderboard/", leaderboard_rows, name="leaderboard"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
]

urlpatterns = [
    path("", include("campaigns.urls")),
    path("", include("scoring.urls")),
    path("api/", include((api, "api"))),
    path("accounts/", include("allauth.urls")),
]
if settings.DEBUG:
    from django.contrib import admin

    urlpatterns.append(path("admin/", admin.site.urls))
