"""Decorators for the endpoints of the API: method, permission, request body and throttles."""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import api_view
from rest_framework.exceptions import ErrorDetail, MethodNotAllowed, ValidationError
from rest_framework.parsers import BaseParser, FormParser, MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from campaigns.api.refusals import TooLarge
from campaigns.api.requests import EmptyRequest, SoundJSONParser, validated_data
from campaigns.options import nearest_parameter

QUERY = OpenApiParameter.QUERY
View = Callable[..., HttpResponseBase]
JSON, FILES = (SoundJSONParser,), (MultiPartParser,)
ANYTHING = (SoundJSONParser, FormParser, MultiPartParser)
SMALL_BODY, LIST_BODY = 64 * 1024, 1024 * 1024  # bytes; files have the limit of uploads


class BaseView(APIView):
    """Responds to errors in the form of all errors, as JSON whatever else the endpoint returns."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Checks the method first. Otherwise a script would get 401 for a method that does not
        exist, and look for a token in vain."""
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))
        APIView.initial(self, request, *args, **kwargs)


class UnknownURL(BaseView):
    """The response to unknown URLs, for every method."""

    schema = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        raise Http404


def read_view(view: View) -> View:
    """GET. A request without a token sees what the public may see."""
    return _act(view, "GET", parser_classes=[])


def write_view(
    method: str = "POST",
    *,
    takes: Sequence[type[BaseParser]] = JSON,
    scope: str | None = "organise",
    largest_body: int = SMALL_BODY,
) -> Callable[[View], View]:
    """Requires a token, and counts requests in a scope of the site's throttles. A body of more than
    `largest_body` bytes is refused before it is read, unless the endpoint takes files."""

    def mark(view: View) -> View:
        return _act(
            view,
            method,
            permission_classes=[IsAuthenticated],
            parser_classes=list(takes),
            throttle_scope=scope,
            largest_body=None if tuple(takes) == FILES else largest_body,
        )

    return mark


def action_view(*, scope: str | None = "organise") -> Callable[[View], View]:
    """POST to a URL that needs no body. The view calls `refuse_fields` when it has checked the
    permission: unknown fields are refused, as everywhere."""
    return write_view(takes=ANYTHING, scope=scope)


def refuse_fields(request: Request) -> None:
    """Raises `ValidationError` if the body has any fields."""
    validated_data(EmptyRequest, request)


def by_method(**views: View) -> View:
    """A view that dispatches requests by method: `GET=run_list, POST=run_create`. Each endpoint
    keeps its own parsers, permissions, throttles and schema."""

    class Endpoint(BaseView):
        http_method_names = [*map(str.lower, views), "head", "options"]
        parser_classes = [parser for view in views.values() for parser in view.cls.parser_classes]

        def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> Any:
            method = "GET" if request.method == "HEAD" else str(request.method)
            if method not in views:
                return super().dispatch(request, *args, **kwargs)
            response = views[method](request, *args, **kwargs)
            response["Allow"] = ", ".join(self.allowed_methods)  # of the URL
            return response

    for method, view in views.items():  # for the schema, which reads the class
        setattr(Endpoint, method.lower(), getattr(view.cls, method.lower()))
    shown: View = Endpoint.as_view()
    return shown


def _refuse_parameters(self: APIView, request: Request, *args: object, **kwargs: object) -> None:
    """Refuses an empty parameter: `?stage=$STAGE` without a STAGE would return every stage. Refuses
    one that the endpoint does not document: `?mesure=AP` would return another measure. Refuses a
    body that is too large."""
    BaseView.initial(self, request, *args, **kwargs)  # type: ignore[arg-type]
    largest = getattr(self, "largest_body", None)
    if largest is not None and int(request.META.get("CONTENT_LENGTH") or 0) > largest:
        raise TooLarge(f"The body has more than {largest // 1024} kB. Nothing was stored.")
    if empty := [name for name, value in request.query_params.items() if not value]:
        words = ErrorDetail("This parameter is empty. Give a value or omit the parameter.", "blank")
        raise ValidationError({name: [words] for name in empty})
    if request.query_params and request.method != "OPTIONS":
        _refuse_unknown(request, _documented_parameters(self, str(request.method)))


def _refuse_unknown(request: Request, known: Sequence[str]) -> None:
    names = f"Parameters: {', '.join(sorted(known))}." if known else "There are none."
    faults = {}
    for name in request.query_params:
        if name not in known:
            nearest = nearest_parameter(name, known)
            guess = f"Did you mean {nearest}? " if nearest else ""
            words = f"This parameter does not exist. {guess}{names}"
            faults[name] = [ErrorDetail(words, "unknown")]
    if faults:
        raise ValidationError(faults)


def _documented_parameters(view: APIView, method: str) -> list[str]:
    """The names of the parameters of `extend_schema`, which keeps them at the method."""
    handler = getattr(view, "get" if method == "HEAD" else method.lower())
    schema = getattr(handler, "kwargs", {}).get("schema")
    if schema is None:
        return []
    shown = schema()
    shown.view, shown.method = view, "GET" if method == "HEAD" else method
    return [each.name for each in shown.get_override_parameters() if each.location == QUERY]


def _act(view: View, method: str, **facts: Any) -> View:
    # `api_view` makes a class for this view alone, whose attributes are then set.
    made: View = api_view(["GET", "HEAD"] if method == "GET" else [method])(view)
    for name, fact in (facts | {"initial": _refuse_parameters}).items():
        setattr(made.cls, name, fact)
    return made
