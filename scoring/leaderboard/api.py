"""The leaderboard for scripts."""

from functools import partial

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import read_view
from campaigns.api.responses import READS, RefusalSerializer
from campaigns.models import Run
from scoring.baselines.api import BASELINE, CORRECTION, DifferenceSerializer
from scoring.leaderboard.query import cached_leaderboard
from scoring.leaderboard.tables import board_records, board_table
from scoring.output.api import FORMAT, MEASURE, QRELS, requested_format
from scoring.output.public import AnyResponse, public_response
from scoring.output.responses import BEING_COMPUTED
from scoring.results.options import POOLED


class ColumnSerializer(serializers.Serializer):
    """A further measure, requested by `columns`."""

    measure = serializers.CharField()
    base = serializers.FloatField(allow_null=True)
    residual = serializers.FloatField(allow_null=True)


class TiesSerializer(serializers.Serializer):
    """The score over all orders of the run's tied documents."""

    expected = serializers.FloatField(allow_null=True, help_text="the mean over all orders")
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    can_swap = serializers.BooleanField(
        help_text="with another order of tied documents, the next run could be ahead of this run"
    )


class IntervalSerializer(serializers.Serializer):
    """How certain the rank is: see `ranks/`."""

    rank_best = serializers.IntegerField(allow_null=True)
    rank_worst = serializers.IntegerField(allow_null=True)
    first_share = serializers.FloatField(allow_null=True)
    rank_set_best = serializers.IntegerField(allow_null=True)
    rank_set_worst = serializers.IntegerField(allow_null=True)
    possible_best = serializers.IntegerField(allow_null=True)
    possible_worst = serializers.IntegerField(allow_null=True)
    rank_set_caution = serializers.CharField(
        help_text="a sentence about rank sets that are wide, the same in all rows, or empty"
    )


class RowSerializer(serializers.Serializer):
    """A run on the leaderboard: its score lies between `base` and `upper`."""

    rank = serializers.IntegerField(allow_null=True, help_text="null: not ranked; see status")
    run = serializers.CharField()
    team = serializers.CharField()
    run_type = serializers.CharField()
    measure = serializers.CharField()
    base = serializers.FloatField(allow_null=True)
    residual = serializers.FloatField(allow_null=True)
    upper = serializers.FloatField(allow_null=True)
    judged_at_10 = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField()
    qrels = serializers.IntegerField(allow_null=True)
    run_id = serializers.CharField()
    status = serializers.ChoiceField(choices=["ranked", "late", "disqualified"])
    reason = serializers.CharField()
    is_baseline = serializers.IntegerField(help_text="1: marked as a baseline by the organisers")
    base_of_people = serializers.FloatField(
        allow_null=True,
        required=False,
        help_text="if a program judged: the base under the judgments of people alone",
    )
    judged_by = serializers.CharField(
        required=False, help_text="if a program judged: the number of judgments by source"
    )
    columns = ColumnSerializer(many=True, required=False, help_text="if requested")
    ranks_gained = serializers.IntegerField(
        allow_null=True,
        required=False,
        help_text="under another qrels version: compared with the active version",
    )
    ties = TiesSerializer(allow_null=True, required=False, help_text="with ties=on")
    interval = IntervalSerializer(allow_null=True, required=False, help_text="with ranks=on")
    difference = DifferenceSerializer(
        allow_null=True, required=False, help_text="with baseline; null for the baseline itself"
    )


TEAM = OpenApiParameter("team", str, description="a team's id")
TYPE = OpenApiParameter("type", str, enum=list(Run.Type.values))
JUDGED = OpenApiParameter(
    "judged", str, enum=list(POOLED), description="only runs in the judged pool, or not in it"
)
PERSISTENCE = OpenApiParameter("p", float, description="another p for RBP, from 0 to 0.999")
RUNS = OpenApiParameter(
    "runs", str, enum=["all", "best"], description="best: only the best run of each team"
)
COLUMNS = OpenApiParameter("columns", str, many=True, description="further measures")
RANKS = OpenApiParameter("ranks", str, enum=["on", "off"], description="how certain the ranks are")
TIES = OpenApiParameter("ties", str, enum=["on", "off"], description="the effect of ties")
ROW = OpenApiExample(
    "the first run",
    value={
        "rank": 1,
        "run": "uni-bm25",
        "team": "Uni",
        "run_type": "automatic",
        "measure": "RBP(p=0.8)",
        "base": 0.5817,
        "residual": 0.0421,
        "upper": 0.6238,
        "judged_at_10": 0.98,
        "topics": 50,
        "qrels": 2,
        "run_id": "k5zq3wd7c2hxy4ma",
        "status": "ranked",
        "reason": "",
        "is_baseline": 0,
        "columns": [{"measure": "AP", "base": 0.3102, "residual": None}],
    },
    response_only=True,
)


@extend_schema(
    summary="The leaderboard",
    operation_id="leaderboard",
    parameters=[
        MEASURE,
        QRELS,
        TEAM,
        TYPE,
        JUDGED,
        RUNS,
        PERSISTENCE,
        COLUMNS,
        TIES,
        RANKS,
        BASELINE,
        CORRECTION,
        FORMAT,
    ],
    responses={
        202: OpenApiResponse(RefusalSerializer, description=BEING_COMPUTED),
        (200, "application/json"): RowSerializer(many=True),
        (200, "text/csv"): OpenApiTypes.STR,
    }
    | READS,
    examples=[ROW],
)
@read_view
def leaderboard_rows(request: Request, slug: str) -> AnyResponse:
    """The rows of the page at full precision. `format=csv` returns the CSV of the page."""
    viewer = access.board_or_404(request.user, slug)

    def rows() -> Response | HttpResponse:
        # Before the board, so that nothing is computed for an unknown format.
        respond = requested_format(request)
        board = cached_leaderboard(viewer, request.query_params)
        records = partial(board_records, board)
        return respond(board_table(board), awaits=board.pending_analysis, records=records)

    return public_response(request, viewer, rows)
