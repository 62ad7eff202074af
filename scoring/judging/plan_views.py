"""The judging plan: the choices, their forecast, and the creation of the plan."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaigns import access
from campaigns.errors import CannotChangeStage, show_refusals
from campaigns.judging import plans
from campaigns.judging.plan_form import PlanForm
from campaigns.models import Qrels
from campaigns.options import takes
from scoring.analyses.means import NotComputedYet
from scoring.analyses.requests import (
    AnalysisRequest,
    judgments_of,
    last_computed,
    request_analyses,
    result_of,
)
from scoring.analyses.responses import TOPICS, analysed_page
from scoring.core.judging.selection import METHODS
from scoring.judging import samples
from scoring.judging.analysis import JUDGING_PLAN, PlanQuestion
from scoring.judging.charts import curve_figure, ranges_figure, simulation_figure, topics_figure
from scoring.judging.plan_forecast import (
    PlanForecast,
    SimulationTable,
    plan_forecast,
    simulation_table,
)
from scoring.judging.pool_size_analysis import PoolToDepth, request_pool_size
from scoring.judging.run_order import chosen_order, orders_offered
from scoring.judging.simulation_analysis import JUDGING_REPLAY
from scoring.models import Analysis
from scoring.output.responses import page_or_404


@dataclass(frozen=True, eq=False)
class PlanQuery:
    """What a URL requests, and as much of the result as there is."""

    form: PlanForm
    order: str = ""
    question: PlanQuestion | PoolToDepth | None = None  # None: no choices yet, or invalid ones
    analysis: Analysis | None = None
    forecast: PlanForecast | None = None
    behind: int = 0  # judgments made since it was computed
    simulation_analysis: Analysis | None = None
    simulated: SimulationTable | None = None


@takes(*PlanForm.base_fields, "order", "page")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan_page(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the choices and their forecast. POST: creates the plan."""
    viewer = access.organiser_or_404(request.user, slug)
    if request.method == "POST":
        return _create(request, viewer)
    query = plan_query(viewer, request.GET)
    response = _render(request, viewer, query)
    # `analysed_page` reloads the page for the forecast only.
    waits = query.forecast is not None and query.simulation_analysis and not query.simulated
    if waits and query.simulation_analysis.state != Analysis.State.FAILED:
        response["Refresh"] = "2"
    return response


@login_required
@require_POST
def plan_act(request: HttpRequest, slug: str, act: str) -> HttpResponse:
    """Pauses, resumes or ends the active plan."""
    viewer = access.organiser_or_404(request.user, slug)
    plan = plans.active_plan(viewer.campaign)
    if act not in plans.ACTS:
        raise Http404
    with show_refusals(request):
        if plan is None:  # ended by another organiser or in another tab
            raise CannotChangeStage("The plan has already ended.")
        plans.ACTS[act](plan=plan, actor=request.user)
    return redirect("scoring:judging", slug)


def _create(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    form = PlanForm(request.POST, campaign=viewer.campaign)
    if "method" not in request.POST or not form.is_valid():
        return _render(request, viewer, PlanQuery(form), status=400)
    try:
        budget = _budget(viewer, form)
        if isinstance(budget, NotComputedYet):
            raise CannotChangeStage("The pool is being counted. Try again when its size is shown.")
        plans.create_plan(plan=form.plan(budget), actor=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except CannotChangeStage as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The plan is active. Its first documents are being chosen.")
        return redirect("scoring:judging", viewer.campaign.slug)
    # So that the form still has the choices.
    chosen = {name: request.POST[name] for name in form.fields if request.POST.get(name)}
    return redirect(f"{request.path}?{urlencode(chosen)}")


def plan_query(viewer: access.Viewer, params: QueryDict, *, is_chosen: bool = False) -> PlanQuery:
    form = PlanForm(params, campaign=viewer.campaign)
    if not (is_chosen or "method" in params) or not form.is_valid():
        return PlanQuery(form)
    budget = _budget(viewer, form)
    if isinstance(budget, NotComputedYet):
        # Until the pool is counted, there is no budget to ask the other analyses about.
        counted = budget.analysis
        asked = PoolToDepth(**counted.question)
        return PlanQuery(form, question=asked, analysis=counted, simulation_analysis=counted)
    question = _question(viewer, form, budget)
    order = chosen_order(viewer, params.get("order"), question.p)
    starts_from: Qrels | None = form.versions.get(form.cleaned_data["start"])
    requests: list[AnalysisRequest] = [(starts_from, JUDGING_PLAN, question)]
    # With judgments, judging by each method can be simulated. A sample is not judged to find
    # relevant documents.
    if viewer.campaign.active_qrels and question.method in METHODS:
        requests.append((viewer.campaign.active_qrels, JUDGING_REPLAY, question))
    analysis, *rest = request_analyses(viewer, requests)
    forecast: PlanForecast | NotComputedYet | None = None
    behind = 0
    # While people judge, the latest is always being computed: then the one before it is shown.
    last = None if analysis.state == Analysis.State.FAILED else last_computed(analysis)
    if last is not None:
        result = result_of(JUDGING_PLAN, last)
        if result is not None:
            forecast = plan_forecast(viewer, question, order, result)
        if last.pk != analysis.pk:
            behind = viewer.campaign.judgments.count() - judgments_of(JUDGING_PLAN, last)
    if isinstance(forecast, NotComputedYet):
        forecast, analysis = None, forecast.analysis
    simulation = rest[0] if rest else None
    simulated = None
    if simulation and simulation.state == Analysis.State.DONE:
        replayed = result_of(JUDGING_REPLAY, simulation)
        simulated = None if replayed is None else simulation_table(question, replayed)
    return PlanQuery(form, order, question, analysis, forecast, behind, simulation, simulated)


def _question(viewer: access.Viewer, form: PlanForm, budget: int) -> PlanQuestion:
    chosen = form.cleaned_data
    is_sample = chosen["method"] not in METHODS
    return PlanQuestion(
        method=chosen["method"],
        p=chosen["p"],
        scope=chosen["scope"],
        priority=chosen["runs"],
        budget=budget,
        batch=chosen["batch"],
        persistences=sorted({*viewer.campaign.persistences, chosen["p"]}),
        # The seed changes with each plan, and would change the question of methods that do not use
        # it.
        seed=samples.seed_of(viewer.campaign) if is_sample else 0,
    )


def _budget(viewer: access.Viewer, form: PlanForm) -> int | NotComputedYet:
    """In documents; a pool of some depth is counted."""
    if form.documents is not None:
        return form.documents
    chosen = form.cleaned_data
    question = PoolToDepth(chosen["p"], chosen["runs"], form.depth or 0)
    return request_pool_size(viewer, form.versions.get(chosen["start"]), question)


def _render(
    request: HttpRequest, viewer: access.Viewer, query: PlanQuery, *, status: int = 200
) -> HttpResponse:
    forecast, simulated = query.forecast, query.simulated
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": query.form,
        "question": query.question,
        "order": query.order,
        "orders": orders_offered(viewer, query.question.p) if query.question else {},
        "active_plan": plans.active_plan(viewer.campaign),
        "forecast": forecast,
        "page": page_or_404(request, Paginator(forecast.topics if forecast else (), TOPICS)),
        "behind": query.behind,
        "simulated": simulated,
        "simulation_analysis": query.simulation_analysis,
        "ranges": ranges_figure(forecast) if forecast else None,
        "curve": curve_figure(forecast) if forecast else None,
        "by_topic": topics_figure(forecast) if forecast else None,
        "simulation": simulation_figure(simulated) if simulated else None,
    }
    if status != 200:
        return render(request, "scoring/judging/judging_plan.html", context, status=status)
    awaited = None if query.behind else query.analysis  # no reload while somebody reads
    return analysed_page(request, "scoring/judging/judging_plan.html", context, awaited)
