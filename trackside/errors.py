"""What is answered when something went wrong on our side, or was not found."""

import sys
from itertools import islice
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import page_not_found, server_error

from campaigns.options import UnknownChoice
from campaigns.outages import is_outage
from campaigns.stored_files import FileLost

LINKED: Final = 200  # choices that a page offers in place of one that does not exist

FAULT = {"code": "error", "message": "The site has an internal error. No change was saved."}
AWAY = {
    "code": "away",
    "message": "The site is temporarily unavailable. What it has confirmed is stored. Try again.",
}
LOST = {
    "code": "file_lost",
    "message": "A stored file that this needs is missing or damaged, and is not served. The site's "
    "operator finds it with `manage.py verify`.",
}
AWAY_SECONDS = "10"  # as the proxy says where no web process answers


def answer_fault(request: HttpRequest) -> HttpResponse:
    """To a script in the shape of all refusals of the API, to a person as a page. It is called
    while the fault is being handled: a database or a storage that is away will be back."""
    fault = sys.exc_info()[1]
    if is_outage(fault):
        return _answer_away(request)
    if isinstance(fault, FileLost):
        return _answer_lost(request)
    if request.path_info.startswith("/api/"):
        return JsonResponse(FAULT, status=500)
    return server_error(request)


def answer_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A choice that is not offered is told in words, with what is; of all else only that it is not
    there."""
    if not isinstance(exception, UnknownChoice):
        return page_not_found(request, exception)
    links = {
        value: (label, _address(request, exception.name, value))
        for value, label in islice(exception.offered.items(), LINKED)
    }
    context = {
        "choice": exception,
        "links": links,
        "more": len(exception.offered) - len(links),
        "back": _address(request, exception.name),
    }
    return render(request, "unknown_choice.html", context, status=404)


def _answer_away(request: HttpRequest) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        response: HttpResponse = JsonResponse(AWAY, status=503)
    else:
        response = HttpResponse(render_to_string("503.html"), status=503)
    response["Retry-After"] = AWAY_SECONDS
    return response


def _answer_lost(request: HttpRequest) -> HttpResponse:
    """The file is named in the log only: to participants it may be a secret that it exists."""
    if request.path_info.startswith("/api/"):
        return JsonResponse(LOST, status=503)
    return HttpResponse(render_to_string("file_lost.html"), status=503)


def _address(request: HttpRequest, name: str, value: str = "") -> str:
    """The same page with another choice, or without."""
    query = request.GET.copy()
    query.pop(name, None)
    if value:
        query[name] = value
    return f"{request.path}?{query.urlencode()}" if query else request.path
