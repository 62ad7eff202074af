"""API of an uploaded file that a worker reads: its state, its confirmation, its deletion."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import ANYTHING, action_view, read_view, refuse_fields, write_view
from campaigns.api.responses import READS, WRITES, ProblemSerializer
from campaigns.models import PendingUpload
from campaigns.uploads import confirm_upload, discard_upload, outcome_of, upload_or_404

POLL_SECONDS = 2


class PendingUploadSerializer(serializers.Serializer):
    """A file that a worker reads, because a request would take too long."""

    id = serializers.CharField()
    url = serializers.CharField(help_text="Read the result here.")
    kind = serializers.ChoiceField(choices=PendingUpload.Kind.choices)
    state = serializers.ChoiceField(
        choices=PendingUpload.State.choices,
        help_text="`unconfirmed`: check the problems, then confirm or delete it. `refused`: nothing"
        " was stored. `failed`: a fault of the site; nothing was stored.",
    )
    file_name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes of the file as it was sent.")
    bytes_read = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    message = serializers.CharField(help_text="What was stored, or why the file was refused.")
    problem_count = serializers.IntegerField()
    problems = ProblemSerializer(many=True)
    warnings = ProblemSerializer(many=True)
    notes = serializers.ListField(child=serializers.CharField(), help_text="Further warnings.")
    version = serializers.IntegerField(allow_null=True, help_text="The version of stored qrels.")


@extend_schema(
    summary="Read the state of an upload",
    operation_id="uploads_read",
    responses={200: PendingUploadSerializer} | READS,
)
@read_view
def upload_detail(request: Request, slug: str, upload: str) -> Response:
    """Ask again while the state is `waiting` or `reading`. The upload is deleted a day after its
    last change. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    return upload_response(request, upload_or_404(viewer, upload), status=200)


@extend_schema(
    summary="Confirm an upload",
    operation_id="uploads_confirm",
    request=None,
    responses={202: PendingUploadSerializer} | WRITES,
)
@action_view()
def upload_confirm(request: Request, slug: str, upload: str) -> Response:
    """Adds a file that needs confirmation: a worker reads it once more. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    found = upload_or_404(viewer, upload)
    refuse_fields(request)
    confirmed = confirm_upload(upload=found, actor=request.user)
    return upload_response(request, confirmed, status=202)


@extend_schema(
    summary="Delete an upload",
    operation_id="uploads_delete",
    request=None,
    responses={204: None} | WRITES,
)
@write_view("DELETE", takes=ANYTHING)
def upload_delete(request: Request, slug: str, upload: str) -> Response:
    """A file that is not stored yet will not be. What was stored stays. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    discard_upload(upload=upload_or_404(viewer, upload))
    return Response(status=204)


def upload_response(request: Request, upload: PendingUpload, *, status: int) -> Response:
    """`Retry-After` says when to ask again, if a worker has yet to read the file."""
    headers = {"Retry-After": str(POLL_SECONDS)} if upload.is_live else {}
    return Response(_record(request, upload), status=status, headers=headers)


def _record(request: Request, upload: PendingUpload) -> dict[str, Any]:
    outcome = outcome_of(upload)
    path = reverse("api:upload-detail", args=[upload.campaign.slug, upload.public_id])
    return {
        "id": upload.public_id,
        "url": request.build_absolute_uri(path),
        "kind": upload.kind,
        "state": upload.state,
        "file_name": upload.original_name,
        "size": upload.size,
        "bytes_read": upload.bytes_read,
        "created_at": upload.created_at,
        "message": outcome.message,
        "problem_count": outcome.total,
        "problems": outcome.problems,
        "warnings": outcome.warnings,
        "notes": outcome.notes,
        "version": outcome.qrels_version,
    }
