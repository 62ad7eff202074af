"""The page *Baselines*."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.manage.baselines import MAX_BASELINES, change_baselines
from campaigns.models.runs import run_name
from campaigns.options import takes

ROWS = 250  # on a page


@takes("page")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def baselines(request: HttpRequest, slug: str) -> HttpResponse:
    """All live runs, each with a check box, some of them on a page. The form sends which of them
    were marked when it was opened, so that only what this organiser changed is stored."""
    viewer = access.organiser_or_404(request.user, slug)
    if request.method == "POST":
        chosen, before = (set(request.POST.getlist(name)) for name in ("baseline", "before"))
        with show_refusals(request):
            changed = change_baselines(
                campaign=viewer.campaign,
                mark=chosen - before,
                unmark=before - chosen,
                actor=request.user,
            )
            messages.success(request, "Saved." if changed else "Nothing has changed.")
        return redirect(request.get_full_path())
    runs = list(
        access.runs_visible_to(viewer)
        .filter(pk__in=viewer.campaign.runs.live())
        .order_by("-is_baseline", Lower(run_name()), "pk")
    )
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "page": Paginator(runs, ROWS).get_page(request.GET.get("page")),
        "marked": [run for run in runs if run.is_baseline],
        "max_baselines": MAX_BASELINES,
    }
    return render(request, "campaigns/manage/baselines.html", context)
