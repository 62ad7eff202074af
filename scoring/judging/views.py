"""The progress of judging, for organisers: the active plan, the runs, and when to stop."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.judging import plans
from campaigns.models import Plan
from campaigns.options import takes
from scoring.analyses.responses import TOPICS, analysed_page
from scoring.judging.rows import OFFERED, Judging, chosen_lookahead, chosen_stop, judging
from scoring.judging.tables import runs_table, topics_table
from scoring.output.responses import TableResponse, page_or_404, table_response

POLL_SECONDS = 5  # seconds


@takes("group", "level", "after", "page")
@login_required
@require_safe
def judging_page(request: HttpRequest, slug: str) -> HttpResponse:
    """While the plan is open the page reloads itself, with or without scripts."""
    viewer = access.organiser_or_404(request.user, slug)
    state = _judging(viewer, request.GET)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "judging": state,
        "page": page_or_404(request, Paginator(state.topics if state else (), TOPICS)),
        "plan": state.plan if state else None,
        "choices": chosen_stop(request.GET),
        "offered": OFFERED,
        "poll_seconds": POLL_SECONDS,
        "is_live": state is not None and state.plan.state == Plan.State.OPEN,
    }
    pending = state.pending if state else None
    return analysed_page(request, "scoring/judging/judging.html", context, pending)


@login_required
@require_safe
def judging_csv(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    state = _judging(viewer, request.GET)
    awaits = state.pending if state else None
    return table_response(request, runs_table(state), f"{slug}-judging", awaits=awaits)


@login_required
@require_safe
def topics_csv(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    table = topics_table(_judging(viewer, request.GET))
    return table_response(request, table, f"{slug}-judging-topics")


def _judging(viewer: access.Viewer, params: QueryDict) -> Judging | None:
    """The state of the active plan, or else of the last one."""
    plan = plans.latest_plan(viewer.campaign)
    if plan is None:
        return None
    plan.campaign = viewer.campaign
    return judging(viewer, plan, chosen_stop(params), chosen_lookahead(params))
