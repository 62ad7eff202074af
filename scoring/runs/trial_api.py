"""*Try a file* for scripts."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import FILES, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import WRITES, ProblemSerializer, as_dicts
from campaigns.runs.description import LONGEST_NAME, read_name
from scoring.runs.trial import try_file


class TrialRequest(RequestSerializer):
    file = serializers.FileField(allow_empty_file=True)  # the check refuses it
    name = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_NAME,
        help_text="The run name. Empty: the tag of the file.",
    )

    def validate_name(self, name: str) -> str:
        return read_name(name)


class TrialSerializer(serializers.Serializer):
    """What a submission of the file would have said."""

    name = serializers.CharField(help_text="What pages would show.")
    tag = serializers.CharField()
    topics = serializers.IntegerField()
    lines = serializers.IntegerField()
    warnings = ProblemSerializer(many=True)
    validation_report = serializers.DictField()


@extend_schema(
    summary="Check a run file without submitting it",
    operation_id="runs_try",
    request={"multipart/form-data": TrialRequest},
    responses={200: TrialSerializer} | WRITES,
)
@write_view(takes=FILES, scope=None)
def run_trial(request: Request, slug: str) -> Response:
    """The check of a submission, before or after you join a team. Nothing is stored. A file with
    problems is refused with 400 and the problems."""
    viewer = access.viewer_or_404(request.user, slug)
    data = validated_data(TrialRequest, request)
    trial = try_file(viewer, data["file"], data.get("name", ""))
    return Response(
        {
            "name": trial.name,
            "tag": trial.tag,
            "topics": trial.topics,
            "lines": trial.lines,
            "warnings": as_dicts(trial.warnings),
            "validation_report": trial.report,
        }
    )
