"""Snapshots: taking one, its page, and its file."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import CannotChangeStage
from scoring.analyses.responses import cited_by
from scoring.downloads.snapshots import board_of, open_file, snapshot_or_404, take_snapshot


@login_required
@require_POST
def snapshot_create(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    try:
        snapshot = take_snapshot(
            viewer=viewer,
            actor=request.user,
            title=request.POST.get("title", "").replace("\0", ""),
            key=request.POST.get("key", ""),
            site=request.build_absolute_uri("/").rstrip("/"),
        )
    except CannotChangeStage as error:
        messages.error(request, str(error))
        return redirect("scoring:downloads", slug)
    messages.success(request, "This snapshot stays as it is, whatever happens to the board.")
    return redirect("scoring:snapshot-detail", snapshot.public_id)


@require_safe
def snapshot_detail(request: HttpRequest, snapshot: str) -> HttpResponse:
    """The board as its own file has it: page and file cannot differ."""
    viewer, found = snapshot_or_404(request.user, snapshot)
    board = board_of(found, request.GET.get("measure", ""))
    return render(
        request,
        "scoring/downloads/snapshot.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "snapshot": found,
            "board": board,
            "citation": cited_by(request, viewer.campaign, found),
        },
    )


@require_safe
def snapshot_file(request: HttpRequest, snapshot: str) -> HttpResponse:
    """The one file with an ETag: it never changes. It is looked at after the permission, so that
    nobody learns of a file by what another one's browser has kept."""
    viewer, found = snapshot_or_404(request.user, snapshot)
    tag = f'"{found.digest}"'
    answer: HttpResponse | None = get_conditional_response(request, etag=tag)
    if answer is None:
        name = f"{viewer.campaign.slug}-snapshot-{found.public_id}.zip"
        answer = FileResponse(
            open_file(found), as_attachment=True, filename=name, content_type="application/zip"
        )
    answer["ETag"] = tag
    return answer
