"""Significance tests, for scripts: the rows of the page and of its CSV."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import read_view
from campaigns.options import UnknownChoice
from scoring.output.api import (
    FORMAT,
    MEASURE,
    QRELS,
    example,
    requested_format,
    rows_answered,
)
from scoring.significance.options import OFFERED as TESTS
from scoring.significance.query import significance_query
from scoring.significance.tables import pairs_table


class PairSerializer(serializers.Serializer):
    """Two runs: `a` is the candidate, or stands higher on the board; numbers are a - b."""

    a = serializers.CharField()
    b = serializers.CharField()
    difference = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    p_corrected = serializers.FloatField(allow_null=True)
    method = serializers.CharField()
    effect = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField()
    significant = serializers.IntegerField(help_text="1 at the level that was asked for, else 0")
    a_rank = serializers.IntegerField()
    b_rank = serializers.IntegerField()
    a_team = serializers.CharField()
    b_team = serializers.CharField()
    a_run_id = serializers.CharField()
    b_run_id = serializers.CharField()


@extend_schema(
    summary="Which runs can be told apart",
    description=(
        "Against top or projected the question is whether the run that scores higher, a, wins. With"
        " two tails significant is 1 also where a falls behind (difference < 0); tail=one leaves"
        " these out."
    ),
    operation_id="significance",
    tags=["analyses"],
    parameters=[
        MEASURE,
        QRELS,
        *(OpenApiParameter(name, str, enum=list(offered)) for name, offered in TESTS.items()),
        FORMAT,
    ],
    responses=rows_answered(PairSerializer, is_computed=True),
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
def significance(request: Request, slug: str) -> Response | HttpResponse:
    """One row a pair of runs, in the order of the board. Until a worker has tested them all it is
    answered with 202, and `Retry-After` says when to ask again."""
    viewer = access.board_or_404(request.user, slug)
    answer = requested_format(request)
    asked = significance_query(viewer, request.query_params)
    if fault := asked.choices.fault:
        raise UnknownChoice("correction", asked.choices.correction, why=fault)
    return answer(pairs_table(asked.found), awaits=asked.analysis)
