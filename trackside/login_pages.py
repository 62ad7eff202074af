"""Middleware for the pages of allauth: those that the site does not use, logins at other sites, and
the second factor that organisers need."""

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from campaigns.people import second_factor
from trackside.errors import refuse

logger = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponse]
STARTS_LOGIN = {"orcid_login": "orcid", "openid_connect_login": "openid_connect"}
NONSENSE = (
    *(OSError, LookupError, TypeError, ValueError, AttributeError),
    *(ImproperlyConfigured, SuspiciousOperation),
)
OF_PROVIDERS = ("socialaccount_", "orcid_", "openid_connect_")
# What people can open before they have turned on a required second factor.
OPEN_PAGES = {
    "campaigns:account", "campaigns:account-data", "campaigns:account-close",
}  # fmt: skip


class LoginPages:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        if match and match.view_name in STARTS_LOGIN and response.status_code == 302:
            return _continue_at(request, match.view_name, response)
        return response

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        name = request.resolver_match.view_name
        if name.startswith("mfa_") and settings.SECOND_FACTOR == second_factor.OFF:
            raise Http404
        if name.startswith(OF_PROVIDERS) and not settings.SOCIALACCOUNT_PROVIDERS:
            raise Http404
        if name.startswith("orcid_") and "orcid" not in settings.SOCIALACCOUNT_PROVIDERS:
            raise Http404
        is_open = ":" not in name or name.startswith("guides:") or name in OPEN_PAGES
        if is_open or not second_factor.is_missing(request.user):
            return None
        return _ask_for_second_factor(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The other site does not respond, or answers nonsense, which allauth does not expect.
        Exceptions of requests are `OSError`."""
        is_of_provider = request.resolver_match.view_name.startswith(OF_PROVIDERS)
        if not is_of_provider or not isinstance(error, NONSENSE):
            return None
        logger.warning("A login with another site failed", exc_info=error)
        return _failed(request, 503 if isinstance(error, OSError) else 502)


def _failed(request: HttpRequest, status: int) -> HttpResponse:
    return render(request, "socialaccount/authentication_error.html", status=status)


def _continue_at(request: HttpRequest, name: str, response: HttpResponse) -> HttpResponse:
    """A page that opens the other site. A browser would not follow a redirect after the form,
    because the content security policy allows forms to lead to this site only."""
    if urlsplit(response["Location"]).scheme not in ("http", "https"):
        return _failed(request, 502)
    (app,) = settings.SOCIALACCOUNT_PROVIDERS[STARTS_LOGIN[name]]["APPS"]
    context = {"provider": app["name"], "redirect_to": response["Location"]}
    return render(request, "socialaccount/login_redirect.html", context)


def _ask_for_second_factor(request: HttpRequest) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        title, text = "A second factor is required", second_factor.TURN_ON
        return refuse(request, 403, "second_factor", title, text)
    messages.warning(request, f"{second_factor.REQUIRED} Turn it on to continue.")
    return redirect("mfa_activate_totp")
