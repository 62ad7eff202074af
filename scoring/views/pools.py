"""Pool studies: the board under a shallower pool, and without a team's own documents."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Qrels
from scoring.analyses import answer_of, ask
from scoring.board_choices import chosen_version, versions_offered
from scoring.charts.pools import depth_band, pool_scatter
from scoring.definitions import rules_of
from scoring.exports.latex_studies import pool_latex, summaries_latex
from scoring.live_scores import LiveRun
from scoring.models import Analysis
from scoring.pool_choices import PoolChoice, PoolDepth, chosen_pool
from scoring.pool_rows import (
    LeftOut,
    PoolStudy,
    board_runs,
    left_out,
    pool_study,
    pools_of,
)
from scoring.pool_tables import runs_csv, summaries_csv, teams_csv
from scoring.views.analysed import (
    analysed_page,
    attached_csv,
    attached_latex,
    hidden_page,
    latex_names,
    not_computed_yet,
)


@dataclass(frozen=True, eq=False)
class Asked:
    """What an address asks for, and as much of the answer as there is."""

    choice: PoolChoice
    versions: list[Qrels]
    qrels: Qrels | None
    runs: tuple[LiveRun, ...] = ()
    analysis: Analysis | None = None

    @property
    def is_done(self) -> bool:
        return self.analysis is not None and self.analysis.state == Analysis.State.DONE


@require_safe
def pools_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    asked = depths_asked(viewer, request.GET)
    study = study_of(viewer, asked)
    context = _page(viewer, asked, study) | {
        "figure": pool_scatter(study, f"pool {study.choice.pool_words}") if study else None,
        "band": depth_band(study) if study else None,
    }
    return analysed_page(request, "scoring/pools.html", context, asked.analysis)


@require_safe
def pools_csv(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = depths_asked(viewer, request.GET)
    if asked.analysis is not None and not asked.is_done:
        return not_computed_yet(asked.analysis)
    return attached_csv(runs_csv(study_of(viewer, asked), asked.qrels), f"{slug}-pool")


@require_safe
def pools_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = depths_asked(viewer, request.GET)
    if asked.analysis is not None and not asked.is_done:
        return not_computed_yet(asked.analysis)
    study = study_of(viewer, asked)
    other = f"a pool {(study or asked).choice.pool_words}"
    text = pool_latex(study, other, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-pool")


@require_safe
def summaries_tex(request: HttpRequest, slug: str) -> HttpResponse:
    """Every measure under the pool chosen."""
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = depths_asked(viewer, request.GET)
    if asked.analysis is not None and not asked.is_done:
        return not_computed_yet(asked.analysis)
    study = study_of(viewer, asked)
    rows = study.measures if study else ()
    words = (study or asked).choice.pool_words
    text = summaries_latex(rows, words, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-pool-measures")


@require_safe
def summaries_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Every measure at every depth, whatever is chosen."""
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = depths_asked(viewer, request.GET)
    if asked.analysis is not None and not asked.is_done:
        return not_computed_yet(asked.analysis)
    rows = []
    if asked.analysis is not None:
        measures, answer = rules_of(viewer.campaign).measures, answer_of(asked.analysis)
        for depth in pools_of(answer):
            choice = PoolChoice(asked.choice.measure, PoolDepth(depth))
            rows += pool_study(choice, asked.runs, measures, answer).measures
    return attached_csv(summaries_csv(viewer, rows, asked.qrels), f"{slug}-pool-depths")


@require_safe
def teams_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    asked = _team_asked(viewer, request.GET)
    found = _left_out(viewer, asked)
    context = _page(viewer, asked, found) | {
        "figure": pool_scatter(found, "without the team’s own documents") if found else None,
    }
    return analysed_page(request, "scoring/pools_teams.html", context, asked.analysis)


@require_safe
def teams_table(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = _team_asked(viewer, request.GET)
    if asked.analysis is not None and not asked.is_done:
        return not_computed_yet(asked.analysis)
    text = teams_csv(viewer, _left_out(viewer, asked), asked.qrels)
    return attached_csv(text, f"{slug}-left-out")


@require_safe
def teams_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = _team_asked(viewer, request.GET)
    if asked.analysis is not None and not asked.is_done:
        return not_computed_yet(asked.analysis)
    other = "without what only its team pooled"
    text = pool_latex(_left_out(viewer, asked), other, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-left-out")


def depths_asked(viewer: access.Viewer, query: Any) -> Asked:
    """For the page, the CSVs and scripts. The viewer must be one who may see the board."""
    measures = [str(measure) for measure in rules_of(viewer.campaign).measures]
    return _asked(viewer, query, "pool_depths", lambda choice: {"measures": measures})


def _team_asked(viewer: access.Viewer, query: Any) -> Asked:
    return _asked(
        viewer,
        query,
        "left_out",
        lambda choice: {"measure": str(choice.measure), "depth": choice.pool.asked},
    )


def _asked(viewer: access.Viewer, query: Any, kind: str, question: Any) -> Asked:
    choice = chosen_pool(viewer, query)
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, query.get("qrels"), versions) or viewer.campaign.active_qrels
    if qrels is None:
        return Asked(choice, versions, None)
    runs = board_runs(viewer, qrels, choice.measure)
    if not runs:
        return Asked(choice, versions, qrels)
    return Asked(choice, versions, qrels, runs, ask(viewer, qrels, kind, question(choice)))


def study_of(viewer: access.Viewer, asked: Asked) -> PoolStudy | None:
    if asked.analysis is None or not asked.is_done:
        return None
    measures = rules_of(viewer.campaign).measures
    return pool_study(asked.choice, asked.runs, measures, answer_of(asked.analysis))


def _left_out(viewer: access.Viewer, asked: Asked) -> LeftOut | None:
    if asked.analysis is None or asked.qrels is None or not asked.is_done:
        return None
    return left_out(viewer, asked.qrels, asked.choice, answer_of(asked.analysis))


def _page(viewer: access.Viewer, asked: Asked, found: PoolStudy | LeftOut | None) -> dict[str, Any]:
    choice = (found or asked).choice
    return {
        "found": found,
        "viewer": viewer,
        "campaign": viewer.campaign,
        "choice": choice,
        "measure": choice.measure,
        "offered": rules_of(viewer.campaign).measures,
        "depths": choice.pool.offered,
        "versions": asked.versions,
        "qrels": asked.qrels,
    }
