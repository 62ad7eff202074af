"""What is answered when something went wrong on our side."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import server_error

FAULT = {"code": "error", "message": "Something went wrong here; nothing was changed by halves."}


def answer_fault(request: HttpRequest) -> HttpResponse:
    """To a script in the shape of all refusals of the API, to a person as a page."""
    if request.path_info.startswith("/api/"):
        return JsonResponse(FAULT, status=500)
    return server_error(request)
