"""The progress of judging, for organisers: the active plan, the runs, and when to stop."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.judging import plans
from campaigns.models import Plan
from campaigns.options import takes
from scoring.analyses.responses import TOPICS, analysed_page
from scoring.judging.rows import OFFERED, Judging, chosen_lookahead, chosen_stop, judging
from scoring.judging.tables import TOPIC_COLUMNS, run_columns, runs_table, topics_table
from scoring.output.api import choices
from scoring.output.responses import page_or_404
from scoring.output.result_view import FOR_ORGANISERS, Answer, ResultView

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


def _judging(viewer: access.Viewer, params: QueryDict) -> Judging | None:
    """The state of the active plan, or else of the last one."""
    plan = plans.latest_plan(viewer.campaign)
    if plan is None:
        return None
    plan.campaign = viewer.campaign
    return judging(viewer, plan, chosen_stop(params), chosen_lookahead(params))


def _runs(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each ranked run, by base: its bounds by the judgments made so far, and their
    forecast after `after` more documents. Empty without a plan. For organisers."""
    state = _judging(viewer, params)
    return Answer(runs_table(state), awaits=state.pending if state else None)


def _topics(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each topic: how many documents of the plan are judged. Empty without a plan. For
    organisers."""
    return Answer(topics_table(_judging(viewer, params)))


RUNS = ResultView(
    name="judging",
    api_name="judging-runs",
    title="Runs by the judgments made so far",
    answer=_runs,
    row="JudgedRun",
    row_description="The bounds of a run's mean RBP by the judgments made so far.",
    columns=run_columns(),
    parameters=[
        *choices(OFFERED),
        OpenApiParameter("after", int, description="documents to look ahead; default: 0"),
    ],
    row_example={
        "rank": 2, "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni",
        "measure": "RBP(p=0.8)", "base": 0.41, "residual": 0.13, "upper": 0.54, "projection": 0.47,
        "p_corrected": 0.21, "in_top_group": 1, "base_forecast": None, "residual_forecast": None,
    },
    is_computed=True,
    **FOR_ORGANISERS,
)  # fmt: skip
TOPICS_OF_PLAN = ResultView(
    name="judging-topics",
    title="Progress of judging by topic",
    answer=_topics,
    row="TopicProgress",
    row_description="How many documents of a topic are judged.",
    columns=TOPIC_COLUMNS,
    parameters=[],
    row_example={"topic": "308", "created": 120, "judged": 96, "left": 24},
    **FOR_ORGANISERS,
)
