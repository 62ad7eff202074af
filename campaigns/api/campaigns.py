"""Campaigns for scripts: the list, one campaign, making one, its settings and its stages."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.answers import RefusalSerializer, json_of, refused
from campaigns.api.settings import SHOWING, NewCampaignSerializer, SettingsSerializer, filled_form
from campaigns.api.throttles import throttled
from campaigns.models import Campaign
from campaigns.models.showing import TABLES

LISTED = 200
RULES = (
    "guidelines", "time_zone", "is_private", "joining", "terms", "allows_anonymous_teams",
    "opens_at", "closes_at", "topics_released_at", "reveals_teams_at", "grace_minutes",
    "run_quota", "quota_days", "attempt_quota", "asks_acceptance", "highest_grade", "rel",
    "gain_map", "persistences", "measures", "run_depth", "no_relevant", "unknown_topics",
    "run_types", "run_fields", "asks_priority", "feedback", "published_at", "archived_at",
)  # fmt: skip


class CampaignSerializer(serializers.Serializer):
    """A row of the list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    stage = serializers.ChoiceField(choices=Campaign.Stage.choices)
    is_accepting = serializers.BooleanField(help_text="Whether a run that arrived now would count.")
    opens_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)


class CampaignDetailSerializer(CampaignSerializer):
    """Its rules as well; `topics` and `qrels` are null where they are not shown."""

    settings = serializers.DictField(help_text="What is written with PATCH, and what follows.")
    topics = serializers.IntegerField(allow_null=True, help_text="How many.")
    qrels = serializers.IntegerField(allow_null=True, help_text="The version in force.")
    roles = serializers.ListField(child=serializers.CharField(), help_text="Yours.")
    team = serializers.CharField(allow_null=True, help_text="The id of yours.")


NEW = OpenApiExample(
    "a new track",
    value={
        "slug": "robust-2026",
        "name": "Robust 2026",
        "opens_at": "2026-06-01T00:00:00Z",
        "closes_at": "2026-09-01T12:00:00Z",
        "run_quota": 5,
        "highest_grade": 2,
        "preset": "trec",
    },
    request_only=True,
)
FAULTY = OpenApiResponse(description="By name of the setting, what is wrong with it.")


@extend_schema(
    summary="The campaigns you may know of",
    operation_id="campaigns_list",
    parameters=[
        OpenApiParameter("stage", str, enum=list(Campaign.Stage.values)),
    ],
    responses=CampaignSerializer(many=True),
)
@api_view(["GET"])
def campaign_list(request: Request) -> Response:
    """The newest first, 200 at the most."""
    campaigns = access.campaigns_visible_to(request.user).order_by("-created_at", "-pk")
    if stage := request.query_params.get("stage"):
        if stage not in Campaign.Stage.values:
            raise Http404
        campaigns = campaigns.filter(stage=stage)
    return Response([_row(request, campaign) for campaign in campaigns[:LISTED]])


@extend_schema(
    summary="Make a campaign",
    operation_id="campaigns_create",
    request={"application/json": NewCampaignSerializer},
    responses={201: CampaignDetailSerializer, 400: FAULTY},
    examples=[NEW],
)
@throttled("organise")
@api_view(["POST"])
@permission_classes([IsAuthenticated])
def campaign_create(request: Request) -> Response:
    """You are its first organiser, and it is a draft that nobody else sees. Who may make one is a
    setting of the site."""
    if not lifecycle.may_create_campaigns(request.user):
        raise PermissionDenied
    asked = _asked(NewCampaignSerializer(data=json_of(request)))
    campaign = filled_form(asked).save(commit=False)
    with transaction.atomic():
        lifecycle.create_campaign(campaign=campaign, organiser=request.user)
        _show(campaign, asked, request)
    viewer = access.organiser_or_404(request.user, campaign.slug)
    return Response(_detail(request, viewer), status=201)


@extend_schema(
    summary="One campaign", operation_id="campaigns_read", responses=CampaignDetailSerializer
)
@api_view(["GET"])
def campaign_detail(request: Request, slug: str) -> Response:
    return Response(_detail(request, access.viewer_or_404(request.user, slug)))


@extend_schema(
    summary="Change settings",
    operation_id="campaigns_change",
    request={"application/json": SettingsSerializer},
    responses={200: CampaignDetailSerializer, 400: FAULTY, 409: RefusalSerializer},
    examples=[
        OpenApiExample(
            "two days more",
            value={"closes_at": "2026-09-03T12:00:00Z", "grace_minutes": 30},
            request_only=True,
        )
    ],
)
@throttled("organise")
@api_view(["PATCH"])
@permission_classes([IsAuthenticated])
def campaign_change(request: Request, slug: str) -> Response:
    """Only what is named is changed. Where the rules of scoring change, every run is scored anew.
    For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    asked = _asked(SettingsSerializer(data=json_of(request), partial=True))
    form = filled_form(asked, viewer.campaign)
    fields = [name for name in form.changed_settings if name in asked]
    try:
        with transaction.atomic():
            if fields:
                changed = form.save(commit=False)
                lifecycle.change_settings(campaign=changed, fields=fields, actor=request.user)
            _show(viewer.campaign, asked, request)
    except lifecycle.CannotStep as error:
        return refused("archived", error)
    return Response(_detail(request, access.organiser_or_404(request.user, slug)))


@extend_schema(
    summary="Take the next step, or one back",
    operation_id="campaigns_step",
    request=None,
    parameters=[
        OpenApiParameter("step", str, OpenApiParameter.PATH, enum=list(lifecycle.STEPS)),
    ],
    responses={200: CampaignDetailSerializer, 409: RefusalSerializer},
)
@throttled("organise")
@api_view(["POST"])
@permission_classes([IsAuthenticated])
def campaign_step(request: Request, slug: str, step: str) -> Response:
    """What the new stage shows is shown at once. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    if step not in lifecycle.STEPS:
        raise Http404
    try:
        lifecycle.STEPS[step](campaign=viewer.campaign, actor=request.user)
    except lifecycle.CannotStep as error:
        return refused("cannot_step", error)
    return Response(_detail(request, access.organiser_or_404(request.user, slug)))


def _asked(serializer: SettingsSerializer) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    asked: dict[str, Any] = serializer.validated_data
    return asked


def _show(campaign: Campaign, asked: dict[str, Any], request: Request) -> None:
    """Puts the table of what each stage shows in force, if there is one."""
    if not any(name in asked for name in SHOWING):
        return
    table = asked["stage_switches"] if "stage_switches" in asked else TABLES[asked["preset"]]()
    preset = lifecycle.preset_of(table)
    try:
        lifecycle.change_showing(campaign=campaign, preset=preset, table=table, actor=request.user)
    except ValidationError as error:
        raise serializers.ValidationError({"stage_switches": error.messages}) from error


def _row(request: Request, campaign: Campaign) -> dict[str, Any]:
    moment = request._request.arrived_at
    return {
        "slug": campaign.slug,
        "name": campaign.name,
        "stage": lifecycle.stage_at(campaign, moment),
        "is_accepting": lifecycle.is_accepting_at(campaign, moment),
        "opens_at": campaign.opens_at,
        "closes_at": campaign.closes_at,
    }


def _detail(request: Request, viewer: access.Viewer) -> dict[str, Any]:
    campaign = viewer.campaign
    settings = {name: getattr(campaign, name) for name in RULES}
    if viewer.is_organiser:
        settings |= {"preset": campaign.preset, "stage_switches": campaign.stage_switches}
    qrels = campaign.active_qrels
    return _row(request, campaign) | {
        "settings": settings,
        "topics": campaign.topics.count() if viewer.can_see_topics else None,
        "qrels": qrels.version if qrels is not None and viewer.can_see_board else None,
        "roles": sorted(viewer.roles),
        "team": viewer.team.public_id if viewer.team else None,
    }
