"""API of the teams and of the organisers' decisions about them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import View, action_view, read_view, refuse_fields, write_view
from campaigns.api.requests import ReasonRequest, RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import READS, WRITES
from campaigns.models import Campaign, Team
from campaigns.people import merging, teams
from campaigns.people.forms import NewTeamForm


class TeamSerializer(serializers.Serializer):
    """A team as organisers see it."""

    id = serializers.CharField()
    name = serializers.CharField()
    proposed_name = serializers.CharField(help_text="The name that its members want.")
    approved_at = serializers.DateTimeField(allow_null=True)
    admitted_at = serializers.DateTimeField(
        allow_null=True,
        help_text="If set, its members are participants even without a run that counts.",
    )
    is_anonymous = serializers.BooleanField()
    shares_files = serializers.BooleanField()
    disqualified_at = serializers.DateTimeField(allow_null=True)
    disqualified_reason = serializers.CharField()
    members = serializers.ListField(child=serializers.EmailField())
    runs = serializers.IntegerField(
        help_text="Files that count as runs: accepted, and neither withdrawn nor replaced."
    )
    files = serializers.IntegerField(help_text="Submitted files, of any status.")


class NewTeamRequest(RequestSerializer):
    name = serializers.CharField(max_length=100)


class MergeRequest(RequestSerializer):
    into = serializers.CharField(max_length=16, help_text="The id of the team that stays.")


REASON = OpenApiExample(
    "a reason", value={"reason": "Runs were tuned on the test topics."}, request_only=True
)
DECIDED = {200: TeamSerializer} | WRITES


@extend_schema(
    summary="List teams",
    operation_id="teams_list",
    responses={200: TeamSerializer(many=True)} | READS,
)
@read_view
def team_list(request: Request, slug: str) -> Response:
    """In the order of their creation. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    return Response([_row(team) for team in _teams(viewer.campaign).order_by("pk")])


def _decision(
    summary: str, operation_id: str, decide: Callable[..., None], description: str
) -> View:
    """A POST without fields that decides about a team and returns it."""

    def view(request: Request, slug: str, team: str) -> Response:
        decided = _team_or_404(request, slug, team)
        refuse_fields(request)
        decide(team=decided, actor=request.user)
        return team_response(decided)

    view.__doc__ = f"{description} For organisers."
    schema = extend_schema(
        summary=summary, operation_id=operation_id, request=None, responses=DECIDED
    )
    return schema(action_view()(view))


team_approve = _decision(
    "Approve a team",
    "teams_approve",
    partial(teams.decide_team, approve=True),
    "Required in campaigns where organisers approve teams.",
)
team_admit = _decision(
    "Admit a team as participants",
    "teams_admit",
    partial(teams.admit_team, admit=True),
    "After submissions close, its members see what participants see, even without a run that "
    "counts.",
)
team_revoke_admission = _decision(
    "Revoke a team's admission",
    "teams_revoke_admission",
    partial(teams.admit_team, admit=False),
    "Without a run that counts, its members see what everyone sees.",
)
team_reinstate = _decision(
    "Reinstate a team",
    "teams_reinstate",
    teams.reinstate_team,
    "Its runs are ranked again.",
)


@extend_schema(
    summary="Decline a team that awaits approval",
    operation_id="teams_decline",
    request=None,
    responses={204: OpenApiResponse(description="The team is deleted.")} | WRITES,
)
@action_view()
def team_decline(request: Request, slug: str, team: str) -> Response:
    """For organisers."""
    declined = _team_or_404(request, slug, team)
    refuse_fields(request)
    teams.decide_team(team=declined, approve=False, actor=request.user)
    return Response(status=204)


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
    """Moves its members and runs to the other team, which is returned, and deletes it. The runs
    count together, and the other team is anonymous if either was. For organisers."""
    source = _team_or_404(request, slug, team)
    public_id = validated_data(MergeRequest, request)["into"]
    into = source.campaign.teams.filter(public_id=public_id).first()
    if into is None:
        error = ErrorDetail("The campaign has no such team.", "unknown_team")
        raise serializers.ValidationError({"into": [error]})
    merging.merge_teams(team=source, into=into, actor=request.user)
    return team_response(into)


@extend_schema(
    summary="Rename a team",
    operation_id="teams_rename",
    request=NewTeamRequest,
    responses=DECIDED,
    examples=[
        OpenApiExample("a name", value={"name": "University of Somewhere"}, request_only=True)
    ],
)
@write_view()
def team_rename(request: Request, slug: str, team: str) -> Response:
    """The name of an approved team is unique in the campaign. For organisers."""
    renamed = _team_or_404(request, slug, team)
    form = NewTeamForm(validated_data(NewTeamRequest, request))
    refuse_invalid(form)
    teams.rename_team(team=renamed, name=form.cleaned_data["name"], actor=request.user)
    return team_response(renamed)


@extend_schema(
    summary="Disqualify a team",
    operation_id="teams_disqualify",
    request=ReasonRequest,
    responses=DECIDED,
    examples=[REASON],
)
@write_view()
def team_disqualify(request: Request, slug: str, team: str) -> Response:
    """Excludes its runs from the ranking. The reason is shown with each run and emailed to the
    members. For organisers."""
    decided = _team_or_404(request, slug, team)
    reason = validated_data(ReasonRequest, request)["reason"]
    teams.disqualify_team(team=decided, reason=reason, actor=request.user)
    return team_response(decided)


def _team_or_404(request: Request, slug: str, public_id: str) -> Team:
    """The team, for an organiser of its campaign. Raises `Archived`."""
    viewer = access.organiser_or_404(request.user, slug)
    team: Team = get_object_or_404(
        viewer.campaign.teams.select_related("campaign"), public_id=public_id
    )
    lifecycle.refuse_archived(viewer.campaign)
    return team


def team_response(team: Team, *, status: int = 200) -> Response:
    """The current state of the team."""
    return Response(_row(_teams(team.campaign).get(pk=team.pk)), status=status)


def _teams(campaign: Campaign) -> QuerySet[Team]:
    return teams.with_counts(campaign).prefetch_related("memberships__person")


def _row(team: Team) -> dict[str, Any]:
    return {
        "id": team.public_id,
        "name": team.name,
        "proposed_name": team.proposed_name,
        "approved_at": team.approved_at,
        "admitted_at": team.admitted_at,
        "is_anonymous": team.is_anonymous,
        "shares_files": team.shares_files,
        "disqualified_at": team.disqualified_at,
        "disqualified_reason": team.disqualified_reason,
        "members": sorted(membership.person.email for membership in team.memberships.all()),
        "files": team.file_count,
        "runs": team.run_count,
    }
