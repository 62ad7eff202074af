"""Snapshots for scripts."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import read_view, write_view
from campaigns.api.requests import RequestSerializer, validated_data
from campaigns.api.responses import READS, WRITES
from scoring.downloads.snapshots import LONGEST_TITLE, create_snapshot, snapshots_visible_to
from scoring.models import Snapshot


class TitleRequest(RequestSerializer):
    title = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_TITLE)


class SnapshotSerializer(serializers.Serializer):
    """A copy of the leaderboard; its file never changes."""

    id = serializers.CharField()
    title = serializers.CharField()
    created_at = serializers.DateTimeField()
    qrels = serializers.IntegerField(help_text="version")
    definitions = serializers.CharField(help_text="the rules of scoring, as a digest")
    sha256 = serializers.CharField(help_text="of the zip")
    size = serializers.IntegerField(help_text="of the zip, in bytes")
    doi = serializers.CharField(help_text="in an archive; empty if it has none")
    url = serializers.CharField(help_text="its page")
    file = serializers.CharField(help_text="the zip")


@extend_schema(
    summary="Snapshots of the leaderboard",
    operation_id="snapshots_list",
    responses={200: SnapshotSerializer(many=True)} | READS,
)
@read_view
def snapshot_list(request: Request, slug: str) -> Response:
    """The snapshots that you may see, the newest first."""
    viewer = access.board_or_404(request.user, slug)
    return Response([_row(request, each) for each in snapshots_visible_to(viewer)])


@extend_schema(
    summary="Create a snapshot of the leaderboard",
    operation_id="snapshots_take",
    request=TitleRequest,
    responses={201: SnapshotSerializer} | WRITES,
    examples=[
        OpenApiExample(
            "for the overview paper", value={"title": "Final results"}, request_only=True
        )
    ],
)
@write_view()
def snapshot_take(request: Request, slug: str) -> Response:
    """The leaderboard as the public will see it after publication. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    title = validated_data(TitleRequest, request).get("title", "")
    site = request.build_absolute_uri("/").rstrip("/")
    snapshot = create_snapshot(viewer=viewer, actor=request.user, title=title, site=site)
    return Response(_row(request, snapshot), status=201)


def _row(request: Request, snapshot: Snapshot) -> dict[str, Any]:
    def url_of(name: str) -> str:
        return str(request.build_absolute_uri(reverse(name, args=[snapshot.public_id])))

    return {
        "id": snapshot.public_id,
        "title": snapshot.title,
        "created_at": snapshot.created_at,
        "qrels": snapshot.qrels.version,
        "definitions": snapshot.definitions,
        "sha256": snapshot.digest,
        "size": snapshot.size,
        "doi": snapshot.doi,
        "url": url_of("scoring:snapshot-detail"),
        "file": url_of("scoring:snapshot-file"),
    }
