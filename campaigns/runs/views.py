"""Views to submit, withdraw, accept, disqualify and reinstate runs."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access, lifecycle, quotas
from campaigns.errors import Archived, SubmissionRefused
from campaigns.models import Run
from campaigns.models.identity import new_public_id
from campaigns.options import takes
from campaigns.people.teams import team_choices
from campaigns.runs import decisions, submission, submission_options
from campaigns.runs.forms import RunForm
from campaigns.runs.submission_options import SubmissionOptions


@takes("replaces", "team")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_create(request: HttpRequest, slug: str) -> HttpResponse:
    """The upload form. A script in the page submits it with a progress bar and accepts JSON."""
    viewer = access.viewer_or_404(request.user, slug)
    if not (viewer.team or viewer.pending_team or viewer.is_organiser):
        return redirect("campaigns:team", slug)
    options = submission_options.options_for(viewer, request.arrived_at)
    form = _run_form(request, viewer, options)
    if request.method == "POST" and form.is_valid():
        try:
            team_id = form.cleaned_data.get("team")
            teams = viewer.campaign.teams
            run = submission.submit(
                viewer=viewer,
                upload=form.cleaned_data["file"],
                arrived_at=request.arrived_at,
                completed_at=request.completed_at,
                description=form.description,
                idempotency_key=form.cleaned_data["idempotency_key"],
                replaces=form.cleaned_data.get("replaces", ""),
                team=get_object_or_404(teams, public_id=team_id) if team_id else None,
            )
        except SubmissionRefused as error:
            form.refuse(error, new_public_id())
        else:
            url = reverse("scoring:run-detail", args=[slug, run.public_id])
            return _json_or_page(request, JsonResponse({"url": url}, status=202), redirect(url))
    page = render(
        request, "campaigns/runs/run_form.html", _context(request, viewer, form, options),
        status=400 if form.errors else 200,
    )  # fmt: skip
    problems = [
        error if name in ("__all__", "file") else f"{form[name].label}: {error}"
        for name, errors in form.errors.items()
        for error in errors
    ]
    data = {"problems": problems, "idempotency_key": form["idempotency_key"].value() or ""}
    return _json_or_page(request, JsonResponse(data, status=400), page)


@login_required
@require_POST
def run_withdraw(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _followed_or_404(request, slug, public_id)
    moment = lifecycle.deciding_moment(request.arrived_at, request.completed_at or timezone.now())
    if submission.can_withdraw(viewer, run, moment):
        submission.withdraw_run(run=run, person=request.user)
    else:
        messages.error(request, "Submissions are closed. Ask an organiser to withdraw the run.")
    return redirect("scoring:run-detail", slug, public_id)


@login_required
@require_POST
def run_accept(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _followed_or_404(request, slug, public_id)
    is_accepted = decisions.can_accept(viewer, run) and decisions.accept_checked(
        run=run, person=request.user
    )
    if not is_accepted and run.state != Run.State.ACCEPTED:
        messages.error(
            request,
            "The run can no longer be accepted: judging has begun, the run was withdrawn, or "
            "another run of the team has its name. Ask an organiser.",
        )
    return redirect("scoring:run-detail", slug, public_id)


@login_required
@require_POST
def run_rename(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _followed_or_404(request, slug, public_id)
    if not decisions.can_rename(viewer, run):
        messages.error(request, "The run can no longer be renamed. Ask an organiser.")
    else:
        try:
            decisions.rename_run(run=run, name=request.POST.get("name", ""), actor=request.user)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
    return redirect("scoring:run-detail", slug, public_id)


@login_required
@require_POST
def run_disqualify(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Disqualifies a run for a reason, or reinstates it."""
    viewer = access.organiser_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    try:
        if request.POST.get("act") == "reinstate":
            decisions.reinstate_run(run=run, actor=request.user)
        else:
            reason = request.POST.get("reason", "")
            decisions.disqualify_run(run=run, reason=reason, actor=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except Archived as error:
        messages.error(request, str(error))
    return redirect("scoring:run-detail", slug, public_id)


def _followed_or_404(request: HttpRequest, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    if not viewer.can_follow(run):
        raise Http404
    return viewer, run


def _run_form(request: HttpRequest, viewer: access.Viewer, options: SubmissionOptions) -> RunForm:
    replaces = request.GET.get("replaces", "")
    teams = None
    if viewer.is_organiser:
        approved = viewer.campaign.teams.filter(approved_at__isnull=False)
        teams = team_choices(list(approved.order_by("name", "pk")))
    return RunForm(
        *((request.POST, request.FILES) if request.method == "POST" else ()),
        campaign=viewer.campaign,
        teams=teams,
        replaceable=options.replaceable,
        quota_message=options.quota_message,
        initial={
            "idempotency_key": new_public_id(),
            "replaces": replaces if replaces in options.replaceable_ids else "",
            "team": request.GET.get("team", "") or (viewer.team.public_id if viewer.team else ""),
        },
    )


def _context(
    request: HttpRequest, viewer: access.Viewer, form: RunForm, options: SubmissionOptions
) -> dict[str, object]:
    refusal = options.refusal
    campaign, moment = viewer.campaign, request.arrived_at
    return {
        "viewer": viewer,
        "campaign": campaign,
        "form": form,
        "refusal": refusal,
        "shows_quota": not viewer.is_organiser
        and (refusal is None or refusal.code in ("quota", "attempts")),
        "lacks_teams": viewer.is_organiser and not form.fields["team"].choices[1:],
        "is_late": lifecycle.is_late_at(campaign, moment),
        "quota": viewer.team and quotas.quota_of(campaign, viewer.team, moment),
        "reveals_scores": quotas.reveals_scores(campaign),
        "is_first": viewer.team and not viewer.team.runs.exclude(accepted_at=None).exists(),
        "first_topic": viewer.can_see_topics and campaign.topics.order_by("position").first(),
        "max_bytes": settings.MAX_UPLOAD_BYTES,
        "upload_allowance": f"{settings.UPLOAD_ALLOWANCE_SECONDS:g}",
    }


def _json_or_page(request: HttpRequest, data: HttpResponse, page: HttpResponse) -> HttpResponse:
    # A browser accepts anything, also JSON, but it names HTML.
    accepts_json = request.method == "POST" and request.accepts("application/json")
    return data if accepts_json and not request.accepts("text/html") else page
