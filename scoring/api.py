"""What the pages show, for scripts: one run's status and scores, and the leaderboard."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.models import Run
from scoring import exports
from scoring.leaderboard import chosen_measure, leaderboard
from scoring.progress import progress_of
from scoring.run_scores import run_scores


class ProblemSerializer(serializers.Serializer):
    code = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    field = serializers.IntegerField(allow_null=True)
    value = serializers.CharField()
    message = serializers.CharField()


class ScoreSerializer(serializers.Serializer):
    measure = serializers.CharField()
    base = serializers.FloatField(allow_null=True)
    residual = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField(source="topic_count")


class RunSerializer(serializers.Serializer):
    id = serializers.CharField()
    tag = serializers.CharField()
    status = serializers.CharField(required=False)
    sha256 = serializers.CharField(required=False)
    problem_count = serializers.IntegerField(required=False)
    problems = ProblemSerializer(many=True, required=False)
    warnings = ProblemSerializer(many=True, required=False)
    scores = ScoreSerializer(many=True)


class RowSerializer(serializers.Serializer):
    rank = serializers.IntegerField(allow_null=True)
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


@extend_schema(summary="One run: status, problems, scores", responses=RunSerializer)
@api_view(["GET"])
def run_detail(request: Request, slug: str, public_id: str) -> Response:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    scores = ScoreSerializer(run_scores(viewer, run), many=True).data
    followed = _followed(run) if viewer.can_follow(run) else {}
    return Response({"id": run.public_id, "tag": run.tag, **followed, "scores": scores})


@extend_schema(
    summary="The leaderboard",
    parameters=[
        OpenApiParameter("measure", str, description="such as RBP(p=0.8); one of the campaign's"),
        OpenApiParameter("format", str, enum=["json", "csv"]),
    ],
    responses=RowSerializer(many=True),
)
@api_view(["GET"])
def leaderboard_rows(request: Request, slug: str) -> Response | HttpResponse:
    """The rows of the page at full precision; `format=csv` gives the page's CSV."""
    viewer = access.board_or_404(request.user, slug)
    board = leaderboard(viewer, chosen_measure(viewer, request.GET.get("measure")))
    match request.GET.get("format", "json"):
        case "json":
            return Response(exports.board_records(board))
        case "csv":
            return HttpResponse(exports.board_csv(board), content_type="text/csv; charset=utf-8")
        case other:
            raise Http404(f"There is no format {other}.")


def _followed(run: Run) -> dict[str, Any]:
    return {
        "status": progress_of(run).state,
        "sha256": run.digest,
        "problem_count": run.problem_count,
        "problems": run.problems,
        "warnings": run.warnings,
    }
