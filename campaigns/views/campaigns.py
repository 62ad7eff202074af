"""The list of campaigns, one campaign's overview, and making one."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from campaigns import access, assignments, lifecycle
from campaigns.forms import CampaignForm


@require_GET
def campaign_list(request: HttpRequest) -> HttpResponse:
    campaigns = access.campaigns_visible_to(request.user).order_by("-created_at")
    return render(
        request,
        "campaigns/campaign_list.html",
        {
            "campaigns": campaigns,
            "may_create": lifecycle.may_create_campaigns(request.user),
        },
    )


@require_GET
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    return render(
        request,
        "campaigns/campaign_detail.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "topics": viewer.campaign.topics.order_by("position"),
            "is_accepting": lifecycle.is_accepting_at(viewer.campaign, request.arrived_at),
            "runs": access.runs_visible_to(viewer).filter(team=viewer.team) if viewer.team else (),
        },
    )


@require_GET
def topics_file(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    response = HttpResponse(
        assignments.topics_xml(viewer.campaign), content_type="application/xml; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{slug}-topics.xml"'
    return response


@login_required
@require_http_methods(["GET", "POST"])
def campaign_create(request: HttpRequest) -> HttpResponse:
    if not lifecycle.may_create_campaigns(request.user):
        raise PermissionDenied
    form = CampaignForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        campaign = lifecycle.create_campaign(
            campaign=form.save(commit=False), organiser=request.user
        )
        return redirect("campaigns:campaign-manage", campaign.slug)
    return render(request, "campaigns/campaign_form.html", {"form": form})
