"""The organisers' page of the run description form."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.edit_conflicts import STALE, is_stale, version_of
from campaigns.errors import Archived
from campaigns.runs import description
from campaigns.runs.forms import (
    BaseRunFieldFormSet,
    RunDescriptionSettingsForm,
    RunFieldFormSet,
    initial_run_fields,
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_form(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    campaign = viewer.campaign
    data = request.POST if request.method == "POST" else None
    form = RunDescriptionSettingsForm(
        data,
        initial={
            "run_types": campaign.run_types,
            "asks_priority": campaign.asks_priority,
            "asks_acceptance": campaign.asks_acceptance,
        },
    )
    fields = RunFieldFormSet(data, initial=initial_run_fields(campaign), prefix="field")
    version = version_of(campaign, ["run_types", "run_fields", "asks_priority", "asks_acceptance"])
    if request.method == "POST" and form.is_valid() and fields.is_valid():
        has_changed = form.has_changed() or fields.specs() != campaign.run_fields
        if has_changed and is_stale(request.POST, version):
            form.add_error(None, f"{STALE}.")
        elif _save(request, viewer, form, fields):
            return redirect("campaigns:run-form", slug)
    return render(
        request,
        "campaigns/runs/run_fields_form.html",
        {
            "viewer": viewer,
            "campaign": campaign,
            "form": form,
            "fields": fields,
            "version": version,
            "is_faulty": bool(form.errors or fields.total_error_count()) and data is not None,
        },
        status=400 if data is not None else 200,
    )


def _save(
    request: HttpRequest,
    viewer: access.Viewer,
    form: RunDescriptionSettingsForm,
    fields: BaseRunFieldFormSet,
) -> bool:
    """False if the form has to be shown again with its errors."""
    try:
        description.change_run_form(
            campaign=viewer.campaign,
            actor=request.user,
            run_fields=fields.specs(),
            **form.cleaned_data,
        )
    except ValidationError as error:
        form.add_error(None, error)
        return False
    except Archived as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Saved. The form applies to runs submitted from now on.")
    return True
