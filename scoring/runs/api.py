"""One run for scripts: status, problems, scores."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import read_view
from campaigns.api.responses import READS, ProblemSerializer
from campaigns.models import Run
from scoring.baselines.api import BASELINE, CORRECTION, DifferenceSerializer
from scoring.baselines.tables import difference_record
from scoring.evaluation.feedback import feedback_on
from scoring.evaluation.progress import progress_of
from scoring.output.sources import JUDGED_BY, JUDGED_BY_HELP
from scoring.results.options import shown_qrels
from scoring.runs.baselines import RunBaselines, run_baselines
from scoring.runs.scores import run_scores


class ScoreSerializer(serializers.Serializer):
    """A mean over topics: the score lies between `base` and `base + residual`."""

    measure = serializers.CharField()
    base = serializers.FloatField(allow_null=True)
    residual = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField(source="topic_count")


class MeasuredDifferenceSerializer(DifferenceSerializer):
    measure = serializers.CharField()


class FeedbackSerializer(serializers.Serializer):
    """Feedback before publication, if the campaign gives any; null: none for this run."""

    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    best = serializers.FloatField(allow_null=True, help_text="the team's, so far")
    is_enough = serializers.BooleanField(help_text="the team has reached its limit of feedback")


class RunSerializer(serializers.Serializer):
    """The status of a run. A run of another team has only its name, tag and visible scores."""

    id = serializers.CharField()
    name = serializers.CharField(help_text="the name that pages show")
    tag = serializers.CharField(help_text="column 6 of its file")
    status = serializers.CharField(
        required=False,
        help_text="waiting, checking, checked, accepted, scoring or scored; or refused, failed",
    )
    is_late = serializers.BooleanField(required=False)
    is_withdrawn = serializers.BooleanField(required=False, help_text="or replaced")
    sha256 = serializers.CharField(required=False)
    problem_count = serializers.IntegerField(required=False)
    problems = ProblemSerializer(many=True, required=False)
    warnings = ProblemSerializer(many=True, required=False)
    validation_report = serializers.DictField(required=False)
    feedback = FeedbackSerializer(required=False, allow_null=True)
    scores = ScoreSerializer(many=True, help_text="empty if you may not see them yet")
    judged_by = serializers.CharField(required=False, help_text=JUDGED_BY_HELP)
    is_baseline = serializers.BooleanField(
        required=False, help_text="marked by the organisers; only if you may see the leaderboard"
    )
    differences = MeasuredDifferenceSerializer(
        many=True,
        required=False,
        allow_null=True,
        help_text="with `baseline`; null while a worker computes them",
    )


SCORED = OpenApiExample(
    "scored",
    value={
        "id": "k5zq3wd7c2hxy4ma",
        "name": "uni-bm25",
        "tag": "uni-bm25",
        "status": "scored",
        "is_late": False,
        "is_withdrawn": False,
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "problem_count": 0,
        "problems": [],
        "warnings": [],
        "validation_report": {"topics": 50, "of_topics": 50, "tied_documents": 0},
        "feedback": None,
        "scores": [{"measure": "RBP(p=0.8)", "base": 0.5817, "residual": 0.0421, "topics": 50}],
    },
    response_only=True,
)


@extend_schema(
    summary="One run: status, problems, scores",
    operation_id="runs_read",
    parameters=[BASELINE, CORRECTION],
    responses={200: RunSerializer} | READS,
    examples=[SCORED],
)
@read_view
def run_detail(request: Request, slug: str, public_id: str) -> Response:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    scores = ScoreSerializer(run_scores(viewer, run), many=True).data
    qrels = shown_qrels(viewer)
    has_program = bool(scores) and qrels is not None and qrels.has_program
    sources = {JUDGED_BY: qrels.counts_by_source} if has_program else {}
    status_fields = _status_fields(run, viewer) if viewer.can_follow(run) else {}
    against = {"is_baseline": run.is_baseline} if viewer.can_see_baselines else {}
    baselines = run_baselines(viewer, run, request.query_params)
    differences = {"differences": _differences(baselines)} if baselines.chosen else {}
    return Response(
        {
            "id": run.public_id,
            "name": run.shown_name,
            "tag": viewer.tag_of(run),
            **status_fields,
            "scores": scores,
            **sources,
            **against,
            **differences,
        }
    )


def _differences(baselines: RunBaselines) -> list[dict[str, Any]] | None:
    if baselines.chosen is None or baselines.pending_analysis is not None:
        return None
    baseline, correction = baselines.chosen.run_id, baselines.correction
    return [
        {"measure": str(row.measure)}
        | (difference_record(baseline, correction, row.difference) or {})
        for row in baselines.rows
    ]


def _status_fields(run: Run, viewer: access.Viewer) -> dict[str, Any]:
    feedback = feedback_on(viewer, run)
    # Flags say that a run may probe the judgments, which is for organisers to look into.
    hidden = () if viewer.is_organiser else ("flags",)
    return {
        "status": progress_of(run, viewer).state,
        "is_late": run.is_late,
        "is_withdrawn": run.withdrawn_at is not None or run.replaced_at is not None,
        "sha256": run.digest,
        "problem_count": run.problem_count,
        "problems": run.problems,
        "warnings": run.warnings,
        "validation_report": {name: v for name, v in run.check_sheet.items() if name not in hidden},
        "feedback": FeedbackSerializer(feedback).data if feedback else None,
    }
