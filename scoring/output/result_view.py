"""A table of a result, declared once, in all its formats: CSV and LaTeX on the site, JSON and CSV
in the API.

A subject declares the table in its `views.py` and its URLs in `urls.py`, and nothing else: the
schema of the API follows from the columns.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import getdoc
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, QueryDict
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
from scoring.output.public import api_board_viewer, board_viewer, public_table
from scoring.output.responses import TableResponse, table_paths, table_response
from scoring.output.table import Column, Table

LATER: Final = (
    "Until a worker has computed the result, the status is 202, with a `Retry-After` header."
)


@dataclass(frozen=True)
class Answer:
    """What a request for a table gets. Until a worker has computed the analysis that the table
    awaits, the response says so. `qrels` are the versions behind it."""

    table: Table
    qrels: Sequence[Qrels | None] = ()
    awaits: Analysis | None = None


@dataclass(frozen=True, kw_only=True)
class ResultView:
    """`answer` gets the parameters of a request of a viewer who may see the leaderboard, and may
    raise UnknownChoice. Its docstring is the description in the schema. `in_latex` gives another
    table in LaTeX."""

    name: str  # of the URLs: scoring:<name>-csv, scoring:<name>-latex
    api_name: str = ""  # api:<name>; default: the same
    title: str  # of the operation in the schema
    answer: Callable[[Viewer, QueryDict], Answer]
    in_latex: Callable[[Viewer, QueryDict], Answer] | None = None
    file_name: str = ""  # what follows the name of the campaign; default: the name
    row: str  # the name of the schema's component
    row_description: str
    columns: Sequence[Column]
    parameters: Sequence[OpenApiParameter]
    row_example: Mapping[str, Any]
    is_computed: bool = False  # by a worker

    def paths(self, route: str) -> list[URLPattern]:
        """As files, at `<route>.csv` and `<route>.tex`."""

        @require_safe
        @public_table(board_viewer)
        def view(request: HttpRequest, viewer: Viewer, suffix: str) -> TableResponse:
            respond = self.in_latex if suffix == "tex" and self.in_latex else self.answer
            answer = respond(viewer, request.GET)
            return table_response(
                request,
                answer.table,
                f"{viewer.campaign.slug}-{self.file_name or self.name}",
                suffix,
                title=viewer.campaign.name,
                awaits=answer.awaits,
                qrels=answer.qrels,
            )

        return table_paths(route, view, self.name)

    def api_path(self, route: str) -> URLPattern:
        """In the API, at `<route>/`."""
        return path(f"{route}/", self.endpoint(), name=self.api_name or self.name)

    def endpoint(self) -> View:
        """The view of the API, which documents itself."""

        def view(request: Request, viewer: Viewer) -> Response | HttpResponse:
            respond = requested_format(request)
            answer = self.answer(viewer, request.query_params)
            return respond(answer.table, awaits=answer.awaits, qrels=answer.qrels)

        later = f" {LATER}" if self.is_computed else ""
        documented = extend_schema(
            summary=self.title,
            description=f"{getdoc(self.answer)}{later}",
            operation_id=(self.api_name or self.name).replace("-", "_"),
            tags=["analyses"],
            parameters=[*self.parameters, FORMAT],
            responses=table_responses(
                row_serializer(self.row, self.row_description, self.columns),
                is_computed=self.is_computed,
            ),
            examples=[example("a row", **self.row_example)],
        )
        endpoint: View = documented(read_view(public_table(api_board_viewer)(view)))
        return endpoint
