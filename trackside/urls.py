"""All URLs of the site: those of the two applications, of the API and of accounts."""

from django.conf import settings
from django.urls import include, path

from campaigns.people.account_views import EmailView, SignUpView
from trackside import robots

handler400 = "trackside.errors.answer_bad_request"
handler429 = "trackside.errors.answer_too_many_requests"  # allauth requires this name
handler404 = "trackside.errors.answer_not_found"
handler500 = "trackside.errors.answer_fault"
urlpatterns = [
    path("robots.txt", robots.robots_txt, name="robots"),
    path("", include("campaigns.urls")),
    path("", include("scoring.urls")),
    path("", include("trackside.guides.urls")),
    path("api/", include("trackside.api_urls")),
    # in place of allauth's
    path("accounts/signup/", SignUpView.as_view(), name="account_signup"),
    path("accounts/email/", EmailView.as_view(), name="account_email"),
    path("accounts/", include("allauth.urls")),
]
if settings.DEBUG:
    from django.contrib import admin

    urlpatterns.append(path("admin/", admin.site.urls))
