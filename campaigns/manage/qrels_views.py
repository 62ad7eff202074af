"""Adding topics and qrels. Refusals are shown on the page *Manage*."""

import hashlib

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from campaigns import access
from campaigns.errors import CannotChangeStage, NeedsConfirmation
from campaigns.manage.views import manage_page
from campaigns.models import Campaign, PendingUpload, Qrels
from campaigns.qrels import versions
from campaigns.qrels.files import UNKNOWN
from campaigns.qrels.forms import FreezeSourcesForm, QrelsForm, RemoveTopicsForm, TopicsForm
from campaigns.qrels.topics import add_topics, read_topics_file, remove_topics
from campaigns.reading import whole_file
from campaigns.trec.problems import FormatError, LimitReached
from campaigns.uploads import keep_upload


@login_required
@require_POST
def topics_add(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = TopicsForm(request.POST, request.FILES)
    if not form.is_valid():
        return manage_page(request, viewer, topics_form=form, status=400)
    try:
        topics, warnings = read_topics_file(form.cleaned_data["file"])
        count = add_topics(campaign=viewer.campaign, topics=topics, actor=request.user)
    except FormatError as error:
        return manage_page(request, viewer, topics_fault=error, status=400)
    except CannotChangeStage as error:
        return _show_error(request, slug, error)
    added = f"{count} topic{'' if count == 1 else 's'} added"
    messages.success(request, f"{added}, {len(topics) - count} updated.")
    for warning in warnings:
        messages.warning(request, str(warning))
    return redirect("campaigns:campaign-manage", slug)


@login_required
@require_POST
def topics_remove(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = RemoveTopicsForm(request.POST)
    codes = form.cleaned_data["codes"] if form.is_valid() else []
    try:
        count = remove_topics(campaign=viewer.campaign, codes=codes, actor=request.user)
    except CannotChangeStage as error:
        return _show_error(request, slug, error)
    messages.success(request, f"{count} topic{'' if count == 1 else 's'} removed.")
    return redirect("campaigns:campaign-manage", slug)


@login_required
@require_POST
def qrels_add(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = QrelsForm(request.POST, request.FILES)
    if not form.is_valid():
        return manage_page(request, viewer, qrels_form=form, status=400)
    file = form.cleaned_data["file"]
    try:
        data = whole_file(file)
        qrels, _ = versions.add_qrels(
            campaign=viewer.campaign,
            data=data,
            note=form.cleaned_data["note"],
            actor=request.user,
            is_activated=not form.cleaned_data["add_only"],
            is_confirmed=form.confirms(data),
        )
    except LimitReached:
        return _keep_for_worker(request, viewer, form)
    except NeedsConfirmation as doubt:
        return _ask_to_confirm(request, viewer, form, data, doubt)
    except FormatError as error:  # the note that was typed stays in the form
        return manage_page(request, viewer, qrels_fault=error, qrels_form=form, status=400)
    except CannotChangeStage as error:
        return _show_error(request, slug, error)
    return _show_version(request, viewer.campaign, qrels)


@login_required
@require_POST
def qrels_freeze(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = FreezeSourcesForm(request.POST, campaign=viewer.campaign)
    note = form.cleaned_data["note"] if form.is_valid() else ""
    if "sources" in form.errors:
        messages.error(request, "Choose whose judgments the version contains.")
        return redirect("campaigns:campaign-manage", slug)
    sources, program = form.chosen
    try:
        qrels = versions.freeze_judgments(
            campaign=viewer.campaign,
            note=note,
            actor=request.user,
            is_activated=not form.cleaned_data["add_only"],
            without_gold=form.cleaned_data["without_gold"],
            sources=sources,
            program=program,
        )
    except FormatError as error:
        return manage_page(request, viewer, qrels_fault=error, status=400)
    except CannotChangeStage as error:
        return _show_error(request, slug, error)
    return _show_version(request, viewer.campaign, qrels)


@login_required
@require_POST
def qrels_activate(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    qrels = versions.version_or_404(viewer, version)
    try:
        versions.activate_qrels(campaign=viewer.campaign, qrels=qrels, actor=request.user)
    except CannotChangeStage as error:
        return _show_error(request, slug, error)
    return _show_version(request, viewer.campaign, qrels)


def _keep_for_worker(request: HttpRequest, viewer: access.Viewer, form: QrelsForm) -> HttpResponse:
    slug = viewer.campaign.slug
    try:
        upload = keep_upload(
            campaign=viewer.campaign,
            kind=PendingUpload.Kind.QRELS,
            file=form.cleaned_data["file"],
            actor=request.user,
            options={
                "note": form.cleaned_data["note"],
                "is_activated": not form.cleaned_data["add_only"],
                "is_confirmed": False,
            },
        )
    except CannotChangeStage as error:
        return _show_error(request, slug, error)
    return redirect("campaigns:upload", slug, upload.public_id)


def _ask_to_confirm(
    request: HttpRequest,
    viewer: access.Viewer,
    form: QrelsForm,
    data: bytes,
    doubt: NeedsConfirmation,
) -> HttpResponse:
    """Nothing is stored. The organiser chooses the file again, and its digest proves that it is the
    file that was checked."""
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "doubt": doubt,
        "has_unknown_topics": any(p.code == UNKNOWN for p in doubt.problems),
        "confirmed": hashlib.sha256(data).hexdigest(),
        "file_name": form.cleaned_data["file"].name,
        "note": form.cleaned_data["note"],
        "is_another": bool(form.cleaned_data["confirmed"]),
    }
    return render(request, "campaigns/qrels/qrels_confirm.html", context, status=400)


def _show_version(request: HttpRequest, campaign: Campaign, qrels: Qrels) -> HttpResponse:
    messages.success(request, versions.added_in_words(campaign, qrels))
    return redirect("campaigns:campaign-manage", campaign.slug)


def _show_error(request: HttpRequest, slug: str, error: CannotChangeStage) -> HttpResponse:
    messages.error(request, str(error))
    return redirect("campaigns:campaign-manage", slug)
