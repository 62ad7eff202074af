"""What the API has in common for all tables: parameters, formats, and the response while a table is
being computed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.responses import READS, RefusalSerializer
from campaigns.models import Qrels
from campaigns.options import UnknownChoice
from scoring.analyses.responses import POLL_SECONDS
from scoring.models import Analysis
from scoring.output.long_downloads import first_items, refuse_too_long
from scoring.output.responses import BEING_COMPUTED, TableResponse, csv_response
from scoring.output.sources import JUDGED_BY, JUDGED_BY_HELP, with_sources
from scoring.output.table import Column, Table, json_blocks

Records: TypeAlias = list[dict[str, Any]]

FORMATS = ["json", "csv"]
FORMAT = OpenApiParameter("format", str, enum=FORMATS)

MEASURE = OpenApiParameter(
    "measure", str, description="one of the campaign's measures, such as RBP(p=0.8)"
)


QRELS = OpenApiParameter("qrels", int, description="a version (default: the active one)")


def choices(offered: Mapping[str, Iterable[str]]) -> list[OpenApiParameter]:
    """Parameters by name, each with its values."""
    return [OpenApiParameter(name, str, enum=list(values)) for name, values in offered.items()]


class ComputingSerializer(RefusalSerializer):
    state = serializers.ChoiceField(choices=["waiting", "computing"])


COMPUTING = {202: OpenApiResponse(ComputingSerializer, description=BEING_COMPUTED)}

# The fields of a table's rows, by the kinds of its columns. A number that is not defined is null.
FIELDS: dict[Any, Callable[..., serializers.Field]] = {
    str: serializers.CharField,
    str | None: partial(serializers.CharField, allow_null=True),
    int: serializers.IntegerField,
    int | None: partial(serializers.IntegerField, allow_null=True),
    float: partial(serializers.FloatField, allow_null=True),
}


def row_serializer(
    name: str, description: str, columns: Sequence[Column]
) -> type[serializers.Serializer]:
    """How the schema describes the rows of a table; `name` is that of the component."""
    fields = {
        column.key: FIELDS[column.kind](help_text=column.help_text or None)
        for column in columns
        if column.key
    }
    fields[JUDGED_BY] = serializers.CharField(required=False, help_text=JUDGED_BY_HELP)
    # The schema takes the description of a component from the docstring of its class.
    return type(f"{name}Serializer", (serializers.Serializer,), {"__doc__": description, **fields})


def table_responses(
    rows: type[serializers.Serializer], *, is_computed: bool = False
) -> dict[Any, Any]:
    return (
        {(200, "application/json"): rows(many=True), (200, "text/csv"): OpenApiTypes.STR}
        | (COMPUTING if is_computed else {})
        | READS
    )


def example(name: str, /, **row: object) -> OpenApiExample:
    return OpenApiExample(name, value=row, response_only=True, status_codes=["200"])


def requested_format(request: Request) -> Callable[..., Response | TableResponse]:
    """Returns a function that answers a table in the requested format. Called first, so that
    nothing is computed for an unknown format."""
    format_ = request.query_params.get("format", "json")
    if format_ not in FORMATS:
        raise UnknownChoice("format", format_, FORMATS)

    def answer(
        table: Table,
        *,
        awaits: Analysis | None = None,
        records: Callable[[], Records] | None = None,
        qrels: Sequence[Qrels | None] = (),
    ) -> Response | TableResponse:
        """`awaits`: an analysis that a worker may not have computed yet. `records`: the JSON, if it
        differs from the table's rows. `qrels`: the versions behind the table."""
        if awaits is not None and awaits.state != Analysis.State.DONE:
            return _being_computed(awaits)
        table = with_sources(table, qrels)
        if format_ == "csv":
            return csv_response(table)
        refuse_too_long(table.row_count)
        first, rows = first_items(records() if records else table.records())
        if rows is None:
            return Response(first)
        return StreamingHttpResponse(json_blocks(rows), content_type="application/json")

    return answer


def _being_computed(analysis: Analysis) -> Response:
    """The response until a worker has computed the analysis; the queue shows failures."""
    if analysis.state == Analysis.State.FAILED:
        message = f"Computing the table failed. {analysis.failure}".strip()
        return Response({"code": "failed", "message": message}, status=404)
    body = {
        "code": "computing",
        "message": BEING_COMPUTED,
        "state": analysis.state,
    }
    return Response(body, status=202, headers={"Retry-After": str(POLL_SECONDS)})
