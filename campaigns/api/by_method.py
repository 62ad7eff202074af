"""One address, several acts: each method of HTTP goes to a view of its own."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from rest_framework.views import APIView

View = Callable[..., HttpResponseBase]


def by_method(**views: View) -> View:
    """A view that passes a request on by its method, `GET=run_list, POST=run_create`. Each of them
    keeps its own parsers, permissions and throttles, and its own words in the schema."""

    def dispatch(
        self: APIView, request: HttpRequest, *args: object, **kwargs: object
    ) -> HttpResponseBase:
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method in views:
            return views[method](request, *args, **kwargs)
        return APIView.dispatch(self, request, *args, **kwargs)

    handlers = {method.lower(): getattr(view.cls, method.lower()) for method, view in views.items()}
    names = [*handlers, "head", "options"]
    address = type(
        "Address", (APIView,), {"dispatch": dispatch, "http_method_names": names} | handlers
    )
    shown: View = address.as_view()
    return shown
