"""API of the announcements to all teams."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import ANYTHING, LIST_BODY, read_view, write_view
from campaigns.api.requests import RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import READS, WRITES
from campaigns.people import announcements
from campaigns.people.forms import AnnouncementForm


class AnnouncementRequest(RequestSerializer):
    subject = serializers.CharField(max_length=150)
    body = serializers.CharField(max_length=10_000, help_text="Markdown.")


class AnnouncementSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    subject = serializers.CharField()
    body = serializers.CharField(help_text="Markdown.")
    at = serializers.DateTimeField()
    edited_at = serializers.DateTimeField(
        allow_null=True, help_text="When the text was last edited, or null."
    )


@extend_schema(
    summary="List announcements",
    operation_id="announcements_list",
    responses={200: AnnouncementSerializer(many=True)} | READS,
)
@read_view
def announcement_list(request: Request, slug: str) -> Response:
    """Newest first. The list is empty unless you have a role in the campaign."""
    viewer = access.viewer_or_404(request.user, slug)
    rows = viewer.campaign.announcements.all() if viewer.roles else ()
    return Response(AnnouncementSerializer(rows, many=True).data)


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
@write_view(largest_body=LIST_BODY)
def announcement_create(request: Request, slug: str) -> Response:
    """Publishes an announcement on the overview and emails it to the participants. The same
    announcement twice in a row is sent once. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    form = AnnouncementForm(validated_data(AnnouncementRequest, request))
    refuse_invalid(form)
    announcement = announcements.announce(
        campaign=viewer.campaign, by=request.user, **form.cleaned_data
    )
    return Response(AnnouncementSerializer(announcement).data, status=201)


class AnnouncementChangeRequest(AnnouncementRequest):
    sends_email = serializers.BooleanField(
        default=False, help_text="Email the new text to all teams."
    )


@extend_schema(
    summary="Edit an announcement",
    operation_id="announcements_change",
    request=AnnouncementChangeRequest,
    responses={200: AnnouncementSerializer} | WRITES,
)
@write_view("PUT", largest_body=LIST_BODY)
def announcement_change(request: Request, slug: str, announcement: int) -> Response:
    """Replaces subject and text. The overview shows the earlier texts too. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    edited = get_object_or_404(viewer.campaign.announcements, pk=announcement)
    data = validated_data(AnnouncementChangeRequest, request)
    form = AnnouncementForm(data)
    refuse_invalid(form)
    changed = announcements.edit(
        announcement=edited,
        by=request.user,
        sends_email=data["sends_email"],
        **form.cleaned_data,
    )
    return Response(AnnouncementSerializer(changed).data)


@extend_schema(
    summary="Delete an announcement",
    operation_id="announcements_delete",
    request=None,
    responses={204: None} | WRITES,
)
@write_view("DELETE", takes=ANYTHING)
def announcement_delete(request: Request, slug: str, announcement: int) -> Response:
    """Deletes an announcement with its earlier texts. Emails are not recalled. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    deleted = get_object_or_404(viewer.campaign.announcements, pk=announcement)
    announcements.delete(announcement=deleted, by=request.user)
    return Response(status=204)
