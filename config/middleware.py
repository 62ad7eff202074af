"""What holds for every request and response, whatever view answers."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_cache_control

GetResponse = Callable[[HttpRequest], HttpResponse]


def stamp_arrival(get_response: GetResponse) -> GetResponse:
    """Notes when the request began: a deadline counts that, however slow the upload is."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.arrived_at = timezone.now()  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def limit_uploads(get_response: GetResponse) -> GetResponse:
    """Refuses a body that is too large before a byte of it is read."""

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdigit() or int(length) > settings.MAX_UPLOAD_BYTES + 65_536:
            limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
            return HttpResponse(
                f"The file is too large: at most {limit} MiB are taken. Gzip it.\n",
                status=413,
                content_type="text/plain",
            )
        return get_response(request)

    return middleware


def refuse_nul(get_response: GetResponse) -> GetResponse:
    """No address holds a NUL: databases would not say so kindly."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return HttpResponse("Bad address.\n", status=400, content_type="text/plain")
        return get_response(request)

    return middleware


def forbid_storing(get_response: GetResponse) -> GetResponse:
    """No cache on the way may keep a page: who may see it can change within a second."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_store=True)
        return response

    return middleware
