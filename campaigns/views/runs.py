"""Handing in runs, and taking them back."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from campaigns import access, intake, lifecycle
from campaigns.forms import RunForm
from campaigns.models.identity import new_public_id


@login_required
@require_GET
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    """A team's own runs; every run for an organiser."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.is_organiser and viewer.team is None:
        raise Http404
    runs = access.runs_visible_to(viewer)
    if not viewer.is_organiser:
        runs = runs.filter(team=viewer.team)
    return render(
        request,
        "campaigns/run_list.html",
        {"viewer": viewer, "campaign": viewer.campaign, "runs": runs.order_by("-pk")},
    )


@login_required
@require_http_methods(["GET", "POST"])
def run_create(request: HttpRequest, slug: str) -> HttpResponse:
    """The upload form. A script in the page sends it with a progress bar and asks for JSON."""
    viewer = access.viewer_or_404(request.user, slug)
    if viewer.team is None:
        return redirect("campaigns:team", slug)
    form = RunForm(
        *((request.POST, request.FILES) if request.method == "POST" else ()),
        initial={"idempotency_key": new_public_id()},
    )
    if request.method == "POST" and form.is_valid():
        try:
            run = intake.hand_in(
                viewer=viewer,
                upload=form.cleaned_data["file"],
                arrived_at=request.arrived_at,
                run_type=form.cleaned_data["run_type"],
                description=form.cleaned_data["description"],
                idempotency_key=form.cleaned_data["idempotency_key"],
            )
        except intake.NotTaken as error:
            form.add_error(None, str(error))
        else:
            url = reverse("scoring:run-detail", args=[slug, run.public_id])
            return _answer(request, JsonResponse({"url": url}, status=202), redirect(url))
    page = render(
        request,
        "campaigns/run_form.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "form": form,
            "is_accepting": lifecycle.is_accepting_at(viewer.campaign, request.arrived_at),
            "max_bytes": settings.MAX_UPLOAD_BYTES,
        },
        status=400 if form.errors else 200,
    )
    problems = [problem for found in form.errors.values() for problem in found]
    return _answer(request, JsonResponse({"problems": problems}, status=400), page)


@login_required
@require_POST
def run_withdraw(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    if not viewer.can_follow(run):
        raise Http404
    if intake.can_withdraw(viewer, run, request.arrived_at):
        intake.withdraw_run(run=run, person=request.user)
    else:
        messages.error(request, "Runs are not taken any more: ask an organiser to withdraw it.")
    return redirect("scoring:run-detail", slug, public_id)


def _answer(request: HttpRequest, data: HttpResponse, page: HttpResponse) -> HttpResponse:
    is_script = request.method == "POST" and request.accepts("application/json")
    return data if is_script and not request.accepts("text/html") else page
