"""Who judges which topic, on an organiser's page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access, assessing, sharing_out
from campaigns.forms.judging import SharesForm, SpreadForm, topics_now
from campaigns.lifecycle import CannotStep

TOPICS = 250  # on a page


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assessors_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Who judges what; sent back, it holds as it was filled in."""
    viewer = access.organiser_or_404(request.user, slug)
    shares = sharing_out.shares_of(viewer.campaign)
    form = SharesForm(
        request.POST or None,
        initial=topics_now(shares.assessors),
        assessors=[load.assessor for load in shares.assessors],
    )
    if request.method == "POST" and form.is_valid():
        try:
            return _share_out(request, viewer, form)
        except CannotStep as error:
            form.add_error(None, str(error))
    page = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "shares": shares,
        "page": Paginator(shares.topics, TOPICS).get_page(request.GET.get("page")),
        "form": form,
        "spread_form": SpreadForm(),
    }
    status = 400 if form.errors else 200
    return render(request, "campaigns/judging_assessors.html", page, status=status)


@login_required
@require_POST
def assessors_spread(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = SpreadForm(request.POST)
    if not form.is_valid():
        return _back(request, slug, "Say how many assessors each topic is to have.")
    each = form.cleaned_data["each"]
    try:
        added = sharing_out.spread_evenly(campaign=viewer.campaign, each=each, actor=request.user)
    except CannotStep as error:
        return _back(request, slug, str(error))
    told = f"{added} added." if added else "Nothing to add: every topic has as many already."
    messages.success(request, told)
    return redirect("campaigns:judging-assessors", slug)


@login_required
@require_POST
def claims_free(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    assessors = {str(who.pk): who for who in sharing_out.assessors_of(viewer.campaign)}
    assessor = assessors.get(request.POST.get("assessor", ""))
    if assessor is None:
        return _back(request, slug, "This is no assessor of the campaign any more.")
    try:
        freed = assessing.reassign(campaign=viewer.campaign, assessor=assessor, actor=request.user)
    except CannotStep as error:
        return _back(request, slug, str(error))
    messages.success(request, f"{freed} document{'' if freed == 1 else 's'} given back.")
    return redirect("campaigns:judging-assessors", slug)


def _share_out(request: HttpRequest, viewer: access.Viewer, form: SharesForm) -> HttpResponse:
    count = sharing_out.share_out(campaign=viewer.campaign, shares=form.codes, actor=request.user)
    messages.success(request, f"Kept: {count} topic{'' if count == 1 else 's'} with assessors.")
    return redirect("campaigns:judging-assessors", viewer.campaign.slug)


def _back(request: HttpRequest, slug: str, told: str) -> HttpResponse:
    messages.error(request, told)
    return redirect("campaigns:judging-assessors", slug)
