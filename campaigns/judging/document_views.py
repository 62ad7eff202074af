"""The organisers' page of document texts and document URLs."""

import copy

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access, lifecycle
from campaigns.errors import CannotChangeStage, show_refusals
from campaigns.judging.assessing_forms import DocumentsForm, DocumentURLForm
from campaigns.judging.documents import (
    NeedsFields,
    add_documents,
    counts_of,
    remove_documents,
)
from campaigns.models import PendingUpload
from campaigns.trec.problems import FormatError, LimitReached
from campaigns.uploads import keep_upload, open_uploads


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def documents(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    if request.method != "POST":
        return _page(request, viewer)
    form = DocumentsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, viewer, form=form, status=400)
    try:
        added = add_documents(
            campaign=viewer.campaign,
            file=form.cleaned_data["file"],
            actor=request.user,
            names=form.names,
        )
    except NeedsFields as question:
        return _ask_for_fields(request, viewer, form, question)
    except LimitReached:
        return _keep_for_worker(request, viewer, form)
    except FormatError as error:
        return _page(request, viewer, fault=error, status=400)
    except CannotChangeStage as error:
        messages.error(request, str(error))
    else:
        messages.success(request, added.in_words)
        for warning in added.all_warnings:
            messages.warning(request, warning)
    return redirect("campaigns:documents", slug)


def _keep_for_worker(
    request: HttpRequest, viewer: access.Viewer, form: DocumentsForm
) -> HttpResponse:
    slug, names = viewer.campaign.slug, form.names
    with show_refusals(request):
        upload = keep_upload(
            campaign=viewer.campaign,
            kind=PendingUpload.Kind.DOCUMENTS,
            file=form.cleaned_data["file"],
            actor=request.user,
            options={"names": {"doc_id": names.doc_id, "text": names.text} if names else None},
        )
        return redirect("campaigns:upload", slug, upload.public_id)
    return redirect("campaigns:documents", slug)


def _ask_for_fields(
    request: HttpRequest, viewer: access.Viewer, form: DocumentsForm, question: NeedsFields
) -> HttpResponse:
    """Nothing is stored. The organiser chooses the fields, and the file again."""
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "fields": question.fields,
        "file_name": form.cleaned_data["file"].name,
    }
    return render(request, "campaigns/judging/documents_fields.html", context, status=400)


@login_required
@require_POST
def documents_address(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    # A copy, because the form also writes an invalid URL into its instance, which the page shows.
    form = DocumentURLForm(request.POST, instance=copy.copy(viewer.campaign))
    if not form.is_valid():
        return _page(request, viewer, url_form=form, status=400)
    with show_refusals(request):
        lifecycle.change_settings(
            campaign=form.save(commit=False), fields=form.changed_data, actor=request.user
        )
        messages.success(request, "Saved.")
    return redirect("campaigns:documents", slug)


@login_required
@require_POST
def documents_remove(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    with show_refusals(request):
        count = remove_documents(campaign=viewer.campaign, actor=request.user)
        messages.success(request, f"{count:,} document{'' if count == 1 else 's'} deleted.")
    return redirect("campaigns:documents", slug)


def _page(
    request: HttpRequest, viewer: access.Viewer, *, status: int = 200, **extra: object
) -> HttpResponse:
    campaign = viewer.campaign
    context = {
        "viewer": viewer,
        "campaign": campaign,
        "counts": counts_of(campaign),
        "form": DocumentsForm(),
        "url_form": DocumentURLForm(instance=campaign),
        "uploads": open_uploads(campaign, PendingUpload.Kind.DOCUMENTS),
    }
    return render(request, "campaigns/judging/documents.html", context | extra, status=status)
