"""Scores estimated from a stratified sample, for scripts."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.endpoints import read_view
from scoring.estimates.query import estimates_query
from scoring.estimates.tables import ESTIMATES, estimates_table
from scoring.output.api import (
    FORMAT,
    MEASURE,
    QRELS,
    example,
    requested_format,
    row_serializer,
    table_responses,
)
from scoring.output.public import api_board_viewer


@extend_schema(
    summary="Scores estimated from a stratified sample of people's judgments",
    description=(
        "low to high: the 95 % interval, null where the sample shows no error of the program. base "
        "and residual: by people's judgments alone. program: by those of the program alone. "
        "Judgments that the program made after qrels with its judgments were frozen do not count. "
        "Empty until people have judged all documents of the sample under these qrels. Until a "
        "worker has computed the result, the status is 202, with a `Retry-After` header."
    ),
    operation_id="estimates",
    tags=["analyses"],
    parameters=[
        MEASURE,
        OpenApiParameter("program", str, description="id of a program, or none"),
        OpenApiParameter("to", str, description="id of the run to which differences are taken"),
        QRELS,
        FORMAT,
    ],
    responses=table_responses(
        row_serializer("EstimatedRun", "A ranked run.", ESTIMATES), is_computed=True
    ),
    examples=[
        example(
            "the first run", rank=1, run="uni-bm25", team="Uni", base=0.2103, residual=0.6144,
            program=0.6934, estimate=0.6518, std_error=0.0614, low=0.5291, high=0.7745,
            degrees=64.2, run_id="k5zq3wd7c2hxy4ma",
        ),
    ],
)  # fmt: skip
@read_view
def estimates(request: Request, slug: str) -> Response | HttpResponse:
    """One row for each ranked run of the sample, the highest estimate first."""
    viewer = api_board_viewer(request, slug)
    respond = requested_format(request)
    query = estimates_query(viewer, request.query_params)
    table = estimates_table(query.rows, query.measure, query.other)
    return respond(table, awaits=query.analysis, qrels=[query.qrels])
