"""The organisers' queue: what is being done, and what failed and may be tried again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import Archived, show_refusals
from scoring.evaluation.rescoring import rescoring
from scoring.jobs.overview import queue_of
from scoring.jobs.retrying import retry, retry_all


@login_required
@require_safe
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "queue": queue_of(viewer.campaign),
        "rescoring": rescoring(viewer.campaign),
    }
    return render(request, "scoring/jobs/queue.html", context)


@login_required
@require_POST
def job_retry(request: HttpRequest, slug: str, job: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = get_object_or_404(viewer.campaign.jobs, pk=job)
    try:
        is_tried = retry(found, actor=request.user)
    except Archived as error:
        messages.error(request, str(error))
        return redirect("scoring:queue", slug)
    if is_tried:
        messages.success(request, "It is tried again.")
    else:
        messages.error(request, "There is nothing to try again there by now.")
    return redirect("scoring:queue", slug)


@login_required
@require_POST
def queue_retry(request: HttpRequest, slug: str) -> HttpResponse:
    """All failed work at once, as after a disk that was full."""
    viewer = access.organiser_or_404(request.user, slug)
    with show_refusals(request):
        count = retry_all(viewer.campaign, actor=request.user)
        messages.success(request, f"{count} job{'' if count == 1 else 's'} tried again.")
    return redirect("scoring:queue", slug)
