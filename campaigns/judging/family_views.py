"""The organisers' page of run families."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.judging.run_families import mark_families
from campaigns.models import Run
from campaigns.models.runs import run_name
from campaigns.options import takes

FIELD = "family-"
ROWS = 250  # runs on a page
LONGEST = Run._meta.get_field("family").max_length


@takes("page")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def families_page(request: HttpRequest, slug: str) -> HttpResponse:
    """A field for each run of a page."""
    viewer = access.organiser_or_404(request.user, slug)
    if request.method == "POST":
        families = {
            name.removeprefix(FIELD): " ".join(value.replace("\0", "").split())[:LONGEST]
            for name, value in request.POST.items()
            if name.startswith(FIELD)
        }
        with show_refusals(request):
            count = mark_families(campaign=viewer.campaign, families=families, actor=request.user)
            messages.success(request, "Saved." if count else "Nothing has changed.")
        return redirect(request.get_full_path())
    live = viewer.campaign.runs.live()
    runs = list(
        access.runs_visible_to(viewer).filter(pk__in=live).order_by(Lower(run_name()), "pk")
    )
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "page": Paginator(runs, ROWS).get_page(request.GET.get("page")),
        "families": sorted({run.family for run in runs if run.family}),
        "longest": LONGEST,
    }
    return render(request, "campaigns/judging/judging_run_families.html", context)
