"""The runs that may be seen: as a page, as CSV, and their files."""

from collections import Counter
from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access, quotas
from campaigns.models import Run
from campaigns.options import UnknownChoice
from campaigns.runs import decisions
from campaigns.runs.files import file_response
from campaigns.runs.rows import FILTERS, listed_runs, runs_csv, state_of

View = Callable[..., HttpResponse]


def team_or_login(view: View) -> View:
    """What is not found is asked of nobody in particular again after a login: so that it says the
    same whether it is hidden or not there."""

    @wraps(view)
    def answer(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except UnknownChoice:  # on a page that is shown
            raise
        except Http404:
            if request.user.is_authenticated:
                raise
            return redirect_to_login(request.get_full_path())

    return answer


@require_safe
@team_or_login
def run_list(request: HttpRequest, slug: str) -> HttpResponse:
    """A team's own runs, with the others' where they are shown; every run for an organiser."""
    viewer = _lister_or_404(request, slug)
    runs = listed_runs(viewer, request.GET)
    every = listed_runs(viewer, {}) if any(map(request.GET.get, FILTERS)) else runs
    return render(
        request,
        "campaigns/runs/run_list.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "runs": runs,
            "is_filtered": len(runs) != len(every),
            "filters": _offered(every, request),
            "states": Counter(map(state_of, runs)).most_common(),
            "shows_team": viewer.is_organiser or viewer.can_see_runs,
            "waiting_for_a_word": [run for run in runs if decisions.can_accept(viewer, run)],
            "quota": viewer.team
            and quotas.quota_of(viewer.campaign, viewer.team, request.arrived_at),
            "tells_anything": quotas.tells_anything(viewer.campaign),
        },
    )


@require_safe
@team_or_login
def runs_as_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = _lister_or_404(request, slug)
    text = runs_csv(viewer, listed_runs(viewer, request.GET))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-runs.csv"'
    return response


@require_safe
@team_or_login
def run_file(request: HttpRequest, slug: str, public_id: str) -> FileResponse:
    """The run's file as it was handed in: for its team and the organisers, and for others where
    the campaign shows files and the team consents."""
    viewer = access.viewer_or_404(request.user, slug)
    return file_response(viewer, access.run_or_404(viewer, public_id))


def _lister_or_404(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.is_organiser and viewer.team is None and not viewer.can_see_runs:
        raise Http404
    return viewer


def _offered(runs: list[Run], request: HttpRequest) -> list[dict[str, object]]:
    """The filters that would part these runs, each with its values and the one chosen."""
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
