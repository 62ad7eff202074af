"""Teams for scripts, and what organisers decide of them."""

from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import action_view, read_view, write_view
from campaigns.api.requests import ReasonRequest, RequestSerializer, validated_data
from campaigns.api.responses import READS, WRITES
from campaigns.models import Campaign, Team
from campaigns.people import merging, teams


class TeamSerializer(serializers.Serializer):
    """A team as its organisers know it."""

    id = serializers.CharField()
    name = serializers.CharField()
    approved_at = serializers.DateTimeField(allow_null=True)
    admitted_at = serializers.DateTimeField(
        allow_null=True, help_text="Set: its members are participants even without a counted run."
    )
    is_anonymous = serializers.BooleanField()
    shares_files = serializers.BooleanField()
    disqualified_at = serializers.DateTimeField(allow_null=True)
    disqualified_reason = serializers.CharField()
    members = serializers.ListField(child=serializers.EmailField())
    runs = serializers.IntegerField(help_text="Files handed in, whatever became of them.")


class MergeRequest(RequestSerializer):
    into = serializers.CharField(max_length=16, help_text="The id of the team that stays.")


REASON = OpenApiExample(
    "a reason", value={"reason": "Runs were tuned on the test topics."}, request_only=True
)
DECIDED = {200: TeamSerializer} | WRITES


@extend_schema(
    summary="The teams",
    operation_id="teams_list",
    responses={200: TeamSerializer(many=True)} | READS,
)
@read_view
def team_list(request: Request, slug: str) -> Response:
    """In the order in which they came. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    return Response([_row(team) for team in _teams(viewer.campaign).order_by("pk")])


@extend_schema(
    summary="Let a team in", operation_id="teams_approve", request=None, responses=DECIDED
)
@action_view()
def team_approve(request: Request, slug: str, team: str) -> Response:
    """Where the campaign asks for an organiser's word. For organisers."""
    found = _decided_on_or_404(request, slug, team)
    teams.decide_team(team=found, approve=True, actor=request.user)
    return team_as_it_is(found)


@extend_schema(
    summary="Send a team away that waits to be let in",
    operation_id="teams_decline",
    request=None,
    responses={204: OpenApiResponse(description="It is as if it had never asked.")} | WRITES,
)
@action_view()
def team_decline(request: Request, slug: str, team: str) -> Response:
    """For organisers."""
    found = _decided_on_or_404(request, slug, team)
    teams.decide_team(team=found, approve=False, actor=request.user)
    return Response(status=204)


@extend_schema(
    summary="Admit a team as participants",
    operation_id="teams_admit",
    request=None,
    responses=DECIDED,
)
@action_view()
def team_admit(request: Request, slug: str, team: str) -> Response:
    """After the close of submissions its members see what participants see, although no run of
    theirs counts. For organisers."""
    found = _decided_on_or_404(request, slug, team)
    teams.admit_team(team=found, admit=True, actor=request.user)
    return team_as_it_is(found)


@extend_schema(
    summary="Revoke a team's admission",
    operation_id="teams_revoke_admission",
    request=None,
    responses=DECIDED,
)
@action_view()
def team_revoke_admission(request: Request, slug: str, team: str) -> Response:
    """Without a run that counts its members see what everyone sees. For organisers."""
    found = _decided_on_or_404(request, slug, team)
    teams.admit_team(team=found, admit=False, actor=request.user)
    return team_as_it_is(found)


@extend_schema(
    summary="Merge a team into another one",
    operation_id="teams_merge",
    request=MergeRequest,
    responses=DECIDED,
    examples=[
        OpenApiExample("into another", value={"into": "k5zq3wd7c2hxy4ma"}, request_only=True)
    ],
)
@write_view()
def team_merge(request: Request, slug: str, team: str) -> Response:
    """Its members and runs become the other one's, which is answered, and the team is gone. Their
    runs count together, and the whole stays anonymous if either was. For organisers."""
    found = _decided_on_or_404(request, slug, team)
    public_id = validated_data(MergeRequest, request)["into"]
    into = found.campaign.teams.filter(public_id=public_id).first()
    if into is None:
        fault = ErrorDetail("The campaign has no such team.", "unknown_team")
        raise serializers.ValidationError({"into": [fault]})
    merging.merge_teams(team=found, into=into, actor=request.user)
    return team_as_it_is(into)


@extend_schema(
    summary="Disqualify a team",
    operation_id="teams_disqualify",
    request=ReasonRequest,
    responses=DECIDED,
    examples=[REASON],
)
@write_view()
def team_disqualify(request: Request, slug: str, team: str) -> Response:
    """None of its runs is ranked; that it is so, and why, is seen beside them, and told to its
    members by mail. For organisers."""
    found = _decided_on_or_404(request, slug, team)
    teams.disqualify_team(team=found, actor=request.user, **validated_data(ReasonRequest, request))
    return team_as_it_is(found)


@extend_schema(
    summary="Reinstate a team", operation_id="teams_reinstate", request=None, responses=DECIDED
)
@action_view()
def team_reinstate(request: Request, slug: str, team: str) -> Response:
    """For organisers."""
    found = _decided_on_or_404(request, slug, team)
    teams.reinstate_team(team=found, actor=request.user)
    return team_as_it_is(found)


def _decided_on_or_404(request: Request, slug: str, public_id: str) -> Team:
    """The team, for an organiser of its campaign."""
    viewer = access.organiser_or_404(request.user, slug)
    found: Team = get_object_or_404(
        viewer.campaign.teams.select_related("campaign"), public_id=public_id
    )
    lifecycle.refuse_archived(viewer.campaign)
    return found


def team_as_it_is(team: Team, *, status: int = 200) -> Response:
    return Response(_row(_teams(team.campaign).get(pk=team.pk)), status=status)


def _teams(campaign: Campaign) -> QuerySet[Team]:
    return campaign.teams.annotate(run_count=Count("runs")).prefetch_related("memberships__person")


def _row(team: Team) -> dict[str, Any]:
    return {
        "id": team.public_id,
        "name": team.name,
        "approved_at": team.approved_at,
        "admitted_at": team.admitted_at,
        "is_anonymous": team.is_anonymous,
        "shares_files": team.shares_files,
        "disqualified_at": team.disqualified_at,
        "disqualified_reason": team.disqualified_reason,
        "members": sorted(membership.person.email for membership in team.memberships.all()),
        "runs": team.run_count,
    }
