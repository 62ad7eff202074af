"""Handing in runs from a script."""

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes, permission_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, intake
from campaigns.models import Run


class UploadSerializer(serializers.Serializer):
    file = serializers.FileField(allow_empty_file=True)  # the checker names the fault
    description = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    run_type = serializers.ChoiceField(choices=Run.Type.choices, default=Run.Type.AUTOMATIC)


class TakenSerializer(serializers.Serializer):
    id = serializers.CharField()
    status = serializers.CharField()
    url = serializers.CharField()


@extend_schema(
    summary="Hand in a run",
    request={"multipart/form-data": UploadSerializer},
    responses={202: TakenSerializer, 400: OpenApiResponse(), 409: OpenApiResponse()},
    parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
)
@api_view(["POST"])
@permission_classes([IsAuthenticated])
@parser_classes([MultiPartParser])
def run_create(request: Request, slug: str) -> Response:
    """Takes the file and answers at once; `url` tells what becomes of it. A repeated
    `Idempotency-Key` gives the first run back."""
    viewer = access.viewer_or_404(request.user, slug)
    if viewer.team is None:
        raise Http404
    upload = UploadSerializer(data=request.data)
    upload.is_valid(raise_exception=True)
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > 64:
        raise serializers.ValidationError("An Idempotency-Key has at most 64 characters.")
    try:
        run = intake.hand_in(
            viewer=viewer,
            upload=upload.validated_data["file"],
            arrived_at=request._request.arrived_at,
            run_type=upload.validated_data["run_type"],
            description=upload.validated_data.get("description", ""),
            idempotency_key=key,
        )
    except intake.NotTaken as error:
        return Response({"code": error.code, "message": str(error)}, status=409)
    url = request.build_absolute_uri(reverse("api:run-detail", args=[slug, run.public_id]))
    return Response({"id": run.public_id, "status": run.state, "url": url}, status=202)
