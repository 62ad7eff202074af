"""A table of a result, declared once, in all its formats: CSV and LaTeX on the site, JSON and CSV
in the API.

A subject declares the table in its `views.py` and its URLs in `urls.py`, and nothing else: the
schema of the API follows from the columns.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import getdoc
from typing import Any, Final, TypeAlias

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.access import Viewer
from campaigns.api.endpoints import View, read_view
from campaigns.models import Qrels
from scoring.models import Analysis
from scoring.output.api import FORMAT, example, requested_format, row_serializer, table_responses
from scoring.output.public import (
    api_board_viewer,
    api_campaign_viewer,
    board_viewer,
    campaign_viewer,
    organiser,
    public_table,
)
from scoring.output.responses import TableResponse, table_paths, table_response
from scoring.output.table import Column, Table

LATER: Final = (
    "Until a worker has computed the result, the status is 202, with a `Retry-After` header."
)


Lookup: TypeAlias = Callable[[HttpRequest, str], Viewer]
AnyView: TypeAlias = Callable[..., Any]


def for_viewer(lookup: Lookup) -> Callable[[AnyView], AnyView]:
    """Decorates the view of a table, which gets the viewer instead of the slug."""

    def mark(view: AnyView) -> AnyView:
        @wraps(view)
        def respond(request: HttpRequest, slug: str, **parts: str | int) -> Any:
            return view(request, lookup(request, slug), **parts)

        return respond

    return mark


def for_everybody(lookup: Lookup) -> Callable[[AnyView], AnyView]:
    """Decorates the view of a table that belongs to no campaign, so there is nothing to look up."""

    def mark(view: AnyView) -> AnyView:
        @wraps(view)
        def respond(request: HttpRequest, **parts: str | int) -> Any:
            return view(request, None, **parts)

        return respond

    return mark


@dataclass(frozen=True)
class Answer:
    """What a request for a table gets. Until a worker has computed the analysis that the table
    awaits, the response says so. `qrels` are the versions behind it."""

    table: Table
    qrels: Sequence[Qrels | None] = ()
    awaits: Analysis | None = None
    file_name: str = ""  # if it depends on the request


@dataclass(frozen=True, kw_only=True)
class ResultView:
    """`answer` gets the viewer whom `lookup` (in the API `api_lookup`) has let in, or None for a
    table of no campaign, the parameters of the request, and the parts of its URL. It may raise
    UnknownChoice. Its docstring is the description in the schema. `in_latex` gives another table in
    LaTeX."""

    name: str  # of the URLs: scoring:<name>-csv, scoring:<name>-latex
    api_name: str = ""  # api:<name>; default: the same
    title: str  # of the operation in the schema
    answer: Callable[..., Answer]
    in_latex: Callable[..., Answer] | None = None
    lookup: Lookup = board_viewer
    api_lookup: Lookup = api_board_viewer
    # public_table; stored_if_long or for_viewer if the table depends on more than that allows
    decorator: Callable[[Lookup], Callable[[AnyView], AnyView]] = public_table
    file_name: str = ""  # what follows the name of the campaign; default: the name
    row: str  # the name of the schema's component
    row_description: str
    columns: Sequence[Column]
    parameters: Sequence[OpenApiParameter]
    row_example: Mapping[str, Any]
    is_computed: bool = False  # by a worker
    needs_login: bool = False  # as a file; the API answers 404 without a token

    def paths(self, route: str) -> list[URLPattern]:
        """As files, at `<route>.csv` and `<route>.tex`."""

        @require_safe
        @self.decorator(self.lookup)
        def view(
            request: HttpRequest, viewer: Viewer | None, suffix: str, **parts: str | int
        ) -> TableResponse:
            respond = self.in_latex if suffix == "tex" and self.in_latex else self.answer
            answer = respond(viewer, request.GET, **parts)
            file_name = answer.file_name or self.file_name or self.name
            return table_response(
                request,
                answer.table,
                f"{viewer.campaign.slug}-{file_name}" if viewer else file_name,
                suffix,
                title=viewer.campaign.name if viewer else "Trackside",
                awaits=answer.awaits,
                qrels=answer.qrels,
            )

        return table_paths(route, login_required(view) if self.needs_login else view, self.name)

    def api_path(self, route: str) -> URLPattern:
        """In the API, at `<route>/`."""
        return path(f"{route}/", self.endpoint(), name=self.api_name or self.name)

    def endpoint(self) -> View:
        """The view of the API, which documents itself."""

        def view(
            request: Request, viewer: Viewer | None, **parts: str | int
        ) -> Response | HttpResponse:
            respond = requested_format(request)
            answer = self.answer(viewer, request.query_params, **parts)
            return respond(answer.table, awaits=answer.awaits, qrels=answer.qrels)

        operation = (self.api_name or self.name).replace("-", "_")
        view.__name__, view.__doc__ = operation, getdoc(self.answer)  # for OPTIONS
        later = f" {LATER}" if self.is_computed else ""
        documented = extend_schema(
            summary=self.title,
            description=f"{view.__doc__}{later}",
            operation_id=operation,
            tags=["analyses"],
            parameters=[*self.parameters, FORMAT],
            responses=table_responses(
                row_serializer(self.row, self.row_description, self.columns),
                is_computed=self.is_computed,
            ),
            examples=[example("a row", **self.row_example)],
        )
        endpoint: View = documented(read_view(self.decorator(self.api_lookup)(view)))
        return endpoint


# The look-ups of a table whose `answer` checks itself what of the campaign the viewer may see.
FOR_CAMPAIGN: Final[dict[str, Any]] = {
    "lookup": campaign_viewer,
    "api_lookup": api_campaign_viewer,
    "decorator": for_viewer,
}
# The look-ups of a table for organisers only.
FOR_ORGANISERS: Final[dict[str, Any]] = {
    "lookup": organiser,
    "api_lookup": organiser,
    "decorator": for_viewer,
    "needs_login": True,
}
