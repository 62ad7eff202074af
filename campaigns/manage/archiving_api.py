"""API for copying, archiving, unarchiving and deleting a campaign."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import action_view, refuse_fields, write_view
from campaigns.api.requests import RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import WRITES, refusals
from campaigns.manage import archiving
from campaigns.manage.api import (
    CampaignDetailSerializer,
    campaign_response,
    refuse_campaign_by_outsider,
)
from campaigns.manage.forms import CopyForm


class CopyRequest(RequestSerializer):
    slug = serializers.SlugField(max_length=63, help_text="Permanent URL name of the copy.")
    name = serializers.CharField(max_length=200)


NEXT_YEAR = OpenApiExample(
    "next year", value={"slug": "robust-2027", "name": "Robust 2027"}, request_only=True
)


@extend_schema(
    summary="Copy a campaign",
    operation_id="campaigns_copy",
    request=CopyRequest,
    responses={201: CampaignDetailSerializer} | WRITES | refusals(403),
    examples=[NEXT_YEAR],
)
@write_view()
def campaign_copy(request: Request, slug: str) -> Response:
    """Creates a draft with the same settings, texts, visibility and organisers, but without dates,
    topics, qrels, teams and runs. For organisers who may create campaigns."""
    viewer = access.organiser_or_404(request.user, slug)
    refuse_campaign_by_outsider(request)
    form = CopyForm(validated_data(CopyRequest, request))
    refuse_invalid(form)
    copy = archiving.copy_campaign(
        campaign=viewer.campaign, actor=request.user, **form.cleaned_data
    )
    return campaign_response(request, copy.slug, status=201)


@extend_schema(
    summary="Archive a campaign",
    operation_id="campaigns_archive",
    request=None,
    responses={200: CampaignDetailSerializer} | WRITES,
)
@action_view()
def campaign_archive(request: Request, slug: str) -> Response:
    """Prevents all changes. Visibility stays as it is. Close submissions first. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    refuse_fields(request)
    archiving.archive(campaign=viewer.campaign, actor=request.user)
    return campaign_response(request, slug)


@extend_schema(
    summary="Unarchive a campaign",
    operation_id="campaigns_unarchive",
    request=None,
    responses={200: CampaignDetailSerializer} | WRITES,
)
@action_view()
def campaign_unarchive(request: Request, slug: str) -> Response:
    """Does nothing if the campaign is not archived. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    refuse_fields(request)
    archiving.unarchive(campaign=viewer.campaign, actor=request.user)
    return campaign_response(request, slug)


@extend_schema(
    summary="Delete a campaign",
    operation_id="campaigns_delete",
    parameters=[
        OpenApiParameter("typed", str, required=True, description="The slug, as a confirmation."),
    ],
    responses={204: OpenApiResponse(description="Deleted.")} | refusals(400, 401, 404, 409),
)
@write_view("DELETE")
def campaign_delete(request: Request, slug: str) -> Response:
    """Deletes a draft or an archived campaign with everything in it. You cannot undo this. For
    organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    typed = request.query_params.get("typed", "").strip()
    if not typed:
        message = f"To delete the campaign, type its URL name, {slug}."
        raise serializers.ValidationError({"typed": [ErrorDetail(message, "required")]})
    archiving.delete_campaign(campaign=viewer.campaign, actor=request.user, typed_slug=typed)
    return Response(status=204)
