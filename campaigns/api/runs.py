"""Runs for scripts: the ones to be seen, handing in, accepting, taking back, and their files."""

from typing import Any

from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, descriptions, intake, verdicts
from campaigns.models import Run, Team
from campaigns.run_rows import listed_runs, run_records
from campaigns.views.run_list import file_response


class UploadSerializer(serializers.Serializer):
    """What comes with a run; and `answer_<name>` for each field of the organisers' own."""

    file = serializers.FileField(allow_empty_file=True)  # the checker names the fault
    run_type = serializers.ChoiceField(choices=Run.Type.choices, required=False)
    description = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    priority = serializers.IntegerField(required=False, min_value=1, max_value=100)
    replaces = serializers.CharField(
        required=False, allow_blank=True, max_length=16, help_text="The id of a run of the team."
    )
    team = serializers.CharField(
        required=False, allow_blank=True, max_length=16, help_text="Organisers: on whose behalf."
    )


class TakenSerializer(serializers.Serializer):
    id = serializers.CharField()
    status = serializers.CharField()
    url = serializers.CharField()


class NotTakenSerializer(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()
    next_at = serializers.DateTimeField(required=False)


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


class RunStateSerializer(serializers.Serializer):
    id = serializers.CharField()
    status = serializers.CharField()


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
    responses=RunRecordSerializer(many=True),
    parameters=[
        OpenApiParameter("team", str, description="A team's id."),
        OpenApiParameter("type", str, description="automatic, manual or feedback."),
        OpenApiParameter("state", str, description="waiting, checked, accepted, refused, ..."),
    ],
)
@api_view(["GET"])
def run_list(request: Request, slug: str) -> Response:
    """Your team's runs, and the others' where the campaign shows them; newest first."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.is_organiser and viewer.team is None and not viewer.can_see_runs:
        raise Http404
    return Response(run_records(viewer, listed_runs(viewer, request.query_params)))


@extend_schema(
    summary="Hand in a run",
    operation_id="runs_create",
    request={"multipart/form-data": UploadSerializer},
    responses={
        202: TakenSerializer,
        400: OpenApiResponse(description="Something is missing or malformed."),
        409: NotTakenSerializer,
        429: NotTakenSerializer,
    },
    parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
    examples=[TAKEN, TOO_MANY],
)
@api_view(["POST"])
@permission_classes([IsAuthenticated])
@parser_classes([MultiPartParser])
def run_create(request: Request, slug: str) -> Response:
    """Takes the file and answers at once; `url` tells what becomes of it. A repeated
    `Idempotency-Key` gives the first run back. What the organisers ask beyond the fields below is
    sent as `answer_<name>`."""
    viewer = access.viewer_or_404(request.user, slug)
    team = _team_or_404(viewer, str(request.data.get("team") or ""))
    upload = UploadSerializer(data=request.data)
    upload.is_valid(raise_exception=True)
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > 64 or not key.isprintable():
        raise serializers.ValidationError("An Idempotency-Key has at most 64 characters.")
    try:
        run = intake.hand_in(
            viewer=viewer,
            upload=upload.validated_data["file"],
            arrived_at=request._request.arrived_at,
            description=descriptions.read_description(viewer.campaign, request.data),
            idempotency_key=key,
            replaces=upload.validated_data.get("replaces", ""),
            team=team,
        )
    except descriptions.FaultyDescription as error:
        raise serializers.ValidationError(
            {name: [fault] for name, fault in error.faults.items()}
        ) from error
    except intake.NotTaken as error:
        return _not_taken(error)
    url = request.build_absolute_uri(reverse("api:run-detail", args=[slug, run.public_id]))
    return Response({"id": run.public_id, "status": run.state, "url": url}, status=202)


run_create.cls.throttle_scope = "uploads"


@extend_schema(
    summary="Accept a checked run: from now on it counts",
    request=None,
    responses={200: RunStateSerializer, 409: NotTakenSerializer},
)
@api_view(["POST"])
@permission_classes([IsAuthenticated])
def run_accept(request: Request, slug: str, public_id: str) -> Response:
    """Where the campaign asks for it, a run counts once its team has seen the check sheet and says
    so. Accepting twice changes nothing."""
    viewer, run = _followed_or_404(request, slug, public_id)
    may = verdicts.can_accept(viewer, run)
    if may and verdicts.accept_checked(run=run, person=request.user):
        run.refresh_from_db()
    if run.state != Run.State.ACCEPTED:
        return _refused("not_acceptable", "It is not checked, or cannot be accepted any more.")
    return Response({"id": run.public_id, "status": run.state})


@extend_schema(
    summary="Withdraw a run",
    request=None,
    responses={200: RunStateSerializer, 409: NotTakenSerializer},
)
@api_view(["POST"])
@permission_classes([IsAuthenticated])
def run_withdraw(request: Request, slug: str, public_id: str) -> Response:
    """While runs are taken. It leaves the board and cannot be put back. Withdrawing twice changes
    nothing."""
    viewer, run = _followed_or_404(request, slug, public_id)
    if intake.can_withdraw(viewer, run, request._request.arrived_at):
        intake.withdraw_run(run=run, person=request.user)
        run.refresh_from_db()
    if run.withdrawn_at is None:
        return _refused("not_withdrawable", "Runs are not taken any more: ask an organiser.")
    return Response({"id": run.public_id, "status": "withdrawn"})


@extend_schema(
    summary="A run's file, as it was handed in",
    responses={(200, "text/plain"): OpenApiTypes.BINARY},
)
@api_view(["GET"])
def run_file(request: Request, slug: str, public_id: str) -> FileResponse:
    """Your team's own; another team's where the campaign shows files and that team consents."""
    viewer = access.viewer_or_404(request.user, slug)
    return file_response(viewer, access.run_or_404(viewer, public_id))


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


def _followed_or_404(request: Request, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    if not viewer.can_follow(run):
        raise Http404
    return viewer, run


def _not_taken(error: intake.NotTaken) -> Response:
    """429 where waiting helps: a script that hears it may simply wait."""
    body: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.next_at is None:
        return Response(body, status=409)
    body["next_at"] = error.next_at
    if error.code not in {"quota", "attempts"}:
        return Response(body, status=409)
    seconds = (error.next_at - timezone.now()).total_seconds()
    return Response(body, status=429, headers={"Retry-After": str(max(int(seconds) + 1, 1))})


def _refused(code: str, message: str) -> Response:
    return Response({"code": code, "message": message}, status=409)
