"""What the API of every table says the same way: its parameters, its formats, and that it is being
computed."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.responses import READS, RefusalSerializer
from campaigns.options import UnknownChoice
from scoring.analyses.responses import POLL_SECONDS
from scoring.models import Analysis
from scoring.output.responses import CSV
from scoring.output.table import Column, Table

Records: TypeAlias = list[dict[str, Any]]

FORMATS = ["json", "csv"]
FORMAT = OpenApiParameter("format", str, enum=FORMATS)

MEASURE = OpenApiParameter("measure", str, description="such as RBP(p=0.8); one of the campaign's")


QRELS = OpenApiParameter("qrels", int, description="a version; the one in force if none is named")


class ComputingSerializer(RefusalSerializer):
    state = serializers.ChoiceField(choices=["waiting", "computing"])


# The fields of a table's rows, by the kinds of its columns. A number that is not defined is null.
FIELDS: dict[Any, Callable[..., serializers.Field]] = {
    str: serializers.CharField,
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
    return type(f"{name}Serializer", (serializers.Serializer,), {"__doc__": description, **fields})


def rows_answered(
    rows: type[serializers.Serializer], *, is_computed: bool = False
) -> dict[Any, Any]:
    computing = OpenApiResponse(ComputingSerializer, description="Being computed; ask again.")
    return (
        {(200, "application/json"): rows(many=True), (200, "text/csv"): OpenApiTypes.STR}
        | ({202: computing} if is_computed else {})
        | READS
    )


def example(name: str, **row: object) -> OpenApiExample:
    return OpenApiExample(name, value=row, response_only=True, status_codes=["200"])


def requested_format(request: Request) -> Callable[..., Response | HttpResponse]:
    """Answers a table in the format asked for. Asked first, so that nothing is computed for an
    unknown format."""
    asked = request.query_params.get("format", "json")
    if asked not in FORMATS:
        raise UnknownChoice("format", asked, FORMATS)

    def answer(
        table: Table,
        *,
        awaits: Analysis | None = None,
        records: Callable[[], Records] | None = None,
    ) -> Response | HttpResponse:
        """`awaits`: an analysis that a worker may not have computed yet. `records`: what JSON has,
        where it is not the table's rows."""
        if awaits is not None and awaits.state != Analysis.State.DONE:
            return _being_computed(awaits)
        if asked == "csv":
            return HttpResponse(table.as_csv(), content_type=CSV)
        return Response(records() if records else table.as_records())

    return answer


def _being_computed(analysis: Analysis) -> Response:
    """For who asks for what no worker has computed yet; a failure is found under the queue."""
    if analysis.state == Analysis.State.FAILED:
        raise Http404
    body = {"code": "computing", "message": "Being computed; ask again.", "state": analysis.state}
    return Response(body, status=202, headers={"Retry-After": str(POLL_SECONDS)})
