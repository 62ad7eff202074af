"""The page of the deposit, and its file."""

import tempfile

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import access
from campaigns.errors import CannotChangeStage, show_refusals
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, User
from scoring.citations.authors import parse_authors
from scoring.downloads.deposit import deposited_runs, write_deposit
from scoring.output.long_downloads import begin_long_download

LARGEST_IN_MEMORY = 8 << 20


class DepositForm(forms.ModelForm):
    class Meta:
        model = Campaign
        fields = ["licence", "authors"]
        labels = {"licence": "Licence", "authors": "Authors"}
        help_texts = {
            "licence": "It applies to the whole deposit, and packages and snapshots state it. "
            "Ask the teams and the assessors first.",
            "authors": "One author for each line: Family name, Given name; affiliation; ORCID. "
            "Only the name is required. An organisation has no comma in its name.",
        }
        widgets = {"authors": forms.Textarea(attrs={"rows": 6})}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.required = True

    def clean_authors(self) -> str:
        text = str(self.cleaned_data["authors"])
        if not list(parse_authors(text)):
            raise ValidationError("List at least one author.")
        return text


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deposit(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = DepositForm(request.POST or None, instance=viewer.campaign)
    if request.method == "POST" and form.is_valid():
        with show_refusals(request):
            _save(form, request.user)
            messages.success(request, "Licence and authors are saved.")
        return redirect("scoring:deposit", slug)
    runs = deposited_runs(viewer.campaign)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": form,
        "runs": runs,
        "file_count": sum(run.is_shared for run in runs),
        "not_sharing": sorted({run.team for run in runs if not run.is_shared}),
        "is_ready": bool(viewer.campaign.licence and viewer.campaign.authors),
    }
    status = 400 if form.errors else 200
    return render(request, "scoring/downloads/deposit.html", context, status=status)


@transaction.atomic
def _save(form: DepositForm, actor: User) -> None:
    refuse_archived(form.instance)
    form.instance.save(update_fields=["licence", "authors"])
    record(form.instance, actor, "changed deposit", licence=form.instance.licence)


@login_required
@require_safe
def deposit_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Written to a temporary file, because it can be large."""
    viewer = access.organiser_or_404(request.user, slug)
    url = request.build_absolute_uri(reverse("scoring:leaderboard", args=[slug]))
    begin_long_download()
    out = tempfile.SpooledTemporaryFile(LARGEST_IN_MEMORY)  # noqa: SIM115 (the response closes it)
    try:
        write_deposit(viewer.campaign, out, made_at=timezone.now(), url=url)
    except CannotChangeStage as error:
        messages.error(request, str(error))
        return redirect("scoring:deposit", slug)
    out.seek(0)
    name = f"{slug}-deposit.zip"
    return FileResponse(out, as_attachment=True, filename=name, content_type="application/zip")
