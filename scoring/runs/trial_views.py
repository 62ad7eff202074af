"""The page *Try a file*."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.errors import SubmissionRefused
from campaigns.runs.description import LONGEST_NAME, read_name
from campaigns.trec.problems import FormatError
from scoring.runs import trial


class TrialForm(forms.Form):
    file = forms.FileField(label="Run file", allow_empty_file=True)  # the check refuses it
    name = forms.CharField(
        required=False,
        label="Run name",
        max_length=LONGEST_NAME,
        help_text="The name that you would submit the file with. Empty: the tag of the file.",
    )

    def clean_name(self) -> str:
        return read_name(self.cleaned_data["name"])


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_trial(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    form = TrialForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    context: dict[str, Any] = {"viewer": viewer, "campaign": viewer.campaign, "form": form}
    status = 200
    try:
        if form.is_bound and form.is_valid():
            file, name = form.cleaned_data["file"], form.cleaned_data["name"]
            context["trial"] = trial.try_file(viewer, file, name)
        else:
            trial.refuse_trials(viewer)
            status = 400 if form.is_bound else 200
    except FormatError as error:
        context["fault"], status = error, 400
    except SubmissionRefused as error:
        context["refusal"], status = error, 409 if form.is_bound else 200
    context["file_name"] = form.is_bound and form.is_valid() and form.cleaned_data["file"].name
    context["max_bytes"] = trial.UNPACKED_BYTES
    return render(request, "scoring/runs/run_trial.html", context, status=status)
