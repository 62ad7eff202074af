"""The leaderboard by pool depth, for scripts."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.access import Viewer
from campaigns.api.endpoints import read_view
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
from scoring.pools.options import OFFERED as DEPTHS
from scoring.pools.query import depths_query, study_of
from scoring.pools.tables import run_columns, runs_table

POOLED = row_serializer(
    "Pooled",
    "A run with the judgments of a smaller pool depth, and (`_all`) with all judgments.",
    run_columns(),
)


@extend_schema(
    summary="Pool depth",
    operation_id="pool",
    tags=["analyses"],
    parameters=[MEASURE, QRELS, OpenApiParameter("depth", str, enum=list(DEPTHS)), FORMAT],
    responses=table_responses(POOLED, is_computed=True),
    examples=[
        example(
            "the first run", run_id="k5zq3wd7c2hxy4ma", run="uni-bm25", team="Uni",
            measure="RBP(p=0.8)", depth="10", rank=2, base=0.531, residual=0.12, rank_all=1,
            base_all=0.5817, residual_all=0.0421, change=-0.0507, qrels=2,
        ),
    ],
)  # fmt: skip
@read_view
@public_table(api_board_viewer)
def pool(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each run: its scores if only the first `depth` documents of the pooled runs were
    judged (default: the depth of the pool), and with all judgments. Until a worker has computed
    the scores, the response has status 202."""
    respond = requested_format(request)
    query = depths_query(viewer, request.query_params)
    table = runs_table(study_of(viewer, query), query.choice, query.qrels)
    return respond(table, awaits=query.analysis, qrels=[query.qrels])
