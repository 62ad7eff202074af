"""API of campaigns: list, details, creation, settings and stages."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import LIST_BODY, action_view, read_view, refuse_fields, write_view
from campaigns.api.requests import validated_data
from campaigns.api.responses import FAULTY_FIELD, READS, WRITES, refusals
from campaigns.manage.settings_api import NewCampaignSerializer, SettingsSerializer
from campaigns.manage.settings_changes import change_campaign, create_campaign_from
from campaigns.models import Campaign
from campaigns.options import choice_or_404

MOST_LISTED = 200
RULES = (
    "guidelines", "contact", "time_zone", "is_private", "joining", "terms",
    "allows_anonymous_teams", "opens_at", "closes_at", "topics_released_at", "reveals_teams_at",
    "grace_minutes", "run_quota", "quota_days", "attempt_quota", "asks_acceptance", "highest_grade",
    "rel", "gain_map", "persistences", "measures", "leading_measure", "run_depth", "no_relevant",
    "unknown_topics", "run_types", "run_fields", "asks_priority", "feedback", "published_at",
    "archived_at",
)  # fmt: skip
RULES_OF_ORGANISERS = (
    "reply_to", "preset", "stage_switches", "feedback_measure", "feedback_step", "feedback_runs",
    "feedback_days", "feedback_topics",
)  # fmt: skip


class CampaignSerializer(serializers.Serializer):
    """A row of the list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    stage = serializers.ChoiceField(choices=Campaign.Stage.choices)
    is_accepting = serializers.BooleanField(help_text="Whether a run submitted now would count.")
    opens_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)


class CampaignDetailSerializer(CampaignSerializer):
    """A campaign with its settings. `topics` and `qrels` are null if you may not see them."""

    settings = serializers.DictField(
        help_text="Settings that PATCH can change, and some that follow from them."
    )
    topics = serializers.IntegerField(allow_null=True, help_text="Number of topics.")
    qrels = serializers.IntegerField(allow_null=True, help_text="The active version.")
    roles = serializers.ListField(child=serializers.CharField(), help_text="Your roles.")
    team = serializers.CharField(allow_null=True, help_text="The id of your team.")


NEW = OpenApiExample(
    "new track",
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


@extend_schema(
    summary="List campaigns",
    operation_id="campaigns_list",
    parameters=[
        OpenApiParameter("stage", str, enum=list(Campaign.Stage.values)),
    ],
    responses={200: CampaignSerializer(many=True)} | READS,
)
@read_view
def campaign_list(request: Request) -> Response:
    """The campaigns that you can see, newest first, at most 200."""
    campaigns = access.campaigns_visible_to(request.user).order_by("-created_at", "-pk")
    if stage := choice_or_404("stage", request.query_params.get("stage"), Campaign.Stage.values):
        campaigns = campaigns.filter(stage=stage)
    return Response([_row(request, campaign) for campaign in campaigns[:MOST_LISTED]])


@extend_schema(
    summary="Create a campaign",
    operation_id="campaigns_create",
    request=NewCampaignSerializer,
    responses={201: CampaignDetailSerializer} | refusals(400, 401, 403, 413, 415),
    examples=[NEW, FAULTY_FIELD],
)
@write_view(largest_body=LIST_BODY)
def campaign_create(request: Request) -> Response:
    """Creates a draft with you as its only organiser. A setting of the site says who may create
    campaigns."""
    refuse_campaign_by_outsider(request)
    campaign = create_campaign_from(validated_data(NewCampaignSerializer, request), request.user)
    return campaign_response(request, campaign.slug, status=201)


@extend_schema(
    summary="Read a campaign",
    operation_id="campaigns_read",
    responses={200: CampaignDetailSerializer} | READS,
)
@read_view
def campaign_detail(request: Request, slug: str) -> Response:
    return campaign_response(request, slug)


@extend_schema(
    summary="Change settings",
    operation_id="campaigns_change",
    request=SettingsSerializer,
    responses={200: CampaignDetailSerializer} | WRITES,
    examples=[
        OpenApiExample(
            "later deadline",
            value={"closes_at": "2026-09-03T12:00:00Z", "grace_minutes": 30},
            request_only=True,
        ),
        OpenApiExample(
            "measures",
            value={"persistences": [0.5, 0.8], "measures": ["AP", "nDCG@10", "Judged@10"]},
            request_only=True,
        ),
        FAULTY_FIELD,
    ],
)
@write_view("PATCH", largest_body=LIST_BODY)
def campaign_change(request: Request, slug: str) -> Response:
    """Changes only the settings in the request, either all or none of them. If a scoring rule
    changes, every run is scored again. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    change_campaign(viewer.campaign, validated_data(SettingsSerializer, request), request.user)
    return campaign_response(request, slug)


@extend_schema(
    summary="Change the stage",
    operation_id="campaigns_step",
    request=None,
    parameters=[
        OpenApiParameter("step", str, OpenApiParameter.PATH, enum=list(lifecycle.STEPS)),
    ],
    responses={200: CampaignDetailSerializer} | WRITES,
)
@action_view()
def campaign_step(request: Request, slug: str, step: str) -> Response:
    """The visibility settings of the new stage take effect immediately. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    if step not in lifecycle.STEPS:
        raise Http404
    refuse_fields(request)
    lifecycle.STEPS[step](campaign=viewer.campaign, actor=request.user)
    return campaign_response(request, slug)


def campaign_response(request: Request, slug: str, *, status: int = 200) -> Response:
    """The current state of the campaign, as this person may see it."""
    return Response(_detail(request, access.viewer_or_404(request.user, slug)), status=status)


NOT_APPROVED = (
    "Creating campaigns on this site needs the approval of its operators. Request it on the page "
    "/organise/ of the site."
)


def refuse_campaign_by_outsider(request: Request) -> None:
    if not lifecycle.may_create_campaigns(request.user):
        raise PermissionDenied(NOT_APPROVED)


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
    settings["series"] = campaign.series.name if campaign.series else ""
    if viewer.is_organiser:
        settings |= {name: getattr(campaign, name) for name in RULES_OF_ORGANISERS}
    qrels = campaign.active_qrels
    return _row(request, campaign) | {
        "settings": settings,
        "topics": campaign.topics.count() if viewer.can_see_topics else None,
        "qrels": qrels.version if qrels is not None and viewer.can_see_board else None,
        "roles": sorted(viewer.roles),
        "team": viewer.team.public_id if viewer.team else None,
    }
