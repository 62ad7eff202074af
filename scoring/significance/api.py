"""Significance tests, for scripts: the rows of the page and of its CSV."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.access import Viewer
from campaigns.api.endpoints import read_view
from campaigns.options import UnknownChoice
from scoring.output.api import (
    FORMAT,
    MEASURE,
    QRELS,
    example,
    requested_format,
    row_serializer,
    table_responses,
)
from scoring.output.public import api_board_viewer, public_table
from scoring.significance.options import OFFERED as TESTS
from scoring.significance.query import significance_query
from scoring.significance.tables import COLUMNS, pairs_table

PAIR = row_serializer(
    "Pair",
    "Two runs: `a` is the candidate, or has the higher rank; numbers are a - b.",
    COLUMNS,
)


@extend_schema(
    summary="Significance of all pairs of runs",
    description=(
        "Against top or projected, the test is whether the run that scores higher, a, is better."
        " With two tails, significant is 1 also where a is worse (difference < 0). tail=one leaves"
        " these pairs out."
    ),
    operation_id="significance",
    tags=["analyses"],
    parameters=[
        MEASURE,
        QRELS,
        *(OpenApiParameter(name, str, enum=list(offered)) for name, offered in TESTS.items()),
        FORMAT,
    ],
    responses=table_responses(PAIR, is_computed=True),
    examples=[
        example(
            "the first two runs", a="uni-bm25", b="lab-dense", difference=0.012, p=0.031,
            p_corrected=0.062, method="t", effect=0.31, topics=50, significant=0, a_rank=1,
            b_rank=2, a_team="Uni", b_team="Lab", a_run_id="k5zq3wd7c2hxy4ma",
            b_run_id="x2y7d5hc3aqz4wkm",
        ),
    ],
)  # fmt: skip
@read_view
@public_table(api_board_viewer)
def significance(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each pair of runs, in the order of the leaderboard. Until a worker has tested all
    pairs, the response has status 202 and a `Retry-After` header."""
    respond = requested_format(request)
    query = significance_query(viewer, request.query_params)
    if fault := query.choices.fault:
        raise UnknownChoice("correction", query.choices.correction, why=fault)
    return respond(pairs_table(query.result), awaits=query.analysis, qrels=[query.qrels])
