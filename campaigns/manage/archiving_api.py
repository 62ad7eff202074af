"""A campaign's afterlife for scripts: copied to the next year, archived, brought back, deleted."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import action_view, write_view
from campaigns.api.requests import RequestSerializer, refuse_invalid, validated_data
from campaigns.api.responses import WRITES, refusals
from campaigns.manage import archiving
from campaigns.manage.api import CampaignDetailSerializer, as_it_is, refuse_campaign_by_outsider
from campaigns.manage.forms import CopyForm


class CopyRequest(RequestSerializer):
    slug = serializers.SlugField(max_length=63, help_text="The new campaign's address; it stays.")
    name = serializers.CharField(max_length=200)


NEXT_YEAR = OpenApiExample(
    "next year", value={"slug": "robust-2027", "name": "Robust 2027"}, request_only=True
)


@extend_schema(
    summary="Copy a campaign to the next year",
    operation_id="campaigns_copy",
    request=CopyRequest,
    responses={201: CampaignDetailSerializer} | WRITES | refusals(403),
    examples=[NEXT_YEAR],
)
@write_view()
def campaign_copy(request: Request, slug: str) -> Response:
    """A draft with the same settings, texts, form, switches and organisers; without dates, topics,
    qrels, teams and runs. For organisers who may make campaigns."""
    viewer = access.organiser_or_404(request.user, slug)
    refuse_campaign_by_outsider(request)
    form = CopyForm(validated_data(CopyRequest, request))
    refuse_invalid(form)
    made = archiving.copy_campaign(
        campaign=viewer.campaign, actor=request.user, **form.cleaned_data
    )
    return as_it_is(request, made.slug, status=201)


@extend_schema(
    summary="Archive a campaign",
    operation_id="campaigns_archive",
    request=None,
    responses={200: CampaignDetailSerializer} | WRITES,
)
@action_view()
def campaign_archive(request: Request, slug: str) -> Response:
    """Everything stays as it is, shown to whom it is shown, and nothing is changed any more. Not
    while runs are taken. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    archiving.archive(campaign=viewer.campaign, actor=request.user)
    return as_it_is(request, slug)


@extend_schema(
    summary="Bring a campaign back from the archive",
    operation_id="campaigns_unarchive",
    request=None,
    responses={200: CampaignDetailSerializer} | WRITES,
)
@action_view()
def campaign_unarchive(request: Request, slug: str) -> Response:
    """One that is not archived stays as it is. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    archiving.unarchive(campaign=viewer.campaign, actor=request.user)
    return as_it_is(request, slug)


@extend_schema(
    summary="Delete a campaign with all that is in it",
    operation_id="campaigns_delete",
    parameters=[
        OpenApiParameter("typed", str, required=True, description="The slug, typed once more."),
    ],
    responses={204: OpenApiResponse(description="It is gone.")} | refusals(400, 401, 404, 409),
)
@write_view("DELETE")
def campaign_delete(request: Request, slug: str) -> Response:
    """A draft, or an archived campaign. Nothing brings it back. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    typed = request.query_params.get("typed", "").strip()
    if not typed:
        message = f"Type the campaign's address, {slug}, to delete it."
        raise serializers.ValidationError({"typed": [ErrorDetail(message, "required")]})
    archiving.delete_campaign(campaign=viewer.campaign, actor=request.user, typed_slug=typed)
    return Response(status=204)
