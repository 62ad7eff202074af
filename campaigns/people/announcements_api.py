"""API of the announcements to all teams."""

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import read_view, write_view
from campaigns.api.requests import RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import READS, WRITES
from campaigns.mail import notices
from campaigns.people.forms import AnnouncementForm


class AnnouncementRequest(RequestSerializer):
    subject = serializers.CharField(max_length=150)
    body = serializers.CharField(max_length=10_000, help_text="Markdown.")


class AnnouncementSerializer(serializers.Serializer):
    """An announcement never changes."""

    subject = serializers.CharField()
    body = serializers.CharField(help_text="Markdown.")
    at = serializers.DateTimeField()


@extend_schema(
    summary="List announcements",
    operation_id="announcements_list",
    responses={200: AnnouncementSerializer(many=True)} | READS,
)
@read_view
def announcement_list(request: Request, slug: str) -> Response:
    """Newest first. The list is empty unless you have a role in the campaign."""
    viewer = access.viewer_or_404(request.user, slug)
    announcements = viewer.campaign.announcements.all() if viewer.roles else ()
    return Response(AnnouncementSerializer(announcements, many=True).data)


@extend_schema(
    summary="Send an announcement to all teams",
    operation_id="announcements_create",
    request=AnnouncementRequest,
    responses={201: AnnouncementSerializer} | WRITES,
    examples=[
        OpenApiExample(
            "extended deadline",
            value={"subject": "Extended deadline", "body": "Submit until **3 September**."},
            request_only=True,
        )
    ],
)
@write_view()
def announcement_create(request: Request, slug: str) -> Response:
    """Publishes an announcement on the overview and emails it to the members of all teams. The same
    announcement twice in a row is sent once. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    form = AnnouncementForm(validated_data(AnnouncementRequest, request))
    refuse_invalid(form)
    lifecycle.refuse_archived(viewer.campaign)
    announcement = notices.announce(campaign=viewer.campaign, by=request.user, **form.cleaned_data)
    return Response(AnnouncementSerializer(announcement).data, status=201)
