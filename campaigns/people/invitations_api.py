"""Teams of the organisers' making for scripts, and the links that bring their members."""

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
from campaigns.people.api import TeamSerializer, team_as_it_is
from campaigns.people.forms import NewTeamForm


class NewTeamRequest(RequestSerializer):
    name = serializers.CharField(max_length=100)


class InvitationRequest(RequestSerializer):
    max_uses = serializers.IntegerField(
        min_value=1, max_value=membership.MOST_USES, default=membership.TEAM_LINK_USES
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=membership.MOST_DAYS,
        default=membership.INVITATION_DAYS,
        help_text="After so many the link expires.",
    )


class InvitationSerializer(serializers.Serializer):
    """A link into a team. A person who follows it while logged in joins; it is shown this once."""

    url = serializers.CharField()
    team = serializers.CharField(help_text="Its id.")
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
    """At any time; it has no members yet: an invitation brings them. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    form = NewTeamForm(validated_data(NewTeamRequest, request))
    refuse_invalid(form)
    name = form.cleaned_data["name"]
    team = teams.create_team(campaign=viewer.campaign, name=name, actor=request.user)
    return team_as_it_is(team, status=201)


@extend_schema(
    summary="Make a link into a team",
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
    """As many people can use it as `max_uses` says, 5 unless you say otherwise, for `days`, 30
    unless you say otherwise. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    found = get_object_or_404(viewer.campaign.teams, public_id=team)
    role = Membership.Role.PARTICIPANT
    invitation, token = membership.invite(
        campaign=viewer.campaign,
        by=request.user,
        role=role,
        team=found,
        **validated_data(InvitationRequest, request),
    )
    address = reverse("campaigns:invitation", args=[token])
    row: dict[str, Any] = {
        "url": request.build_absolute_uri(address),
        "team": found.public_id,
        "max_uses": invitation.max_uses,
        "expires_at": invitation.expires_at,
    }
    return Response(row, status=201)
