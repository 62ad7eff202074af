"""Requests that the site refuses before a view answers: to a person a page with a way back, to a
script JSON in the shape of the API, or a line of text where it asked for no page."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

# allauth does not say when a rate allows the next request. Most rates are by the minute.
WAIT_SECONDS = 60

BAD_REQUEST = (
    "The request is not valid",
    "The server could not read the request, and nothing was changed. Go back and try again.",
)
NOT_ALLOWED = (
    "Method not allowed",
    "This address does not offer that method, and nothing was changed. Use the links and buttons "
    "of the page.",
)
TOO_MANY = (
    "Too many requests",
    "This address or account sent too many requests of this kind, and this one changed nothing. "
    "Wait a minute, then go back and try again. If this page comes again, wait an hour.",
)


def refuse(
    request: HttpRequest, status: int, code: str, title: str, text: str, *, form: str = ""
) -> HttpResponse:
    """`form` is the address of a page to go back to, beside the start page."""
    if request.path_info.startswith("/api/"):
        return JsonResponse({"code": code, "message": f"{title}. {text}"}, status=status)
    if "text/html" in request.headers.get("Accept", ""):  # browsers name it, scripts take anything
        page = render_to_string("refused.html", {"title": title, "text": text, "form": form})
        return HttpResponse(page, status=status)
    return HttpResponse(f"{title}. {text}\n", status=status, content_type="text/plain")


def answer_bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refuse(request, HTTPStatus.BAD_REQUEST, "bad_request", *BAD_REQUEST)


def answer_too_many_requests(request: HttpRequest) -> HttpResponse:
    """allauth calls this where one of ACCOUNT_RATE_LIMITS is exceeded."""
    status, form = HTTPStatus.TOO_MANY_REQUESTS, request.get_full_path()
    response = refuse(request, status, "throttled", *TOO_MANY, form=form)
    response["Retry-After"] = str(WAIT_SECONDS)
    return response


def explain_method(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Django refuses a method with an empty page."""
    page = refuse(request, response.status_code, "method_not_allowed", *NOT_ALLOWED)
    page["Allow"] = response["Allow"]
    return page
