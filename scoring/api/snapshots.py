"""Snapshots for scripts."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.answers import RefusalSerializer, json_of, refused
from campaigns.api.throttles import throttled
from campaigns.lifecycle import CannotStep
from scoring.models import Snapshot
from scoring.snapshots import LONGEST_TITLE, snapshots_visible_to, take_snapshot


class TitleSerializer(serializers.Serializer):
    title = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_TITLE)


class SnapshotSerializer(serializers.Serializer):
    """A board as it stood; its file never changes."""

    id = serializers.CharField()
    title = serializers.CharField()
    created_at = serializers.DateTimeField()
    qrels = serializers.IntegerField(help_text="version")
    definitions = serializers.CharField(help_text="the rules of scoring, as a digest")
    sha256 = serializers.CharField(help_text="of the zip")
    size = serializers.IntegerField(help_text="of the zip, in bytes")
    url = serializers.CharField(help_text="its page")
    file = serializers.CharField(help_text="the zip")


@extend_schema(
    summary="The snapshots of the board",
    operation_id="snapshots_list",
    responses=SnapshotSerializer(many=True),
)
@api_view(["GET"])
def snapshot_list(request: Request, slug: str) -> Response:
    """Those that you may see, the newest first."""
    viewer = access.board_or_404(request.user, slug)
    return Response([_row(request, each) for each in snapshots_visible_to(viewer)])


@extend_schema(
    summary="Take a snapshot of the board",
    operation_id="snapshots_take",
    request={"application/json": TitleSerializer},
    responses={201: SnapshotSerializer, 409: RefusalSerializer},
    examples=[
        OpenApiExample(
            "for the overview paper", value={"title": "Final results"}, request_only=True
        )
    ],
)
@throttled("organise")
@api_view(["POST"])
@permission_classes([IsAuthenticated])
def snapshot_take(request: Request, slug: str) -> Response:
    """As everybody will see it once it is published. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    asked = TitleSerializer(data=json_of(request))
    asked.is_valid(raise_exception=True)
    try:
        snapshot = take_snapshot(
            viewer=viewer,
            actor=request.user,
            title=asked.validated_data.get("title", ""),
            site=request.build_absolute_uri("/").rstrip("/"),
        )
    except CannotStep as error:
        return refused("cannot_take", error)
    return Response(_row(request, snapshot), status=201)


def _row(request: Request, snapshot: Snapshot) -> dict[str, Any]:
    def address(name: str) -> str:
        return str(request.build_absolute_uri(reverse(name, args=[snapshot.public_id])))

    return {
        "id": snapshot.public_id,
        "title": snapshot.title,
        "created_at": snapshot.created_at,
        "qrels": snapshot.qrels.version,
        "definitions": snapshot.definitions,
        "sha256": snapshot.digest,
        "size": snapshot.size,
        "url": address("scoring:snapshot-detail"),
        "file": address("scoring:snapshot-file"),
    }
