"""Scores by topic for scripts."""

from django.http import Http404, HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from campaigns import access
from campaigns.access import Viewer
from campaigns.api.endpoints import read_view
from campaigns.api.responses import READS
from campaigns.options import UnknownChoice
from scoring.downloads.scores import (
    has_tidy_rows,
    requested_qrels,
    requested_rows,
    tidy_json,
    tidy_table,
)
from scoring.downloads.trec_eval import trec_eval_text
from scoring.output.api import COMPUTING, MEASURE, QRELS
from scoring.output.long_downloads import first_items, refuse_too_long
from scoring.output.public import campaign_viewer
from scoring.output.responses import PLAIN, csv_response
from scoring.output.sources import JUDGED_BY_HELP
from scoring.output.stored_tables import stored_if_long
from scoring.output.table import ROWS_AT_A_TIME
from scoring.runs.scores import sees_topics_of


class ScoreRowSerializer(serializers.Serializer):
    """One run, topic and measure."""

    run = serializers.CharField()
    team = serializers.CharField()
    topic = serializers.CharField()
    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="null: not counted or not defined")
    residual = serializers.FloatField(allow_null=True)
    qrels = serializers.IntegerField()
    definitions = serializers.CharField(help_text="the rules of scoring, as a digest")
    run_sha256 = serializers.CharField(help_text="of the submitted file")
    judged_by = serializers.CharField(required=False, help_text=JUDGED_BY_HELP)


ROW = OpenApiExample(
    "a score",
    value={
        "run": "uni-bm25",
        "team": "Uni",
        "topic": "301",
        "measure": "RBP(p=0.8)",
        "value": 0.4208,
        "residual": 0.0105,
        "qrels": 2,
        "definitions": "3f0c9b1a7e5d2c64",
        "run_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    response_only=True,
)


@extend_schema(
    summary="Scores by topic",
    operation_id="scores",
    parameters=[
        MEASURE,
        QRELS,
        OpenApiParameter("run", str, description="a run's id; needed for trec_eval"),
        OpenApiParameter("format", str, enum=["json", "csv", "trec_eval"]),
    ],
    responses={
        (200, "application/json"): ScoreRowSerializer(many=True),
        (200, "text/csv"): OpenApiTypes.STR,
        (200, "text/plain"): OpenApiTypes.STR,
    }
    | COMPUTING
    | READS,
    examples=[ROW],
)
@read_view
@stored_if_long(campaign_viewer)
def score_rows(request: Request, viewer: Viewer) -> HttpResponse | StreamingHttpResponse:
    """Scores of every run whose scores by topic you may see, by all measures or by one.
    `format=csv` returns a tidy table, `format=trec_eval` the scores of one run in the format of
    `trec_eval -q`. A worker writes very long tables; until then the response has status 202 and a
    `Retry-After` header."""
    params = request.query_params
    match params.get("format", "json"):
        case "json":
            rows = requested_rows(viewer, params)
            refuse_too_long(rows.count)
            objects = tidy_json(rows, requested_qrels(viewer, params))
            first, blocks = first_items(objects, ROWS_AT_A_TIME)
            return StreamingHttpResponse(blocks or first, content_type="application/json")
        case "csv":
            rows = requested_rows(viewer, params)
            return csv_response(tidy_table(rows, requested_qrels(viewer, params)))
        case "trec_eval":
            if not params.get("run") and has_tidy_rows(viewer):
                raise UnknownChoice(
                    "run", "", why="The format trec_eval is for one run. Add run=<id>."
                )
            run = access.run_or_404(viewer, params.get("run", ""))
            if not sees_topics_of(viewer, run):
                raise Http404
            return HttpResponse(trec_eval_text(viewer, run), content_type=PLAIN)
        case other:
            raise UnknownChoice("format", other, ["json", "csv", "trec_eval"])
