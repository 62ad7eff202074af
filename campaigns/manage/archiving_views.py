"""Copying a campaign to the next year, archiving it, bringing it back, and deleting it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access, lifecycle
from campaigns.errors import CannotDelete, show_refusals
from campaigns.manage import archiving
from campaigns.manage.forms import CopyForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_copy(request: HttpRequest, slug: str) -> HttpResponse:
    """A copy is a new campaign: it takes the right to make one."""
    viewer = access.organiser_or_404(request.user, slug)
    may_create = lifecycle.may_create_campaigns(request.user)
    form = CopyForm(request.POST or None)
    if request.method == "POST":
        if not may_create:
            raise PermissionDenied
        if form.is_valid():
            made = archiving.copy_campaign(
                campaign=viewer.campaign,
                slug=form.cleaned_data["slug"],
                name=form.cleaned_data["name"],
                actor=request.user,
            )
            return redirect("campaigns:campaign-manage", made.slug)
    return render(
        request,
        "campaigns/manage/campaign_copy.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "form": form,
            "may_create": may_create,
        },
        status=400 if form.errors else 200,
    )


@login_required
@require_POST
def campaign_archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Archives, or brings back what is archived."""
    viewer = access.organiser_or_404(request.user, slug)
    act = archiving.unarchive if "bring_back" in request.POST else archiving.archive
    with show_refusals(request):
        act(campaign=viewer.campaign, actor=request.user)
    return redirect("campaigns:campaign-manage", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_delete(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        viewer = access.organiser_or_404(request.user, slug)
    except Http404:
        if request.method != "POST":
            raise
        messages.info(request, "There is no such campaign of yours. What you deleted is gone.")
        return redirect("campaigns:campaign-list")  # the second of two clicks, most likely
    fault = ""
    if request.method == "POST":
        try:
            archiving.delete_campaign(
                campaign=viewer.campaign,
                actor=request.user,
                typed_slug=request.POST.get("slug", "").strip(),
            )
        except CannotDelete as error:
            fault = str(error)
        else:
            messages.success(request, f"{viewer.campaign.name} is deleted.")
            return redirect("campaigns:campaign-list")
    return render(
        request,
        "campaigns/manage/campaign_delete.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "fault": fault,
            "run_count": viewer.campaign.runs.count(),
            "team_count": viewer.campaign.teams.count(),
        },
        status=400 if fault else 200,
    )
