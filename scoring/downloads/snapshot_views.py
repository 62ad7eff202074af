"""Snapshots: create, page, and file."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import CannotChangeStage, show_refusals
from campaigns.options import takes
from scoring.citations.snapshots import citation_of
from scoring.downloads.doi import DoiForm, set_doi
from scoring.downloads.snapshots import board_of, create_snapshot, open_file, snapshot_or_404
from scoring.models import Snapshot


@login_required
@require_POST
def snapshot_create(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    try:
        snapshot = create_snapshot(
            viewer=viewer,
            actor=request.user,
            # PostgreSQL stores no NUL in a text.
            title=request.POST.get("title", "").replace("\0", ""),
            key=request.POST.get("key", ""),
            site=request.build_absolute_uri("/").rstrip("/"),
        )
    except CannotChangeStage as error:
        messages.error(request, str(error))
        return redirect("scoring:downloads", slug)
    messages.success(request, "The snapshot is created. It never changes.")
    return redirect("scoring:snapshot-detail", snapshot.public_id)


@takes("measure")
@require_safe
def snapshot_detail(request: HttpRequest, snapshot: str) -> HttpResponse:
    viewer, stored = snapshot_or_404(request.user, snapshot)
    return _page(request, viewer, stored, DoiForm.of(stored))


def _page(
    request: HttpRequest,
    viewer: access.Viewer,
    stored: Snapshot,
    doi_form: DoiForm,
    *,
    status: int = 200,
) -> HttpResponse:
    """The board as read from its file, so that page and file cannot differ."""
    return render(
        request,
        "scoring/downloads/snapshot.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "snapshot": stored,
            "board": board_of(stored, request.GET.get("measure", "")),
            "own_runs": set(
                viewer.campaign.runs.filter(team=viewer.team).values_list("public_id", flat=True)
            )
            if viewer.team
            else set(),
            "citation": citation_of(stored, viewer.campaign, request.build_absolute_uri),
            "doi_form": doi_form,
            "can_change": viewer.is_organiser and viewer.campaign.archived_at is None,
        },
        status=status,
    )


@login_required
@require_POST
def snapshot_doi(request: HttpRequest, snapshot: str) -> HttpResponse:
    viewer, stored = snapshot_or_404(request.user, snapshot)
    access.organiser_or_404(request.user, viewer.campaign.slug)
    form = DoiForm.of(stored, request.POST)
    if not form.is_valid():
        return _page(request, viewer, stored, form, status=400)
    with show_refusals(request):
        set_doi(snapshot=stored, doi=form.cleaned_data["doi"], actor=request.user)
        messages.success(request, "The DOI is saved.")
    return redirect("scoring:snapshot-detail", stored.public_id)


@require_safe
def snapshot_file(request: HttpRequest, snapshot: str) -> HttpResponse:
    """The only file with an ETag, because it never changes. The permission is checked before the
    ETag, so that nobody learns about a file with the ETag of another browser."""
    viewer, stored = snapshot_or_404(request.user, snapshot)
    tag = f'"{stored.digest}"'
    response: HttpResponse | None = get_conditional_response(request, etag=tag)
    if response is None:
        name = f"{viewer.campaign.slug}-snapshot-{stored.public_id}.zip"
        response = FileResponse(
            open_file(stored), as_attachment=True, filename=name, content_type="application/zip"
        )
    response["ETag"] = tag
    return response
