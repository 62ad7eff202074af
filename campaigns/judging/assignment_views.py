"""The organisers' page of assignments."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access
from campaigns.errors import CannotChangeStage
from campaigns.judging import assignment, tasks
from campaigns.judging.forms import AssessorTopicsForm, EvenAssignmentForm
from campaigns.models import User
from campaigns.options import choice_or_404, takes

NO_ASSESSOR = "This person is no longer an assessor of the campaign."
MAX_TOPICS, MAX_CELLS = 250, 2_000  # on a page


@takes("assessor", "page")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assessors_page(request: HttpRequest, slug: str) -> HttpResponse:
    """All assignments, and a form for the topics of the assessor that the URL names."""
    viewer = access.organiser_or_404(request.user, slug)
    assignments = assignment.assignments_of(viewer.campaign)
    loads = {str(load.assessor.pk): load for load in assignments.assessors}
    form = None
    if request.method == "POST":
        load = loads.get(request.POST.get("assessor", ""))
        if load is None:
            return _redirect_with_error(request, slug, NO_ASSESSOR)
        form = AssessorTopicsForm(request.POST)
        if form.is_valid():
            try:
                return _assign_topics(request, viewer, load.assessor, form)
            except CannotChangeStage as error:
                form.add_error(None, str(error))
    else:
        names = {pk: str(load.assessor) for pk, load in loads.items()}
        chosen = choice_or_404("assessor", request.GET.get("assessor"), names)
        load = loads.get(chosen)
        if load is not None:
            form = AssessorTopicsForm(initial={"topics": " ".join(load.codes)})
    on_page = min(MAX_TOPICS, max(MAX_CELLS // max(len(loads), 1), 10))
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "assignments": assignments,
        "page": Paginator(assignments.topics, on_page).get_page(request.GET.get("page")),
        "chosen": load,
        "form": form,
        "even_form": EvenAssignmentForm(),
    }
    status = 400 if form is not None and form.errors else 200
    return render(request, "campaigns/judging/judging_assessors.html", page, status=status)


@login_required
@require_POST
def assessors_spread(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = EvenAssignmentForm(request.POST)
    if not form.is_valid():
        return _redirect_with_error(request, slug, "Choose the number of assessors for each topic.")
    each = form.cleaned_data["each"]
    try:
        added = assignment.assign_evenly(campaign=viewer.campaign, each=each, actor=request.user)
    except CannotChangeStage as error:
        return _redirect_with_error(request, slug, str(error))
    message = f"{added} assignment{'' if added == 1 else 's'} added."
    messages.success(request, message if added else "Every topic already has enough assessors.")
    return redirect("campaigns:judging-assessors", slug)


@login_required
@require_POST
def claims_free(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    assessors = {str(who.pk): who for who in assignment.assessors_of(viewer.campaign)}
    assessor = assessors.get(request.POST.get("assessor", ""))
    if assessor is None:
        return _redirect_with_error(request, slug, NO_ASSESSOR)
    try:
        freed = tasks.release_claims(
            campaign=viewer.campaign, assessor=assessor, actor=request.user
        )
    except CannotChangeStage as error:
        return _redirect_with_error(request, slug, str(error))
    messages.success(request, f"{freed} document{'' if freed == 1 else 's'} released.")
    return redirect("campaigns:judging-assessors", slug)


def _assign_topics(
    request: HttpRequest, viewer: access.Viewer, assessor: User, form: AssessorTopicsForm
) -> HttpResponse:
    count = assignment.assign_topics(
        campaign=viewer.campaign, assessor=assessor, codes=form.codes, actor=request.user
    )
    topics = f"{count:,} topic{'' if count == 1 else 's'}" if count else "no topic"
    messages.success(request, f"{assessor} now judges {topics}.")
    return redirect("campaigns:judging-assessors", viewer.campaign.slug)


def _redirect_with_error(request: HttpRequest, slug: str, error: str) -> HttpResponse:
    messages.error(request, error)
    return redirect("campaigns:judging-assessors", slug)
