"""Versions of the qrels for scripts: read, loaded, frozen from judgments, and put in force."""

from typing import Any

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import FILES, action_view, read_view, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import FAULTY, READS, WRITES, ProblemSerializer
from campaigns.models import Qrels
from campaigns.qrels import topics
from campaigns.qrels.files import text_of
from campaigns.qrels.versions import version_or_404, versions_visible_to


class FreezeRequest(RequestSerializer):
    note = serializers.CharField(required=False, allow_blank=True, max_length=500)
    is_activated = serializers.BooleanField(
        default=True, help_text="Put it in force, which scores every run under it."
    )


class QrelsFileRequest(FreezeRequest):
    file = serializers.FileField(
        allow_empty_file=True, help_text="topic, 0, document, grade; or gzipped."
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
    provenance = serializers.DictField(
        help_text="Of a frozen version: counts of judgments and assessors, and the plans."
    )


@extend_schema(
    summary="The versions of the qrels",
    operation_id="qrels_list",
    responses={200: QrelsSerializer(many=True)} | READS,
)
@read_view
def qrels_list(request: Request, slug: str) -> Response:
    """Those that you may see; not found where you may see none."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_qrels:
        raise Http404
    return Response([_qrels(viewer, qrels) for qrels in versions_visible_to(viewer)])


@extend_schema(
    summary="Load qrels as a new version",
    operation_id="qrels_add",
    request={"multipart/form-data": QrelsFileRequest},
    responses={201: QrelsSerializer} | WRITES,
    examples=[FAULTY],
)
@write_view(takes=FILES)
def qrels_add(request: Request, slug: str) -> Response:
    """A file that can be used and that somebody should look at first is answered with 400 and the
    code `needs_confirmation`; sent again with `is_confirmed` it is taken. A file of the same
    content is not stored twice. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    said = validated_data(QrelsFileRequest, request)
    qrels, _ = topics.add_qrels(
        campaign=viewer.campaign,
        data=said["file"].read(),
        note=said.get("note", ""),
        actor=request.user,
        is_activated=said["is_activated"],
        is_confirmed=said["is_confirmed"],
    )
    return Response(_qrels(_again(request, slug), qrels), status=201)


@extend_schema(
    summary="Freeze the judgments as a new version",
    operation_id="qrels_freeze",
    request=FreezeRequest,
    responses={201: QrelsSerializer} | WRITES,
    examples=[
        OpenApiExample("the first pool", value={"note": "pool of depth 10"}, request_only=True)
    ],
)
@write_view()
def qrels_freeze(request: Request, slug: str) -> Response:
    """All judgments made so far; of a document judged more than once the latest one. Judgments that
    are a version already are not stored twice. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    said = validated_data(FreezeRequest, request)
    qrels = topics.freeze_judgments(
        campaign=viewer.campaign,
        note=said.get("note", ""),
        actor=request.user,
        is_activated=said["is_activated"],
    )
    return Response(_qrels(_again(request, slug), qrels), status=201)


@extend_schema(
    summary="One version, as a file",
    operation_id="qrels_file",
    responses={(200, "text/plain"): OpenApiTypes.STR} | READS,
)
@read_view
def qrels_file(request: Request, slug: str, version: int) -> StreamingHttpResponse:
    """topic, 0, document, grade."""
    viewer = access.viewer_or_404(request.user, slug)
    qrels = version_or_404(viewer, version)
    return StreamingHttpResponse(text_of(qrels), content_type="text/plain; charset=utf-8")


@extend_schema(
    summary="Put a version in force",
    operation_id="qrels_activate",
    request=None,
    responses={200: QrelsSerializer} | WRITES,
)
@action_view()
def qrels_activate(request: Request, slug: str, version: int) -> Response:
    """Every run is scored under it; scores under other versions are kept. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    qrels = version_or_404(viewer, version)
    topics.activate_qrels(campaign=viewer.campaign, qrels=qrels, actor=request.user)
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
        "provenance": qrels.provenance,
    }
