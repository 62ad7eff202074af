"""Teams for scripts."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.models import Team


class TeamSerializer(serializers.Serializer):
    """A team as its organisers know it."""

    id = serializers.CharField()
    name = serializers.CharField()
    approved_at = serializers.DateTimeField(allow_null=True)
    is_anonymous = serializers.BooleanField()
    shares_files = serializers.BooleanField()
    disqualified_at = serializers.DateTimeField(allow_null=True)
    disqualified_reason = serializers.CharField()
    members = serializers.ListField(child=serializers.EmailField())
    runs = serializers.IntegerField(help_text="Files handed in, whatever became of them.")


@extend_schema(summary="The teams", operation_id="teams_list", responses=TeamSerializer(many=True))
@api_view(["GET"])
@permission_classes([IsAuthenticated])
def team_list(request: Request, slug: str) -> Response:
    """In the order in which they came. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    teams = (
        viewer.campaign.teams.annotate(run_count=Count("runs"))
        .prefetch_related("memberships__person")
        .order_by("pk")
    )
    return Response([_team(team) for team in teams])


def _team(team: Team) -> dict[str, Any]:
    return {
        "id": team.public_id,
        "name": team.name,
        "approved_at": team.approved_at,
        "is_anonymous": team.is_anonymous,
        "shares_files": team.shares_files,
        "disqualified_at": team.disqualified_at,
        "disqualified_reason": team.disqualified_reason,
        "members": sorted(membership.person.email for membership in team.memberships.all()),
        "runs": team.run_count,
    }
