"""API of the qrels versions: list, add, freeze and activate."""

from typing import Any

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import FILES, action_view, read_view, refuse_fields, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import FAULTY, READS, WRITES, ProblemSerializer
from campaigns.models import PendingUpload, Qrels
from campaigns.qrels import versions
from campaigns.qrels.files import text_of
from campaigns.qrels.uploads_api import PendingUploadSerializer, upload_response
from campaigns.reading import whole_file
from campaigns.trec.problems import LimitReached
from campaigns.uploads import keep_upload


class FreezeRequest(RequestSerializer):
    note = serializers.CharField(required=False, allow_blank=True, max_length=500)
    is_activated = serializers.BooleanField(
        default=True, help_text="Activate the version, which scores every run with it."
    )
    without_gold = serializers.BooleanField(default=False, help_text="Leave out gold documents.")


class FreezeSourcesRequest(FreezeRequest):
    sources = serializers.ChoiceField(
        choices=Qrels.Sources.choices,
        default=Qrels.Sources.PEOPLE,
        help_text="Whose judgments the version contains.",
    )
    program = serializers.CharField(
        required=False, help_text="The name of the program, if the sources include one."
    )


class QrelsFileRequest(FreezeRequest):
    file = serializers.FileField(
        allow_empty_file=True,
        help_text="Lines with topic, 0, document, grade. Plain or gzipped.",
    )
    is_confirmed = serializers.BooleanField(
        default=False, help_text="Add a file although it needs confirmation."
    )


class QrelsSerializer(serializers.Serializer):
    """A version. It never changes."""

    version = serializers.IntegerField()
    note = serializers.CharField()
    sha256 = serializers.CharField()
    judgments = serializers.IntegerField()
    highest_grade = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    is_active = serializers.BooleanField()
    warnings = ProblemSerializer(many=True)
    provenance = serializers.DictField(
        help_text="For a frozen version: counts of judgments and assessors, and the plans."
    )
    sources = serializers.ChoiceField(choices=Qrels.Sources.choices)
    statement = serializers.CharField(
        help_text="Which program judged, and how many documents. Empty: people judged all."
    )


@extend_schema(
    summary="List qrels versions",
    operation_id="qrels_list",
    responses={200: QrelsSerializer(many=True)} | READS,
)
@read_view
def qrels_list(request: Request, slug: str) -> Response:
    """The versions that you can see. Not found if you can see none."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_qrels:
        raise Http404
    return Response([_qrels(viewer, qrels) for qrels in versions.versions_visible_to(viewer)])


@extend_schema(
    summary="Add a qrels version",
    operation_id="qrels_add",
    request={"multipart/form-data": QrelsFileRequest},
    responses={201: QrelsSerializer, 202: PendingUploadSerializer} | WRITES,
    examples=[FAULTY],
)
@write_view(takes=FILES)
def qrels_add(request: Request, slug: str) -> Response:
    """Refuses a valid file with unusual content with the code `needs_confirmation`. Send it again
    with `is_confirmed` to add it. The same content is not stored twice. A worker reads a large
    file: the response is then 202, and `url` tells the result. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    data = validated_data(QrelsFileRequest, request)
    options = {
        "note": data.get("note", ""),
        "is_activated": data["is_activated"],
        "is_confirmed": data["is_confirmed"],
    }
    try:
        qrels, _ = versions.add_qrels(
            campaign=viewer.campaign, data=whole_file(data["file"]), actor=request.user, **options
        )
    except LimitReached:
        upload = keep_upload(
            campaign=viewer.campaign,
            kind=PendingUpload.Kind.QRELS,
            file=data["file"],
            actor=request.user,
            options=options,
        )
        return upload_response(request, upload, status=202)
    return Response(_qrels(_reloaded_viewer(request, slug), qrels), status=201)


@extend_schema(
    summary="Freeze the judgments as a qrels version",
    operation_id="qrels_freeze",
    request=FreezeSourcesRequest,
    responses={201: QrelsSerializer} | WRITES,
    examples=[
        OpenApiExample("the first pool", value={"note": "pool of depth 10"}, request_only=True)
    ],
)
@write_view()
def qrels_freeze(request: Request, slug: str) -> Response:
    """Contains all judgments so far. If a document was judged more than once, the latest judgment
    counts. Judgments of a program count only if `sources` includes them. The same content is not
    stored twice. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    data = validated_data(FreezeSourcesRequest, request)
    name = data.get("program", "")
    program = viewer.campaign.programs.filter(name=name).first() if name else None
    if name and program is None:
        words = ErrorDetail(f"The campaign has no program named {name}.", "unknown_program")
        raise serializers.ValidationError({"program": [words]})
    qrels = versions.freeze_judgments(
        campaign=viewer.campaign,
        note=data.get("note", ""),
        actor=request.user,
        is_activated=data["is_activated"],
        without_gold=data["without_gold"],
        sources=data["sources"],
        program=program,
    )
    return Response(_qrels(_reloaded_viewer(request, slug), qrels), status=201)


@extend_schema(
    summary="Download a qrels version",
    operation_id="qrels_file",
    responses={(200, "text/plain"): OpenApiTypes.STR} | READS,
)
@read_view
def qrels_file(request: Request, slug: str, version: int) -> StreamingHttpResponse:
    """Lines with topic, 0, document and grade."""
    viewer = access.viewer_or_404(request.user, slug)
    qrels = versions.version_or_404(viewer, version)
    return StreamingHttpResponse(text_of(qrels), content_type="text/plain; charset=utf-8")


@extend_schema(
    summary="Activate a qrels version",
    operation_id="qrels_activate",
    request=None,
    responses={200: QrelsSerializer} | WRITES,
)
@action_view()
def qrels_activate(request: Request, slug: str, version: int) -> Response:
    """Every run is scored with it. The scores of other versions are kept. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    qrels = versions.version_or_404(viewer, version)
    refuse_fields(request)
    versions.activate_qrels(campaign=viewer.campaign, qrels=qrels, actor=request.user)
    return Response(_qrels(_reloaded_viewer(request, slug), qrels))


def _reloaded_viewer(request: Request, slug: str) -> access.Viewer:
    """The viewer with the current row of the campaign."""
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
        "sources": qrels.sources,
        "statement": qrels.statement,
    }
