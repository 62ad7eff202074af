"""Middleware for every request and response."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_cache_control

from campaigns.client_address import request_being_answered
from campaigns.reading import TooManyFiles
from scoring.analyses.budget import TooManyAnalyses
from scoring.analyses.requests import AnalysisReplaced
from scoring.output.long_downloads import TooManyDownloads, end_long_download, hold_until_sent
from trackside.api_version import API_VERSION, HEADER, OTHER_VERSION
from trackside.errors import BAD_REQUEST, explain_method, refuse

GetResponse = Callable[[HttpRequest], HttpResponse]
SECONDS = r"([0-9]{10}(?:\.[0-9]{1,9})?)"
ARRIVAL = re.compile(f"{SECONDS}(?: {SECONDS})?", re.ASCII)


def state_api_version(get_response: GetResponse) -> GetResponse:
    """Adds the version of the API to its responses. Refuses a request that states another version,
    before it changes anything, because its client would misread the response."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith("/api/"):
            return get_response(request)
        if request.headers.get(HEADER, API_VERSION) == API_VERSION:
            response = get_response(request)
        else:
            text = f"This site has version {API_VERSION}. Install the release that the site has."
            response = refuse(request, 400, OTHER_VERSION, "Another version of the API", text)
        response[HEADER] = API_VERSION
        return response

    return middleware


def stamp_arrival(get_response: GetResponse) -> GetResponse:
    """Notes when the request began and when its body was complete, because deadlines depend on
    both. A proxy that reads an upload completely before it forwards the upload sends both times, by
    its own clock. Without a proxy, `completed_at` is None: the body is complete when a view has
    read it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        told = request.headers.get(settings.ARRIVAL_HEADER, "") if settings.ARRIVAL_HEADER else ""
        found = ARRIVAL.fullmatch(told)
        began, request.completed_at = (
            datetime.fromtimestamp(float(text), tz=UTC) if text else None
            for text in (found.groups() if found else (None, None))
        )
        request.arrived_at = began or timezone.now()
        return get_response(request)

    return middleware


def take_client_address(get_response: GetResponse) -> GetResponse:
    """Sets REMOTE_ADDR to the client's address. Everything that limits or logs by address reads
    REMOTE_ADDR (Django, allauth, REST framework, gunicorn's log), so all of it follows
    NUM_PROXIES. The address is the one that the outermost of our own proxies saw, which a client
    cannot forge."""

    def middleware(request: HttpRequest) -> HttpResponse:
        addresses = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        if 0 < settings.NUM_PROXIES <= len(addresses):
            told = addresses[-settings.NUM_PROXIES].strip()
            with suppress(ValueError):  # not an address: REMOTE_ADDR stays the peer's
                request.META["REMOTE_ADDR"] = str(ip_address(told))
        return get_response(request)

    return middleware


def use_site_url(get_response: GetResponse) -> GetResponse:
    """Makes every absolute link begin with SITE_URL. Django checks the name in the header Host but
    not the port, and an email to another person would contain that port.

    A form that was loaded under another of ALLOWED_HOSTS is submitted from there. Its Origin
    follows the host, because Django would otherwise treat it as cross-site.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SITE_URL:
            named = request.get_host()  # raises if the host is not allowed
            request.META["HTTP_HOST"] = urlsplit(settings.SITE_URL).netloc
            if request.META.get("HTTP_ORIGIN") == f"{request.scheme}://{named}":
                request.META["HTTP_ORIGIN"] = f"{request.scheme}://{request.get_host()}"
        return get_response(request)

    return middleware


def limit_uploads(get_response: GetResponse) -> GetResponse:
    """Refuses a body that is too large before reading it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        # The limit is that of the file, and a form has other fields beside it.
        if not length.isdigit() or int(length) > settings.MAX_UPLOAD_BYTES + 65_536:
            limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
            text = (
                f"The limit is {limit} MiB, and nothing of the file was stored. Compress it with "
                "gzip: a run shrinks to about a third. Then go back and submit it again."
            )
            return refuse(request, 413, "too_large", "The file is too large", text)
        return get_response(request)

    return middleware


def refuse_nul(get_response: GetResponse) -> GetResponse:
    """Refuses URLs with a NUL. Databases respond to NUL with errors that are hard to read."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return refuse(request, 400, "bad_address", *BAD_REQUEST)
        return get_response(request)

    return middleware


def explain_refused_methods(get_response: GetResponse) -> GetResponse:
    """Adds a text to the empty pages with which Django and allauth refuse requests."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_empty = not response.streaming and not response.content
        if response.status_code == 405 and is_empty and request.method != "HEAD":
            return explain_method(request, response)
        return response

    return middleware


def forbid_storing(get_response: GetResponse) -> GetResponse:
    """Forbids caches to store a page, because permissions can change within a second."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware


class LimitClients:
    """Tells the limits of analyses and of long downloads whose request is answered, and responds to
    readers who exceed one. The API has its own response."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = request_being_answered.set(request)
        try:
            response = self.get_response(request)
        # Whatever ends the request: a place that stayed taken would keep other readers out.
        except BaseException:
            end_long_download(request)
            raise
        finally:
            request_being_answered.reset(token)
        hold_until_sent(request, response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        wait = getattr(error, "wait", None) or 1
        url = request.get_full_path()
        match error:
            case TooManyAnalyses():
                url = request.path  # without the question that is new
                title = "Too many new analyses"
                text = (
                    "You have requested too many new analyses. "
                    f"Wait {-(-wait // 60)} minutes, then reload this page. "
                    "You can still open analyses that are already computed."
                )
            case TooManyDownloads():
                url = ""  # of the file, to which this page goes by itself
                title = "Too many long downloads"
                text = (
                    "This site prepares only a few large files at a time, and one for each reader. "
                    "Yours begins when another is ready: this page tries again by itself."
                )
            case TooManyFiles():
                url = ""  # of a form, which is not sent again
                title = "The site is reading other files"
                text = (
                    "It reads one such file at a time, and others wait already. Nothing of yours "
                    "was stored. Go back and send it again in a few seconds."
                )
            case AnalysisReplaced():
                title = "The leaderboard has changed"
                text = (
                    "It changed while this page was prepared: the page is loaded again by itself."
                )
            case _:
                return None
        page = refuse(request, error.status_code, error.default_code, title, text, form=url)
        page["Retry-After"] = str(wait)
        if isinstance(error, TooManyDownloads | AnalysisReplaced):
            page["Refresh"] = str(wait)
        return page
