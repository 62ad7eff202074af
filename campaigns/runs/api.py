"""The API of runs: list, submit, download."""

from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import FILES, read_view, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import READS, WRITES
from campaigns.errors import FaultyDescription
from campaigns.models import Campaign, Run, Team
from campaigns.runs import description as descriptions
from campaigns.runs import submission
from campaigns.runs.files import file_response
from campaigns.runs.rows import listed_runs, run_records

LONGEST_KEY = 64


class UploadRequest(RequestSerializer):
    """A run with its description, and `answer_<name>` for each field of the run description
    form."""

    file = serializers.FileField(allow_empty_file=True)  # the check of the run refuses it
    name = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=descriptions.LONGEST_NAME,
        help_text="The name that pages show. Empty: the tag of the file.",
    )
    run_type = serializers.ChoiceField(choices=Run.Type.choices, required=False)
    description = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    priority = serializers.IntegerField(
        required=False, min_value=1, max_value=100, help_text="If the campaign asks for it."
    )
    replaces = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=16,
        help_text="The id of the team's run that this one replaces.",
    )
    team = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=16,
        help_text="For organisers: the id of the team to submit for.",
    )


class SubmittedSerializer(serializers.Serializer):
    id = serializers.CharField()
    status = serializers.CharField()
    url = serializers.CharField()


class RunRecordSerializer(serializers.Serializer):
    """One row of the page of runs. Values that the viewer may not see are empty."""

    id = serializers.CharField()
    name = serializers.CharField(help_text="The name that pages show.")
    run = serializers.CharField(help_text="The same, as in tables.")
    team = serializers.CharField()
    type = serializers.CharField()
    state = serializers.CharField()
    is_late = serializers.BooleanField()
    submitted_at = serializers.CharField()
    disqualified_because = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField(allow_null=True)
    problem_count = serializers.IntegerField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    description = serializers.CharField()
    answers = serializers.DictField()
    is_baseline = serializers.BooleanField(
        required=False, help_text="Only if you may see the leaderboard."
    )


ACCEPTED = OpenApiExample(
    "submission accepted",
    value={
        "id": "k5zq3wd7c2hxy4ma",
        "status": "waiting",
        "url": "https://trackside.example/api/campaigns/robust-2026/runs/k5zq3wd7c2hxy4ma/",
    },
    response_only=True,
    status_codes=["202"],
)
TOO_MANY = OpenApiExample(
    "quota",
    value={
        "code": "quota",
        "message": "The team has submitted 5 of 5 runs within 7 days. It can submit another run "
        "from 3 June 2026 12:00:00 UTC.",
        "next_at": "2026-06-03T12:00:00Z",
    },
    response_only=True,
    status_codes=["429"],
)


@extend_schema(
    summary="List the runs that you may see",
    operation_id="runs_list",
    responses={200: RunRecordSerializer(many=True)} | READS,
    parameters=[
        OpenApiParameter("team", str, description="A team's id."),
        OpenApiParameter("type", str, description="automatic, manual or feedback."),
        OpenApiParameter("state", str, description="waiting, checked, accepted, refused, ..."),
    ],
)
@read_view
def run_list(request: Request, slug: str) -> Response:
    """Your team's runs, and those of other teams if the campaign shows them, newest first."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.is_organiser and viewer.team is None and not viewer.can_see_runs:
        raise Http404
    return Response(run_records(viewer, listed_runs(viewer, request.query_params)))


@extend_schema(
    summary="Submit a run",
    operation_id="runs_create",
    request={"multipart/form-data": UploadRequest},
    responses={202: SubmittedSerializer} | WRITES,
    parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
    examples=[ACCEPTED, TOO_MANY],
)
@write_view(takes=FILES, scope="uploads")
def run_create(request: Request, slug: str) -> Response:
    """Stores the file and answers before it is checked. Read the result at `url`. A repeated
    `Idempotency-Key` returns the first run. Send each further field of the run description form
    as `answer_<name>`."""
    viewer = access.viewer_or_404(request.user, slug)
    team = _team_or_404(viewer, str(request.data.get("team") or ""))
    # The request may have these fields in addition to those of `UploadRequest`.
    answers = tuple(f"answer_{field['name']}" for field in viewer.campaign.run_fields)
    data = validated_data(UploadRequest, request, also=answers)
    description = _description(viewer.campaign, request)
    key: str = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or not key.isprintable():
        message = f"Use at most {LONGEST_KEY} printable characters."
        raise serializers.ValidationError({"Idempotency-Key": [message]})
    run = submission.submit(
        viewer=viewer,
        upload=data["file"],
        arrived_at=request._request.arrived_at,
        completed_at=request._request.completed_at,
        description=description,
        idempotency_key=key,
        replaces=data.get("replaces", ""),
        team=team,
    )
    url = request.build_absolute_uri(reverse("api:run-detail", args=[slug, run.public_id]))
    return Response({"id": run.public_id, "status": run.state, "url": url}, status=202)


@extend_schema(
    summary="Download a run's file as submitted",
    operation_id="runs_file",
    responses={
        (200, "text/plain"): OpenApiTypes.BINARY,
        (200, "application/gzip"): OpenApiTypes.BINARY,
    }
    | READS,
)
@read_view
def run_file(request: Request, slug: str, public_id: str) -> FileResponse:
    """A file of your own team, or of another team if the campaign shows files and that team
    consents."""
    viewer = access.viewer_or_404(request.user, slug)
    return file_response(viewer, access.run_or_404(viewer, public_id))


def _description(campaign: Campaign, request: Request) -> descriptions.Description:
    """Raises `ValidationError`, field by field."""
    if request.data.get("priority") and not campaign.asks_priority:
        message = "This campaign does not ask for a priority. Remove this field."
        raise serializers.ValidationError({"priority": [ErrorDetail(message, "not_asked")]})
    try:
        return descriptions.read_description(campaign, request.data)
    except FaultyDescription as error:
        raise serializers.ValidationError(
            {
                name: [ErrorDetail(message, "invalid" if request.data.get(name) else "required")]
                for name, message in error.faults.items()
            }
        ) from error


def _team_or_404(viewer: access.Viewer, public_id: str) -> Team | None:
    """The named team, if this viewer may submit for it. Without a name None: the own team."""
    if not public_id:
        return None
    if viewer.team is not None and viewer.team.public_id == public_id:
        return viewer.team
    # PostgreSQL refuses a NUL in a query.
    if not viewer.is_organiser or "\0" in public_id:
        raise Http404
    return get_object_or_404(viewer.campaign.teams, public_id=public_id)
