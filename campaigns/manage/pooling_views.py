"""The page *Pooled runs*: which runs contributed to the pool, and its depth."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models.functions import Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.manage import pooling
from campaigns.models import Campaign
from campaigns.models.runs import run_name
from campaigns.options import takes

ROWS = 250  # runs on a page


@takes("page")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pooled_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Each form of the page has a button of its own, whose name selects the action."""
    viewer = access.organiser_or_404(request.user, slug)
    errors: list[str] = []
    if request.method == "POST":
        act = next((ACTIONS[name] for name in ACTIONS if name in request.POST), _choose)
        try:
            with show_refusals(request):
                has_changed = act(request, viewer.campaign)
                messages.success(request, "Saved." if has_changed else "Nothing has changed.")
            return redirect(request.get_full_path())
        except ValidationError as error:
            errors = error.messages
    return _page(request, viewer, errors)


def _page(request: HttpRequest, viewer: access.Viewer, errors: list[str]) -> HttpResponse:
    live = viewer.campaign.runs.live()
    runs = list(
        access.runs_visible_to(viewer).filter(pk__in=live).order_by(Lower(run_name()), "pk")
    )
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "runs": runs,
        "page": Paginator(runs, ROWS).get_page(request.GET.get("page")),
        "pooled_count": sum(run.is_pooled is True for run in runs),
        "unstated_count": sum(run.is_pooled is None for run in runs),
        "versions": [
            (version, request.POST.get(_field(version.version), version.pool_depth or ""))
            for version in viewer.campaign.qrels.order_by("-version")
        ],
        "names": request.POST.get("names", ""),
        "errors": errors,
    }
    page = "campaigns/manage/pooled_runs.html"
    return render(request, page, context, status=400 if errors else 200)


def _choose(request: HttpRequest, campaign: Campaign) -> bool:
    """The check boxes of one page of runs."""
    pooled, shown = set(request.POST.getlist("pooled")), request.POST.get("shown")
    among = None if shown is None else shown.split()
    return pooling.state_pooled_runs(
        campaign=campaign, pooled=pooled, among=among, actor=request.user
    )


def _paste(request: HttpRequest, campaign: Campaign) -> bool:
    pooled = pooling.runs_named(campaign, request.POST.get("names", ""))
    return pooling.state_pooled_runs(campaign=campaign, pooled=pooled, actor=request.user)


def _withdraw(request: HttpRequest, campaign: Campaign) -> bool:
    return pooling.withdraw_statement(campaign=campaign, actor=request.user)


def _state_depths(request: HttpRequest, campaign: Campaign) -> bool:
    depths = {
        version: _depth(version, request.POST[_field(version)])
        for version in campaign.qrels.values_list("version", flat=True)
        if _field(version) in request.POST
    }
    return pooling.state_pool_depths(campaign=campaign, depths=depths, actor=request.user)


def _depth(version: int, typed: str) -> int | None:
    typed = typed.strip()
    if not typed:
        return None
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 9):
        raise ValidationError(
            f"v{version}: “{typed[:20]}” is not a depth. Write a number, or nothing."
        )
    return int(typed)


def _field(version: int) -> str:
    return f"depth-{version}"


ACTIONS: dict[str, Callable[[HttpRequest, Campaign], bool]] = {
    "depths": _state_depths,
    "paste": _paste,
    "withdraw": _withdraw,
}
