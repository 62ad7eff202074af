"""The page of an uploaded file that a worker reads: its progress, its errors, its confirmation."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.models import PendingUpload
from campaigns.qrels.files import UNKNOWN
from campaigns.uploads import confirm_upload, discard_upload, outcome_of, upload_or_404

POLL_SECONDS = 2
# The page on which files of each kind are uploaded.
PAGES = {
    PendingUpload.Kind.DOCUMENTS: "campaigns:documents",
    PendingUpload.Kind.QRELS: "campaigns:campaign-manage",
}


@login_required
@require_safe
def upload_page(request: HttpRequest, slug: str, upload: str) -> HttpResponse:
    """Reloads itself while a worker has yet to read the file, with or without scripts."""
    viewer = access.organiser_or_404(request.user, slug)
    found = upload_or_404(viewer, upload)
    outcome = outcome_of(found)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "upload": found,
        "outcome": outcome,
        "has_unknown_topics": any(each["code"] == UNKNOWN for each in outcome.problems),
        "back": _page_of(found),
    }
    response = render(request, "campaigns/manage/upload.html", context)
    if found.is_live:
        response["Refresh"] = str(POLL_SECONDS)
    return response


@login_required
@require_POST
def upload_confirm(request: HttpRequest, slug: str, upload: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = upload_or_404(viewer, upload)
    with show_refusals(request):
        confirm_upload(upload=found, actor=request.user)
    return redirect("campaigns:upload", slug, found.public_id)


@login_required
@require_POST
def upload_discard(request: HttpRequest, slug: str, upload: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = upload_or_404(viewer, upload)
    with show_refusals(request):
        discard_upload(upload=found)
        messages.success(request, f"{found.original_name or 'The file'} was discarded.")
    return redirect(_page_of(found))


def _page_of(upload: PendingUpload) -> str:
    return reverse(PAGES[PendingUpload.Kind(upload.kind)], args=[upload.campaign.slug])
