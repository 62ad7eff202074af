"""The plan of judging: choices, what they would buy, and the plan itself."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns import access
from campaigns.errors import CannotChangeStage, show_refusals
from campaigns.judging import plans
from campaigns.judging.plan_form import PlanForm
from campaigns.models import Qrels
from scoring.analyses.means import NotComputedYet
from scoring.analyses.requests import last_computed, request_analyses, result_of
from scoring.analyses.responses import TOPICS, analysed_page
from scoring.judging.analysis import METHODS, pool_size
from scoring.judging.charts import curve_figure, ranges_figure, replay_figure, topics_figure
from scoring.judging.plan_forecast import (
    PlanForecast,
    SimulationTable,
    plan_forecast,
    simulation_table,
)
from scoring.judging.plan_tables import FORECASTS, REPLAYS
from scoring.judging.run_order import chosen_order, orders_offered
from scoring.models import Analysis
from scoring.output.responses import TableResponse, page_or_404, table_response


@dataclass(frozen=True, eq=False)
class _PlanQuery:
    """What an address asks for, and as much of the answer as there is."""

    form: PlanForm
    order: str = ""
    question: dict[str, Any] | None = None  # None: nothing is chosen yet, or not well
    analysis: Analysis | None = None
    found: PlanForecast | None = None
    behind: int = 0  # judgments made since it was found
    replay_analysis: Analysis | None = None
    replayed: SimulationTable | None = None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan_page(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the choices, and what they would buy. POST: makes the plan."""
    viewer = access.organiser_or_404(request.user, slug)
    if request.method == "POST":
        return _make(request, viewer)
    asked = _query(viewer, request.GET)
    response = _shown(request, viewer, asked)
    waits = asked.found is not None and asked.replay_analysis and not asked.replayed
    if waits and asked.replay_analysis.state != Analysis.State.FAILED:
        response["Refresh"] = "2"
    return response


@login_required
@require_POST
def plan_act(request: HttpRequest, slug: str, act: str) -> HttpResponse:
    """Pauses, resumes or ends the plan in force."""
    viewer = access.organiser_or_404(request.user, slug)
    plan = plans.plan_in_force(viewer.campaign)
    if act not in plans.ACTS:
        raise Http404
    with show_refusals(request):
        if plan is None:  # ended meanwhile, by another organiser or in another tab
            raise CannotChangeStage("No plan is in force any more.")
        plans.ACTS[act](plan=plan, actor=request.user)
    return redirect("scoring:judging", slug)


@login_required
@require_safe
def plan_table(request: HttpRequest, slug: str, table: str) -> TableResponse:
    """One of the tables of the forecast."""
    viewer = access.organiser_or_404(request.user, slug)
    asked = _query(viewer, request.GET, is_chosen=True)
    if table in REPLAYS:
        rows, analysis = REPLAYS[table](asked.replayed), asked.replay_analysis
    else:
        rows, analysis = FORECASTS[table](asked.found), asked.analysis
    return table_response(request, rows, f"{slug}-plan-{table}", awaits=analysis)


def _make(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    form = PlanForm(request.POST, campaign=viewer.campaign)
    if "method" not in request.POST or not form.is_valid():
        return _shown(request, viewer, _PlanQuery(form), status=400)
    try:
        plans.create_plan(plan=form.plan(_budget(form)), actor=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except CannotChangeStage as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The plan is in force; its first documents are being laid out.")
        return redirect("scoring:judging", viewer.campaign.slug)
    chosen = {name: request.POST[name] for name in form.fields if request.POST.get(name)}
    return redirect(f"{request.path}?{urlencode(chosen)}")


def _query(viewer: access.Viewer, query: Any, *, is_chosen: bool = False) -> _PlanQuery:
    form = PlanForm(query, campaign=viewer.campaign)
    if not (is_chosen or "method" in query) or not form.is_valid():
        return _PlanQuery(form)
    question = _question(viewer, form)
    order = chosen_order(viewer, query.get("order"), question["p"])
    starts_from: Qrels | None = form.versions.get(form.cleaned_data["start"])
    questions = [(starts_from, "judging_plan", question)]
    if viewer.campaign.active_qrels:  # then it can be played what each method would have found
        questions.append((viewer.campaign.active_qrels, "judging_replay", question))
    analysis, *played = request_analyses(viewer, questions)
    found, behind = _found(viewer, question, order, analysis)
    if isinstance(found, NotComputedYet):
        found, analysis = None, found.analysis
    replayed = None
    if played and played[0].state == Analysis.State.DONE:
        replayed = simulation_table(question, result_of(played[0]))
    replay_analysis = played[0] if played else None
    return _PlanQuery(form, order, question, analysis, found, behind, replay_analysis, replayed)


def _found(
    viewer: access.Viewer, question: dict[str, Any], order: str, analysis: Analysis
) -> tuple[PlanForecast | NotComputedYet | None, int]:
    """The forecast, or the last one and how many judgments ago it was made: where many judge,
    there is always one on its way."""
    last = None if analysis.state == Analysis.State.FAILED else last_computed(analysis)
    if last is None:
        return None, 0
    answer = result_of(last)
    found = plan_forecast(viewer, question, order, answer)
    if last.pk == analysis.pk:
        return found, 0
    return found, viewer.campaign.judgments.count() - int(answer["judgments"])


def _question(viewer: access.Viewer, form: PlanForm) -> dict[str, Any]:
    chosen = form.cleaned_data
    return {
        "method": chosen["method"],
        "p": chosen["p"],
        "scope": chosen["scope"],
        "priority": chosen["runs"],
        "budget": _budget(form),
        "batch": chosen["batch"],
        "persistences": sorted({*viewer.campaign.persistences, chosen["p"]}),
    }


def _budget(form: PlanForm) -> int:
    """In documents; how many a pool of some depth holds is counted."""
    if form.documents is not None:
        return form.documents
    chosen = form.cleaned_data
    return pool_size(
        form.campaign,
        persistence=chosen["p"],
        lowest_priority=chosen["runs"],
        starts_from=form.versions.get(chosen["start"]),
        depth=form.depth or 0,
    )


def _shown(
    request: HttpRequest, viewer: access.Viewer, asked: _PlanQuery, *, status: int = 200
) -> HttpResponse:
    found, replayed = asked.found, asked.replayed
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "form": asked.form,
        "question": asked.question,
        "order": asked.order,
        "orders": orders_offered(viewer, asked.question["p"]) if asked.question else {},
        "methods": METHODS,
        "in_force": plans.plan_in_force(viewer.campaign),
        "found": found,
        "page": page_or_404(request, Paginator(found.topics if found else (), TOPICS)),
        "behind": asked.behind,
        "replayed": replayed,
        "replay_analysis": asked.replay_analysis,
        "ranges": ranges_figure(found) if found else None,
        "curve": curve_figure(found) if found else None,
        "by_topic": topics_figure(found) if found else None,
        "played": replay_figure(replayed) if replayed else None,
    }
    if status != 200:
        return render(request, "scoring/judging/judging_plan.html", context, status=status)
    awaited = None if asked.behind else asked.analysis  # nobody is disturbed while reading
    return analysed_page(request, "scoring/judging/judging_plan.html", context, awaited)
