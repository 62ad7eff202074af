"""Responses to server errors, to unknown URLs, and to requests that are refused before a view
runs: a page for people, JSON in the form of the API for scripts, or else a line of text."""

import sys
from http import HTTPStatus
from itertools import islice
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import page_not_found, server_error

from campaigns.options import UnknownChoice
from campaigns.outages import is_outage
from campaigns.stored_files import FileLost

LINKED: Final = 200  # valid values that a page lists instead of an invalid one

FAULT = {"code": "error", "message": "The site has an internal error. No change was saved."}
AWAY = {
    "code": "away",
    "message": "The site is temporarily unavailable. Everything that it confirmed has been saved. "
    "Try again.",
}
LOST = {
    "code": "file_lost",
    "message": "A stored file that this needs is missing or damaged, and is not served. The site's "
    "operator finds it with the command `verify`.",
}
AWAY_SECONDS = "10"  # the same as the proxy sends if no web process responds

# allauth does not say when a rate allows the next request. Most rates are by the minute.
WAIT_SECONDS = 60

BAD_REQUEST = (
    "The request is not valid",
    "The server could not read the request, and nothing was changed. Go back and try again.",
)
NOT_ALLOWED = (
    "Method not allowed",
    "This URL does not accept this method, and nothing was changed. Use the links and buttons "
    "of the page.",
)
TOO_MANY = (
    "Too many requests",
    "Your address or account sent too many requests of this kind, and this one changed nothing. "
    "Wait a minute, then go back and try again. If you see this page again, wait an hour.",
)


def answer_fault(request: HttpRequest) -> HttpResponse:
    """Responds in the form of the API or with a page. It is called while the exception is handled.
    If the database or the storage is unavailable, the response is 503."""
    fault = sys.exc_info()[1]
    is_api = request.path_info.startswith("/api/")
    if is_outage(fault):
        if is_api:
            response: HttpResponse = JsonResponse(AWAY, status=503)
        else:
            response = HttpResponse(render_to_string("503.html"), status=503)
        response["Retry-After"] = AWAY_SECONDS
        return response
    # Only the log names the file. Participants may not be allowed to know that it exists.
    if isinstance(fault, FileLost):
        if is_api:
            return JsonResponse(LOST, status=503)
        return HttpResponse(render_to_string("file_lost.html"), status=503)
    return JsonResponse(FAULT, status=500) if is_api else server_error(request)


def answer_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """If a parameter has an invalid value, the page says which and lists the valid values.
    Otherwise it says only that nothing was found."""
    if not isinstance(exception, UnknownChoice):
        return page_not_found(request, exception)
    links = {
        value: (label, _url(request, exception.name, value))
        for value, label in islice(exception.offered.items(), LINKED)
    }
    context = {
        "choice": exception,
        "links": links,
        "more": len(exception.offered) - len(links),
        "back": _url(request, exception.name),
    }
    return render(request, "unknown_choice.html", context, status=404)


def _url(request: HttpRequest, name: str, value: str = "") -> str:
    """The URL of the same page with another value, or without the parameter."""
    query = request.GET.copy()
    query.pop(name, None)
    if value:
        query[name] = value
    return f"{request.path}?{query.urlencode()}" if query else request.path


def refuse(
    request: HttpRequest, status: int, code: str, title: str, text: str, *, form: str = ""
) -> HttpResponse:
    """`form` is the URL of a page to return to, in addition to the start page."""
    if request.path_info.startswith("/api/"):
        return JsonResponse({"code": code, "message": f"{title}. {text}"}, status=status)
    if "text/html" in request.headers.get("Accept", ""):  # browsers send it, scripts */*
        page = render_to_string("refused.html", {"title": title, "text": text, "form": form})
        return HttpResponse(page, status=status)
    return HttpResponse(f"{title}. {text}\n", status=status, content_type="text/plain")


def answer_bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refuse(request, HTTPStatus.BAD_REQUEST, "bad_request", *BAD_REQUEST)


def answer_too_many_requests(request: HttpRequest) -> HttpResponse:
    """allauth calls this if a limit of ACCOUNT_RATE_LIMITS is exceeded."""
    status, form = HTTPStatus.TOO_MANY_REQUESTS, request.get_full_path()
    response = refuse(request, status, "throttled", *TOO_MANY, form=form)
    response["Retry-After"] = str(WAIT_SECONDS)
    return response


def explain_method(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Replaces the empty page with which Django refuses a method."""
    page = refuse(request, response.status_code, "method_not_allowed", *NOT_ALLOWED)
    page["Allow"] = response["Allow"]
    return page
