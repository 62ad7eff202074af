"""What organisers say to all teams, for scripts."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import read_view, write_view
from campaigns.api.requests import RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import READS, WRITES
from campaigns.mail import notices
from campaigns.models import Announcement
from campaigns.people.forms import AnnouncementForm


class AnnouncementRequest(RequestSerializer):
    subject = serializers.CharField(max_length=150)
    body = serializers.CharField(max_length=10_000, help_text="Markdown.")


class AnnouncementSerializer(serializers.Serializer):
    """It stays as it was sent."""

    subject = serializers.CharField()
    body = serializers.CharField(help_text="Markdown.")
    at = serializers.DateTimeField()


@extend_schema(
    summary="The announcements",
    operation_id="announcements_list",
    responses={200: AnnouncementSerializer(many=True)} | READS,
)
@read_view
def announcement_list(request: Request, slug: str) -> Response:
    """The newest first; for whoever has a part in the campaign, as on its page, and none for
    others."""
    viewer = access.viewer_or_404(request.user, slug)
    told = viewer.campaign.announcements.all() if viewer.roles else ()
    return Response([_row(announcement) for announcement in told])


@extend_schema(
    summary="Announce something to all teams",
    operation_id="announcements_create",
    request=AnnouncementRequest,
    responses={201: AnnouncementSerializer} | WRITES,
    examples=[
        OpenApiExample(
            "two days more",
            value={"subject": "Two days more", "body": "Runs are taken until **3 September**."},
            request_only=True,
        )
    ],
)
@write_view()
def announcement_create(request: Request, slug: str) -> Response:
    """It is on the campaign's page, and goes to the members of all teams by mail. The same words
    twice in a row are told once. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    form = AnnouncementForm(validated_data(AnnouncementRequest, request))
    refuse_invalid(form)
    lifecycle.refuse_archived(viewer.campaign)
    told = notices.announce(campaign=viewer.campaign, by=request.user, **form.cleaned_data)
    return Response(_row(told), status=201)


def _row(announcement: Announcement) -> dict[str, Any]:
    return {name: getattr(announcement, name) for name in ("subject", "body", "at")}
