"""Copying, archiving, unarchiving and deleting a campaign."""

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
    """A copy is a new campaign, so it requires the permission to create campaigns."""
    viewer = access.organiser_or_404(request.user, slug)
    may_create = lifecycle.may_create_campaigns(request.user)
    form = CopyForm(request.POST or None)
    if request.method == "POST":
        if not may_create:
            raise PermissionDenied
        if form.is_valid():
            copy = archiving.copy_campaign(
                campaign=viewer.campaign,
                slug=form.cleaned_data["slug"],
                name=form.cleaned_data["name"],
                actor=request.user,
            )
            return redirect("campaigns:campaign-manage", copy.slug)
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
    """Archives or unarchives the campaign. Pages that were opened before an upgrade call the button
    `bring_back`."""
    viewer = access.organiser_or_404(request.user, slug)
    brings_back = not request.POST.keys().isdisjoint({"unarchive", "bring_back"})
    change = archiving.unarchive if brings_back else archiving.archive
    with show_refusals(request):
        change(campaign=viewer.campaign, actor=request.user)
    return redirect("campaigns:campaign-manage", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_delete(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        viewer = access.organiser_or_404(request.user, slug)
    except Http404:
        if request.method != "POST":
            raise
        messages.info(request, "The campaign no longer exists, or you do not have access.")
        return redirect("campaigns:campaign-list")  # probably the second of two clicks
    error_text = ""
    if request.method == "POST":
        try:
            archiving.delete_campaign(
                campaign=viewer.campaign,
                actor=request.user,
                typed_slug=request.POST.get("slug", "").strip(),
            )
        except CannotDelete as error:
            error_text = str(error)
        else:
            messages.success(request, f"{viewer.campaign.name} has been deleted.")
            return redirect("campaigns:campaign-list")
    return render(
        request,
        "campaigns/manage/campaign_delete.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "error_text": error_text,
            "run_count": viewer.campaign.runs.count(),
            "team_count": viewer.campaign.teams.count(),
        },
        status=400 if error_text else 200,
    )
