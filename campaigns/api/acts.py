"""The acts of the API: by which method of HTTP, who may call them, what they read, how often."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from rest_framework.decorators import api_view
from rest_framework.parsers import BaseParser, FormParser, MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from campaigns.api.asked import NothingAsked, SoundJSONParser, asked
from campaigns.api.refusals import refusal

View = Callable[..., HttpResponseBase]
JSON, FILES = (SoundJSONParser,), (MultiPartParser,)
ANYTHING = (SoundJSONParser, FormParser, MultiPartParser)


class Refusing(APIView):
    """Refuses in the shape of all refusals."""

    def get_exception_handler(self) -> Callable[..., object]:
        return refusal


class Nothing(Refusing):
    """Every address that is none, by every method."""

    schema = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        raise Http404


def reading(view: View) -> View:
    """GET. Whoever sends no token is answered as a stranger is: what is not for them is not
    there."""
    return _act(view, "GET", parser_classes=[])


def writing(
    method: str = "POST",
    *,
    takes: Sequence[type[BaseParser]] = JSON,
    scope: str | None = "organise",
) -> Callable[[View], View]:
    """Asks for a token before all else, and is counted in a scope of the site's throttles."""

    def mark(view: View) -> View:
        return _act(
            view,
            method,
            permission_classes=[IsAuthenticated],
            parser_classes=list(takes),
            throttle_scope=scope,
        )

    return mark


def acting(*, scope: str | None = "organise") -> Callable[[View], View]:
    """POST to an address that says all; a field beside it is refused, as anywhere."""

    def mark(view: View) -> View:
        @wraps(view)
        def act(request: Request, *args: object, **kwargs: object) -> HttpResponseBase:
            asked(NothingAsked, request)
            return view(request, *args, **kwargs)

        return writing(takes=ANYTHING, scope=scope)(act)

    return mark


def by_method(**views: View) -> View:
    """A view that passes a request on by its method, `GET=run_list, POST=run_create`. Each of them
    keeps its own parsers, permissions and throttles, and its own words in the schema."""

    def dispatch(
        self: APIView, request: HttpRequest, *args: object, **kwargs: object
    ) -> HttpResponseBase:
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method in views:
            return views[method](request, *args, **kwargs)
        return Refusing.dispatch(self, request, *args, **kwargs)

    handlers = {method.lower(): getattr(view.cls, method.lower()) for method, view in views.items()}
    names = [*handlers, "head", "options"]
    parsers = [parser for view in views.values() for parser in view.cls.parser_classes]
    facts = {"dispatch": dispatch, "http_method_names": names, "parser_classes": parsers}
    address = type("Address", (Refusing,), facts | handlers)
    shown: View = address.as_view()
    return shown


def _act(view: View, method: str, **facts: Any) -> View:
    made: View = api_view(["GET", "HEAD"] if method == "GET" else [method])(view)
    facts["get_exception_handler"] = Refusing.get_exception_handler
    for name, fact in facts.items():
        setattr(made.cls, name, fact)
    return made
