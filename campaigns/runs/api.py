"""Runs for scripts: the ones to be seen, handing in, and their files."""

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
    """What comes with a run; and `answer_<name>` for each field of the organisers' own."""

    file = serializers.FileField(allow_empty_file=True)  # the checker names the fault
    run_type = serializers.ChoiceField(choices=Run.Type.choices, required=False)
    description = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    priority = serializers.IntegerField(
        required=False, min_value=1, max_value=100, help_text="Where the campaign asks for it."
    )
    replaces = serializers.CharField(
        required=False, allow_blank=True, max_length=16, help_text="The id of a run of the team."
    )
    team = serializers.CharField(
        required=False, allow_blank=True, max_length=16, help_text="Organisers: on whose behalf."
    )


class SubmittedSerializer(serializers.Serializer):
    id = serializers.CharField()
    status = serializers.CharField()
    url = serializers.CharField()


class RunRecordSerializer(serializers.Serializer):
    """One row of the page of runs; empty is what this viewer may not know."""

    id = serializers.CharField()
    run = serializers.CharField()
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


TAKEN = OpenApiExample(
    "taken",
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
        "message": "The team has its 5 runs of 7 days; the next one is taken from 3 June 2026 "
        "12:00:00 UTC.",
        "next_at": "2026-06-03T12:00:00Z",
    },
    response_only=True,
    status_codes=["429"],
)


@extend_schema(
    summary="The runs that you may see",
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
    """Your team's runs, and the others' where the campaign shows them; newest first."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.is_organiser and viewer.team is None and not viewer.can_see_runs:
        raise Http404
    return Response(run_records(viewer, listed_runs(viewer, request.query_params)))


@extend_schema(
    summary="Hand in a run",
    operation_id="runs_create",
    request={"multipart/form-data": UploadRequest},
    responses={202: SubmittedSerializer} | WRITES,
    parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
    examples=[TAKEN, TOO_MANY],
)
@write_view(takes=FILES, scope="uploads")
def run_create(request: Request, slug: str) -> Response:
    """Takes the file and answers at once; `url` tells what becomes of it. A repeated
    `Idempotency-Key` gives the first run back. What the organisers ask beyond the fields below is
    sent as `answer_<name>`."""
    viewer = access.viewer_or_404(request.user, slug)
    team = _team_or_404(viewer, str(request.data.get("team") or ""))
    further = tuple(f"answer_{field['name']}" for field in viewer.campaign.run_fields)
    said = validated_data(UploadRequest, request, also=further)
    run = submission.submit(
        viewer=viewer,
        upload=said["file"],
        arrived_at=request._request.arrived_at,
        completed_at=request._request.completed_at,
        description=_description(viewer.campaign, request),
        idempotency_key=_idempotency_key(request),
        replaces=said.get("replaces", ""),
        team=team,
    )
    url = request.build_absolute_uri(reverse("api:run-detail", args=[slug, run.public_id]))
    return Response({"id": run.public_id, "status": run.state, "url": url}, status=202)


@extend_schema(
    summary="A run's file, as it was handed in",
    operation_id="runs_file",
    responses={
        (200, "text/plain"): OpenApiTypes.BINARY,
        (200, "application/gzip"): OpenApiTypes.BINARY,
    }
    | READS,
)
@read_view
def run_file(request: Request, slug: str, public_id: str) -> FileResponse:
    """Your team's own; another team's where the campaign shows files and that team consents."""
    viewer = access.viewer_or_404(request.user, slug)
    return file_response(viewer, access.run_or_404(viewer, public_id))


def _description(campaign: Campaign, request: Request) -> descriptions.Description:
    """Raises `ValidationError`, field by field."""
    if request.data.get("priority") and not campaign.asks_priority:
        fault = ErrorDetail("This campaign does not ask for it.", "not_asked")
        raise serializers.ValidationError({"priority": [fault]})
    try:
        return descriptions.read_description(campaign, request.data)
    except FaultyDescription as error:
        raise serializers.ValidationError(
            {
                name: [ErrorDetail(fault, "invalid" if request.data.get(name) else "required")]
                for name, fault in error.faults.items()
            }
        ) from error


def _idempotency_key(request: Request) -> str:
    key: str = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or not key.isprintable():
        fault = f"At most {LONGEST_KEY} characters, all of them to be seen."
        raise serializers.ValidationError({"Idempotency-Key": [fault]})
    return key


def _team_or_404(viewer: access.Viewer, public_id: str) -> Team:
    """The team named, if this person may hand in for it; the own one where none is."""
    if not public_id:
        if viewer.team is None:
            raise Http404
        return viewer.team
    if viewer.team is not None and viewer.team.public_id == public_id:
        return viewer.team
    if not viewer.is_organiser or "\0" in public_id:
        raise Http404
    return get_object_or_404(viewer.campaign.teams, public_id=public_id)
