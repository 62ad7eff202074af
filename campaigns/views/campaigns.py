"""The list of campaigns, one campaign's overview, and making one."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import access, lifecycle
from campaigns.forms.campaign import CampaignForm
from campaigns.models import Campaign, Run


@require_safe
def campaign_list(request: HttpRequest) -> HttpResponse:
    campaigns = access.campaigns_visible_to(request.user).order_by("-created_at", "-pk")
    return render(
        request,
        "campaigns/campaign_list.html",
        {
            "campaigns": campaigns.filter(archived_at=None),
            "archived": campaigns.exclude(archived_at=None),
            "may_create": lifecycle.may_create_campaigns(request.user),
        },
    )


@require_safe
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview; an organiser may look at it through other eyes."""
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    campaign: Campaign = viewer.campaign
    topics = campaign.topics.order_by("position") if viewer.can_see_topics else ()
    return render(
        request,
        "campaigns/campaign_detail.html",
        {
            "viewer": viewer,
            "campaign": campaign,
            "topics": topics,
            "is_accepting": lifecycle.is_accepting_at(campaign, request.arrived_at),
            "is_late": lifecycle.is_late_at(campaign, request.arrived_at),
            "runs": _own_runs(viewer),
        },
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
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


def _own_runs(viewer: access.Viewer) -> QuerySet[Run]:
    """A team's runs, the latest first; in one order, whatever the database did with the rows."""
    runs = access.runs_visible_to(viewer).filter(team=viewer.team)
    return runs.order_by("-submitted_at", "-pk") if viewer.team else runs.none()
