"""The page *Visibility*: who can see what at each stage, and feedback before publication."""

import copy

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access, lifecycle
from campaigns.edit_conflicts import STALE, is_stale, version_of
from campaigns.errors import show_refusals
from campaigns.manage.visibility_forms import (
    VISIBLE_STAGES,
    FeedbackForm,
    VisibilityForm,
    visible_items,
)
from campaigns.models import Campaign, Preset
from campaigns.models.showing import TABLES
from campaigns.options import takes

FEEDBACK = "feedback-form"  # the name of the button that sends the second form


@takes("preset")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def visibility(request: HttpRequest, slug: str) -> HttpResponse:
    """A table of stages and switches. A preset fills the form without saving it."""
    viewer = access.organiser_or_404(request.user, slug)
    campaign = viewer.campaign
    is_feedback = FEEDBACK in request.POST
    preset = request.GET.get("preset", "")
    table = TABLES[Preset(preset)]() if preset in TABLES else campaign.stage_switches
    data = request.POST or None
    table_form = VisibilityForm(None if is_feedback else data, table=table)
    # A copy, because an invalid form changes its instance, and the page shows the stored campaign.
    feedback = FeedbackForm(data if is_feedback else None, instance=copy.copy(campaign))
    form = feedback if is_feedback else table_form
    versions = {"table": version_of(campaign, ["stage_switches"]),
                "feedback": version_of(campaign, FeedbackForm.Meta.fields)}  # fmt: skip
    if request.method == "POST" and form.is_valid():
        has_conflict = is_stale(request.POST, versions["feedback" if is_feedback else "table"])
        if not has_conflict or not _changes(form, campaign):
            _store(request, viewer, form)
            return redirect("campaigns:visibility", slug)
        form.add_error(None, f"{STALE}.")
    return render(
        request,
        "campaigns/manage/visibility.html",
        {
            "viewer": viewer,
            "campaign": campaign,
            "form": table_form,
            "feedback_form": feedback,
            "feedback_button": FEEDBACK,
            "versions": versions,
            "stages": VISIBLE_STAGES,
            "visible_now": visible_items(campaign.stage_switches[campaign.stage]),
            "presets": [(value, label) for value, label in Preset.choices if value in TABLES],
            "preset": preset if preset in TABLES else "",
            "current_preset": lifecycle.preset_of(campaign.stage_switches),
        },
        status=400 if form.is_bound and form.errors else 200,
    )


def _changes(form: VisibilityForm | FeedbackForm, campaign: Campaign) -> bool:
    if isinstance(form, FeedbackForm):
        return bool(form.changed_data)
    return form.table != campaign.stage_switches


def _store(
    request: HttpRequest, viewer: access.Viewer, form: VisibilityForm | FeedbackForm
) -> None:
    with show_refusals(request):
        if isinstance(form, FeedbackForm):
            lifecycle.change_settings(
                campaign=form.save(commit=False), fields=form.changed_data, actor=request.user
            )
        else:
            lifecycle.change_visibility(
                campaign=viewer.campaign,
                preset=lifecycle.preset_of(form.table),
                table=form.table,
                actor=request.user,
            )
        messages.success(request, "Saved.")
