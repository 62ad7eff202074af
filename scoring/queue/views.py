"""The organisers' queue: jobs that run or wait, and failed jobs that can be retried."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import Archived, show_refusals
from scoring.evaluation.rescoring import rescoring
from scoring.queue.overview import queue_of, retry, retry_all


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
    return render(request, "scoring/queue/queue.html", context)


@login_required
@require_POST
def job_retry(request: HttpRequest, slug: str, job: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    failed = get_object_or_404(viewer.campaign.jobs, pk=job)
    try:
        is_retried = retry(failed, actor=request.user)
    except Archived as error:
        messages.error(request, str(error))
        return redirect("scoring:queue", slug)
    if is_retried:
        messages.success(request, "The job waits for its next attempt.")
    else:
        messages.error(request, "The job was not retried, because it is no longer failed.")
    return redirect("scoring:queue", slug)


@login_required
@require_POST
def queue_retry(request: HttpRequest, slug: str) -> HttpResponse:
    """Retries all failed jobs at once, for example after a full disk."""
    viewer = access.organiser_or_404(request.user, slug)
    with show_refusals(request):
        count = retry_all(viewer.campaign, actor=request.user)
        messages.success(request, f"{count} job{'' if count == 1 else 's'} retried.")
    return redirect("scoring:queue", slug)
