"""The page *Manage* with its checklist, the settings, and the changes of stage."""

import copy

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns import access, lifecycle, participation, scoring_hooks
from campaigns.edit_conflicts import STALE, is_stale, version_of
from campaigns.errors import show_refusals
from campaigns.log import log_rows
from campaigns.manage.campaign_views import are_valid_settings, warn_of_past_close
from campaigns.manage.forms import CampaignForm
from campaigns.manage.measures_form import MeasuresForm
from campaigns.manage.publication import publication_of
from campaigns.manage.visibility_forms import VISIBLE_STAGES, visible_items
from campaigns.models import Campaign, PendingUpload
from campaigns.people import teams
from campaigns.qrels.forms import FreezeSourcesForm, QrelsForm, TopicsForm
from campaigns.uploads import open_uploads

STEPS = lifecycle.STEPS


@login_required
@require_safe
def campaign_manage(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    return manage_page(request, viewer)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_edit(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    # A copy: an invalid form changes its instance, and the page shows the stored campaign.
    form = CampaignForm(
        request.POST or None, instance=copy.copy(viewer.campaign), person=request.user
    )
    measures_form = MeasuresForm(request.POST or None, campaign=viewer.campaign)
    version = version_of(
        viewer.campaign, [*CampaignForm.Meta.fields, "measures", "leading_measure"]
    )
    if request.method == "POST" and are_valid_settings(form, measures_form):
        changed = _changed_settings(form, viewer.campaign)
        if changed and is_stale(request.POST, version):
            form.add_error(None, f"{STALE}: {', '.join(changed.values())}.")
        else:
            with show_refusals(request):
                lifecycle.change_settings(
                    campaign=form.save(commit=False), fields=list(changed), actor=request.user
                )
                messages.success(request, "Saved.")
                if "closes_at" in changed:
                    warn_of_past_close(request, form.instance)
            return redirect("campaigns:campaign-manage", form.instance.slug)
    return render(
        request,
        "campaigns/manage/campaign_form.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "form": form,
            "measures_form": measures_form,
            "version": version,
            "scored_count": viewer.campaign.runs.live().filter(state="accepted").count()
            if viewer.campaign.active_qrels_id
            else 0,
            "known_series": list(access.series_visible_to(request.user)),
        },
        status=400 if form.errors or measures_form.errors else 200,
    )


def _changed_settings(form: CampaignForm, before: Campaign) -> dict[str, str]:
    """The columns that the form changes, with their labels."""
    changed = {name: str(form[name].label) for name in form.changed_data}
    if form.instance.measures != before.measures:
        changed["measures"] = "Measures"
    if form.instance.leading_measure != before.leading_measure:
        changed["leading_measure"] = "Leading measure"
    return changed


@login_required
@require_POST
def campaign_step(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Moves the campaign to another stage."""
    viewer = access.organiser_or_404(request.user, slug)
    if step not in STEPS:
        raise Http404
    with show_refusals(request):
        STEPS[step](campaign=viewer.campaign, actor=request.user)
    return redirect("campaigns:campaign-manage", slug)


def manage_page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    """Renders the page *Manage*. `extra` adds forms with errors."""
    campaign: Campaign = viewer.campaign
    last_entries = campaign.log.exclude(verb="scored").select_related("actor")
    all_teams = list(campaign.teams.order_by("name", "pk"))
    approved = [team for team in all_teams if team.approved_at is not None]
    waiting = [team for team in all_teams if team.approved_at is None]
    context = {
        "viewer": viewer,
        "campaign": campaign,
        "topics_form": TopicsForm(),
        "qrels_form": QrelsForm(),
        "topic_count": campaign.topics.count(),
        "run_count": campaign.runs.count(),
        "live_run_count": campaign.runs.live().count(),
        "team_count": len(all_teams),
        "approved_team_count": len(approved),
        "pending_team_count": len(waiting),
        "same_named_teams": teams.same_named(approved),
        "waiting_teams": waiting[:5],
        "checked_run_count": campaign.runs.filter(state="checked", withdrawn_at=None).count(),
        "failed_run_count": campaign.runs.filter(state="failed").count(),
        "teams": all_teams,
        "stages": VISIBLE_STAGES,
        "visible_now": visible_items(campaign.stage_switches[campaign.stage]),
        "publication": publication_of(campaign),
        "is_accepting": lifecycle.is_accepting_at(campaign, request.arrived_at),
        "allows_new_teams": participation.allows_new_teams(campaign, request.arrived_at),
        "next_moment": lifecycle.next_moment(campaign, request.arrived_at),
        "may_create": lifecycle.may_create_campaigns(request.user),
        "qrels_versions": list(campaign.qrels.order_by("-version")),
        "uploads": open_uploads(campaign, PendingUpload.Kind.QRELS),
        "judgment_count": campaign.judgments.count(),
        "freeze_form": FreezeSourcesForm(campaign=campaign),
        "rescoring": scoring_hooks.rescoring_of(campaign),
        "log": log_rows(campaign, last_entries[:10]),
    }
    return render(request, "campaigns/manage/campaign_manage.html", context | extra, status=status)
