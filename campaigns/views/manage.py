"""The organiser's page: rules, topics, qrels, dates, and the switch that publishes."""

import copy
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from campaigns import access, assignments, lifecycle
from campaigns.forms import CampaignForm, QrelsForm, TopicsForm
from campaigns.models import Campaign
from campaigns.trec.problems import FormatError
from campaigns.trec.topics import read_topics

STEPS: dict[str, Callable[..., None]] = {
    "open": lifecycle.open_for_runs,
    "close": lifecycle.close_for_runs,
    "publish": lifecycle.publish,
    "unpublish": lifecycle.unpublish,
}


@login_required
@require_GET
def campaign_manage(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    return _manage_page(request, viewer)


@login_required
@require_http_methods(["GET", "POST"])
def campaign_edit(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    # A copy: a faulty form writes what was typed into its instance, and the page shows the rest.
    form = CampaignForm(request.POST or None, instance=copy.copy(viewer.campaign))
    if request.method == "POST" and form.is_valid():
        lifecycle.change_settings(
            campaign=form.save(commit=False), fields=form.changed_data, actor=request.user
        )
        return redirect("campaigns:campaign-manage", form.instance.slug)
    return render(
        request,
        "campaigns/campaign_form.html",
        {"viewer": viewer, "campaign": viewer.campaign, "form": form},
    )


@login_required
@require_POST
def campaign_step(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Opens, closes, publishes or unpublishes."""
    viewer = access.organiser_or_404(request.user, slug)
    if step not in STEPS:
        raise Http404
    try:
        STEPS[step](campaign=viewer.campaign, actor=request.user)
    except lifecycle.CannotStep as error:
        messages.error(request, str(error))
    return redirect("campaigns:campaign-manage", slug)


@login_required
@require_POST
def topics_add(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = TopicsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _manage_page(request, viewer, topics_form=form, status=400)
    try:
        topics = read_topics(form.cleaned_data["file"])
    except FormatError as error:
        return _manage_page(request, viewer, topics_fault=error, status=400)
    count = assignments.add_topics(campaign=viewer.campaign, topics=topics, actor=request.user)
    messages.success(request, f"{count} topics added, {len(topics) - count} brought up to date.")
    return redirect("campaigns:campaign-manage", slug)


@login_required
@require_POST
def qrels_add(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = QrelsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _manage_page(request, viewer, qrels_form=form, status=400)
    try:
        qrels, _ = assignments.add_qrels(
            campaign=viewer.campaign,
            data=form.cleaned_data["file"].read(),
            note=form.cleaned_data["note"],
            actor=request.user,
        )
    except FormatError as error:
        return _manage_page(request, viewer, qrels_fault=error, status=400)
    messages.success(request, f"{qrels} is active; every run is scored under it.")
    return redirect("campaigns:campaign-manage", slug)


def _manage_page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    campaign: Campaign = viewer.campaign
    context = {
        "viewer": viewer,
        "campaign": campaign,
        "topics_form": TopicsForm(),
        "qrels_form": QrelsForm(),
        "topic_count": campaign.topics.count(),
        "run_count": campaign.runs.count(),
        "team_count": campaign.teams.count(),
        "qrels_versions": campaign.qrels.order_by("-version"),
        "log": campaign.log.exclude(verb="scored").select_related("actor")[:20],
    }
    return render(request, "campaigns/campaign_manage.html", context | extra, status=status)
