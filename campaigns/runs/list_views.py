"""The list of runs as a page, and the download of a run's file."""

from collections import Counter
from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access, quotas
from campaigns.models import Run
from campaigns.options import UnknownChoice, takes
from campaigns.runs import decisions
from campaigns.runs.files import file_response
from campaigns.runs.rows import FILTERS, listed_runs, state_of

ROWS = 250  # on a page

View = Callable[..., HttpResponse]


def team_or_login(view: View) -> View:
    """Sends an anonymous visitor to the login page instead of answering 404, so that a hidden page
    and a missing page look the same."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except UnknownChoice:  # of a page that the visitor may see
            raise
        except Http404:
            if request.user.is_authenticated:
                raise
            return redirect_to_login(request.get_full_path())

    return wrapper


@takes("state", "team", "type", "page")
@require_safe
@team_or_login
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    """A team sees its own runs and those that the campaign shows. Organisers see every run."""
    viewer = viewer_of_runs_or_404(request, slug)
    runs = listed_runs(viewer, request.GET)
    # The filters offer the values of all runs, not only of those that are shown.
    all_runs = listed_runs(viewer, {}) if any(map(request.GET.get, FILTERS)) else runs
    return render(
        request,
        "campaigns/runs/run_list.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "runs": runs,
            "page": Paginator(runs, ROWS).get_page(request.GET.get("page")),
            "live_count": sum(run.is_live for run in runs),
            "is_filtered": len(runs) != len(all_runs),
            "filters": _filters(all_runs, request),
            "states": Counter(map(state_of, runs)).most_common(),
            "shows_team": viewer.is_organiser or viewer.can_see_runs,
            "to_accept": [run for run in runs if decisions.can_accept(viewer, run)],
            "quota": viewer.team
            and quotas.quota_of(viewer.campaign, viewer.team, request.arrived_at),
            "reveals_scores": quotas.reveals_scores(viewer.campaign),
        },
    )


@require_safe
@team_or_login
def run_file(request: HttpRequest, slug: str, public_id: str) -> FileResponse:
    """The run's file as submitted. Its team and the organisers may download it, and others if the
    campaign shows files and the team consents."""
    viewer = access.viewer_or_404(request.user, slug)
    return file_response(viewer, access.run_or_404(viewer, public_id))


def viewer_of_runs_or_404(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not viewer.is_organiser and viewer.team is None and not viewer.can_see_runs:
        raise Http404
    return viewer


def _filters(runs: list[Run], request: HttpRequest) -> list[dict[str, object]]:
    """The filters that select some of these runs, each with its values and the chosen one."""
    names = {run.team.public_id: run.shown_team for run in runs}
    values = {
        "team": sorted(names.items(), key=lambda pair: pair[1].casefold()),
        "type": [(value, value) for value in sorted({run.run_type for run in runs})],
        "state": [(value, value) for value in sorted({state_of(run) for run in runs})],
    }
    return [
        {"name": name, "values": values[name], "chosen": request.GET.get(name, "")}
        for name in FILTERS
        if len(values[name]) > 1
    ]
