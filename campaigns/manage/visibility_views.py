"""What each stage shows to whom, and feedback before publication."""

import copy

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access, lifecycle
from campaigns.edit_conflicts import STALE, is_stale, mark_of
from campaigns.errors import show_refusals
from campaigns.manage.visibility_forms import SHOWN_STAGES, FeedbackForm, ShowingForm, shown_by
from campaigns.models import Campaign, Preset
from campaigns.models.showing import TABLES

FEEDBACK = "feedback-form"  # the name of the button that sends the second form


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def showing_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """A table of stages and switches. A preset fills it in; nothing is stored before it is sent."""
    viewer = access.organiser_or_404(request.user, slug)
    campaign = viewer.campaign
    is_feedback = FEEDBACK in request.POST
    preset = request.GET.get("preset", "")
    table = TABLES[Preset(preset)]() if preset in TABLES else campaign.stage_switches
    data = request.POST or None
    showing = ShowingForm(None if is_feedback else data, table=table)
    feedback = FeedbackForm(data if is_feedback else None, instance=copy.copy(campaign))
    form = feedback if is_feedback else showing
    marks = {"table": mark_of(campaign, ["stage_switches"]),
             "feedback": mark_of(campaign, FeedbackForm.Meta.fields)}  # fmt: skip
    if request.method == "POST" and form.is_valid():
        was_meant = not is_stale(request.POST, marks["feedback" if is_feedback else "table"])
        if was_meant or not _changes(form, campaign):
            _store(request, viewer, form)
            return redirect("campaigns:showing-edit", slug)
        form.add_error(None, f"{STALE}.")
    return render(
        request,
        "campaigns/manage/showing_form.html",
        {
            "viewer": viewer,
            "campaign": campaign,
            "form": showing,
            "feedback_form": feedback,
            "feedback_button": FEEDBACK,
            "marks": marks,
            "stages": SHOWN_STAGES,
            "shown_now": shown_by(campaign.stage_switches[campaign.stage]),
            "presets": [(value, label) for value, label in Preset.choices if value in TABLES],
            "preset": preset if preset in TABLES else "",
            "in_force": lifecycle.preset_of(campaign.stage_switches),
        },
        status=400 if form.is_bound and form.errors else 200,
    )


def _changes(form: ShowingForm | FeedbackForm, campaign: Campaign) -> bool:
    if isinstance(form, FeedbackForm):
        return bool(form.changed_data)
    return form.table != campaign.stage_switches


def _store(request: HttpRequest, viewer: access.Viewer, form: ShowingForm | FeedbackForm) -> None:
    with show_refusals(request):
        if isinstance(form, FeedbackForm):
            lifecycle.change_settings(
                campaign=form.save(commit=False), fields=form.changed_data, actor=request.user
            )
        else:
            lifecycle.change_showing(
                campaign=viewer.campaign,
                preset=lifecycle.preset_of(form.table),
                table=form.table,
                actor=request.user,
            )
        messages.success(request, "Saved.")
