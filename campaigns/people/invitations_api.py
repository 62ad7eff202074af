"""API for teams that organisers create, and for invitation links into teams."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import ANYTHING, write_view
from campaigns.api.requests import RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import FAULTY_FIELD, WRITES
from campaigns.models import Membership
from campaigns.people import membership, teams
from campaigns.people.api import NewTeamRequest, TeamSerializer, team_response
from campaigns.people.forms import NewTeamForm


class InvitationRequest(RequestSerializer):
    max_uses = serializers.IntegerField(
        min_value=1, max_value=membership.MOST_USES, default=membership.TEAM_LINK_USES
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=membership.MOST_DAYS,
        default=membership.INVITATION_DAYS,
        help_text="The link expires after this number of days.",
    )


class LinkRequest(RequestSerializer):
    role = serializers.ChoiceField(choices=Membership.Role.choices)
    max_uses = serializers.IntegerField(
        min_value=1, max_value=membership.MOST_USES, required=False, default=None,
        help_text="100 for participants and 1 for other roles by default.",
    )  # fmt: skip
    days = serializers.IntegerField(
        min_value=1, max_value=membership.MOST_DAYS, default=membership.INVITATION_DAYS,
        help_text="The link expires after this number of days.",
    )  # fmt: skip


class LinkSerializer(serializers.Serializer):
    """A link for a role. A person who follows it signs up or logs in, and gets the role."""

    url = serializers.CharField()
    role = serializers.CharField()
    max_uses = serializers.IntegerField(help_text="How many people can use it.")
    expires_at = serializers.DateTimeField()


class InvitationSerializer(serializers.Serializer):
    """A link into a team. A person who follows it signs up or logs in, and joins."""

    url = serializers.CharField()
    team = serializers.CharField(help_text="Id of the team.")
    max_uses = serializers.IntegerField(help_text="How many people can use it.")
    expires_at = serializers.DateTimeField()


@extend_schema(
    summary="Create a team for others",
    operation_id="teams_create",
    request=NewTeamRequest,
    responses={201: TeamSerializer} | WRITES,
    examples=[
        OpenApiExample("a team", value={"name": "University of Somewhere"}, request_only=True),
        FAULTY_FIELD,
    ],
)
@write_view()
def team_create(request: Request, slug: str) -> Response:
    """Creates a team without members at any time. Invite them with a link. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    form = NewTeamForm(validated_data(NewTeamRequest, request))
    refuse_invalid(form)
    name = form.cleaned_data["name"]
    team = teams.create_team(campaign=viewer.campaign, name=name, actor=request.user)
    return team_response(team, status=201)


@extend_schema(
    summary="Create an invitation link into a team",
    operation_id="teams_invite",
    request=InvitationRequest,
    responses={201: InvitationSerializer} | WRITES,
    examples=[
        OpenApiExample("for two people", value={"max_uses": 2, "days": 7}, request_only=True),
        FAULTY_FIELD,
        OpenApiExample(
            "a link",
            value={
                "url": "https://trackside.example/invitations/8PpFVsNfyRpTw0JTLkUlS2cuIJxcXq6B/",
                "team": "k5zq3wd7c2hxy4ma",
                "max_uses": 2,
                "expires_at": "2026-07-01T12:00:00Z",
            },
            response_only=True,
            status_codes=["201"],
        ),
    ],
)
@write_view(takes=ANYTHING)
def team_invite(request: Request, slug: str, team: str) -> Response:
    """`max_uses` people, 5 by default, can use the link for `days`, 30 by default. For
    organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    joined = get_object_or_404(viewer.campaign.teams, public_id=team)
    invitation, token = membership.invite(
        campaign=viewer.campaign,
        by=request.user,
        role=Membership.Role.PARTICIPANT,
        team=joined,
        **validated_data(InvitationRequest, request),
    )
    url = reverse("campaigns:invitation", args=[token])
    row: dict[str, Any] = {
        "url": request.build_absolute_uri(url),
        "team": joined.public_id,
        "max_uses": invitation.max_uses,
        "expires_at": invitation.expires_at,
    }
    return Response(row, status=201)


@extend_schema(
    summary="Create an invitation link for a role",
    operation_id="invitations_create",
    request=LinkRequest,
    responses={201: LinkSerializer} | WRITES,
    examples=[
        OpenApiExample("a class", value={"role": "participant", "max_uses": 30}, request_only=True),
        FAULTY_FIELD,
    ],
)
@write_view()
def invitation_create(request: Request, slug: str) -> Response:
    """A participant creates a team or joins one. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    invitation, token = membership.invite(
        campaign=viewer.campaign, by=request.user, **validated_data(LinkRequest, request)
    )
    row: dict[str, Any] = {
        "url": request.build_absolute_uri(reverse("campaigns:invitation", args=[token])),
        "role": invitation.role,
        "max_uses": invitation.max_uses,
        "expires_at": invitation.expires_at,
    }
    return Response(row, status=201)
