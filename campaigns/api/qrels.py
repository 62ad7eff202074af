"""Versions of the qrels for scripts: read, loaded, and put in force."""

from typing import Any

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, assignments
from campaigns.api.answers import (
    FAULTY,
    FaultyFileSerializer,
    ProblemSerializer,
    RefusalSerializer,
    faulty_file,
    faulty_form,
    refused,
)
from campaigns.api.throttles import throttled
from campaigns.lifecycle import CannotStep
from campaigns.models import Qrels
from campaigns.qrels_files import NeedsConfirmation, text_of
from campaigns.qrels_versions import version_or_404, versions_visible_to
from campaigns.trec.problems import FormatError


class QrelsFileSerializer(serializers.Serializer):
    file = serializers.FileField(
        allow_empty_file=True, help_text="topic, 0, document, grade; or gzipped."
    )
    note = serializers.CharField(required=False, allow_blank=True, max_length=500)
    is_activated = serializers.BooleanField(
        default=True, help_text="Put it in force, which scores every run under it."
    )
    is_confirmed = serializers.BooleanField(
        default=False, help_text="Take it though it needs a look, after an answer that says so."
    )


class QrelsSerializer(serializers.Serializer):
    """One version; it never changes."""

    version = serializers.IntegerField()
    note = serializers.CharField()
    sha256 = serializers.CharField()
    judgments = serializers.IntegerField()
    highest_grade = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    is_active = serializers.BooleanField()
    warnings = ProblemSerializer(many=True)


@extend_schema(
    summary="The versions of the qrels",
    operation_id="qrels_list",
    responses=QrelsSerializer(many=True),
)
@api_view(["GET"])
def qrels_list(request: Request, slug: str) -> Response:
    """Those that you may see; not found where you may see none."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_qrels:
        raise Http404
    return Response([_qrels(viewer, qrels) for qrels in versions_visible_to(viewer)])


@extend_schema(
    summary="Load qrels as a new version",
    operation_id="qrels_add",
    request={"multipart/form-data": QrelsFileSerializer},
    responses={201: QrelsSerializer, 400: FaultyFileSerializer, 409: RefusalSerializer},
    examples=[FAULTY],
)
@throttled("organise")
@api_view(["POST"])
@permission_classes([IsAuthenticated])
@parser_classes([MultiPartParser])
def qrels_add(request: Request, slug: str) -> Response:
    """A file that can be used and that somebody should look at first is answered with 400 and the
    code `needs_confirmation`; sent again with `is_confirmed` it is taken. A file of the same
    content is not stored twice. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    upload = QrelsFileSerializer(data=request.data)
    if not upload.is_valid():
        return faulty_form(upload.errors)
    asked = upload.validated_data
    try:
        qrels, _ = assignments.add_qrels(
            campaign=viewer.campaign,
            data=asked["file"].read(),
            note=asked.get("note", ""),
            actor=request.user,
            is_activated=asked["is_activated"],
            is_confirmed=asked["is_confirmed"],
        )
    except NeedsConfirmation as doubt:
        message = "Look at these first; send the file again with is_confirmed to take it."
        return faulty_file(doubt, code="needs_confirmation", message=message)
    except FormatError as error:
        return faulty_file(error)
    except CannotStep as error:
        return refused("cannot_add", error)
    return Response(_qrels(_again(request, slug), qrels), status=201)


@extend_schema(
    summary="One version, as a file",
    operation_id="qrels_file",
    responses={(200, "text/plain"): OpenApiTypes.STR},
)
@api_view(["GET"])
def qrels_file(request: Request, slug: str, version: int) -> StreamingHttpResponse:
    """topic, 0, document, grade."""
    viewer = access.viewer_or_404(request.user, slug)
    qrels = version_or_404(viewer, version)
    return StreamingHttpResponse(text_of(qrels), content_type="text/plain; charset=utf-8")


@extend_schema(
    summary="Put a version in force",
    operation_id="qrels_activate",
    request=None,
    responses={200: QrelsSerializer, 409: RefusalSerializer},
)
@throttled("organise")
@api_view(["POST"])
@permission_classes([IsAuthenticated])
def qrels_activate(request: Request, slug: str, version: int) -> Response:
    """Every run is scored under it; scores under other versions are kept. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    qrels = version_or_404(viewer, version)
    try:
        assignments.activate_qrels(campaign=viewer.campaign, qrels=qrels, actor=request.user)
    except CannotStep as error:
        return refused("cannot_activate", error)
    return Response(_qrels(_again(request, slug), qrels))


def _again(request: Request, slug: str) -> access.Viewer:
    """The campaign as it is by now."""
    return access.organiser_or_404(request.user, slug)


def _qrels(viewer: access.Viewer, qrels: Qrels) -> dict[str, Any]:
    return {
        "version": qrels.version,
        "note": qrels.note,
        "sha256": qrels.digest,
        "judgments": qrels.judgment_count,
        "highest_grade": qrels.highest_grade,
        "created_at": qrels.created_at,
        "is_active": qrels.pk == viewer.campaign.active_qrels_id,
        "warnings": qrels.warnings,
    }
