"""What robots may read: pages, but not every value of their parameters. Some values make a worker
compute an analysis, and there are more of them than anybody will read."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

ROBOTS = """User-agent: *
Disallow: /*?
Disallow: /api/
Disallow: /accounts/
"""


@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    return HttpResponse(ROBOTS, content_type="text/plain; charset=utf-8")


def keep_robots_from_choices(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Tells robots neither to index a page with parameters nor to follow its links."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.META.get("QUERY_STRING"):
            response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return middleware
