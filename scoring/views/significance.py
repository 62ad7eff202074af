"""Which runs can be told apart: all pairs by one measure, and counts by all measures."""

from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.choices import one_of
from campaigns.models import Qrels
from scoring.analyses import answer_of, ask
from scoring.board_choices import chosen_version, versions_offered
from scoring.charts.significance import matrix_figure
from scoring.exports.latex_studies import counts_latex, separation_latex
from scoring.models import Analysis
from scoring.separated_rows import CountRow, count_rows
from scoring.significance_choices import OFFERED, Choices, chosen_test, tested_measures
from scoring.significance_rows import Separation, Standing, separation, standing_of
from scoring.significance_tables import counts_csv, separation_csv
from scoring.studies.significance import MOST_RUNS
from scoring.views.analysed import (
    analysed_page,
    attached_csv,
    attached_latex,
    hidden_page,
    latex_names,
    not_computed_yet,
    page_or_404,
)

IN_CELLS = 40  # runs: above, a table of neighbours stands for the matrix
PICTURED = 145  # runs: of more, the picture shows the first
ROWS = 250  # of neighbours on a page
FEW = 8  # runs: below, cells need little room
COUNTS_OFFERED = {
    "correction": {"none": "none", "holm": "Holm", "bh": "Benjamini-Hochberg"},
    "tail": OFFERED["tail"],
}


@dataclass(frozen=True, eq=False)
class Asked:
    """What an address asks for, and as much of the answer as there is."""

    choices: Choices
    versions: list[Qrels]
    qrels: Qrels | None
    standing: Standing | None = None
    analysis: Analysis | None = None
    found: Separation | None = None


@dataclass(frozen=True, eq=False)
class _Counts:
    correction: str
    tail: str
    versions: list[Qrels]
    qrels: Qrels | None
    analysis: Analysis | None = None
    rows: list[CountRow] = field(default_factory=list)


@require_safe
def significance_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    asked = separation_asked(viewer, request.GET)
    found = asked.found
    context = _page(viewer, asked) | {
        "choices": asked.choices,
        "measure": asked.choices.measure,
        "offered": tested_measures(viewer),
        "choosable": OFFERED,
        "standing": asked.standing,
        "found": found,
        "figure": matrix_figure(found.among_first(PICTURED))
        if found and found.apart_count
        else None,
        "pictured": PICTURED,
        "page": page_or_404(request, Paginator(found.neighbours if found else (), ROWS)),
        "figure_size": "square few" if found and len(found.standing.runs) < FEW else "square",
        "in_cells": found is not None and len(found.standing.runs) <= IN_CELLS,
    }
    return analysed_page(request, "scoring/significance.html", context, asked.analysis)


@require_safe
def significance_csv(request: HttpRequest, slug: str) -> HttpResponse:
    asked = separation_asked(
        access.board_or_404(request.user, slug, asked=request.GET), request.GET
    )
    if asked.analysis is not None and asked.found is None:
        return not_computed_yet(asked.analysis)
    return attached_csv(separation_csv(asked.found), f"{slug}-significance")


@require_safe
def significance_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = separation_asked(viewer, request.GET)
    if asked.analysis is not None and asked.found is None:
        return not_computed_yet(asked.analysis)
    text = separation_latex(asked.found, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-significance")


@require_safe
def counts_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    counts = _counts(viewer, request.GET)
    context = _page(viewer, counts) | {
        "counts": counts,
        "choosable": COUNTS_OFFERED,
        "rows": [(row, row.by(counts.correction)) for row in counts.rows],
        "tested": MOST_RUNS if viewer.campaign.runs.ranked().count() > MOST_RUNS else None,
    }
    return analysed_page(request, "scoring/significance_counts.html", context, counts.analysis)


@require_safe
def counts_table(request: HttpRequest, slug: str) -> HttpResponse:
    counts = _counts(access.board_or_404(request.user, slug, asked=request.GET), request.GET)
    if counts.analysis is not None and not counts.rows:
        return not_computed_yet(counts.analysis)
    return attached_csv(counts_csv(counts.rows, counts.tail), f"{slug}-separated-pairs")


@require_safe
def counts_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    counts = _counts(viewer, request.GET)
    if counts.analysis is not None and not counts.rows:
        return not_computed_yet(counts.analysis)
    names = latex_names(request, viewer)
    text = counts_latex(counts.rows, counts.correction, counts.tail, **names)
    return attached_latex(text, f"{slug}-separated-pairs")


def separation_asked(viewer: access.Viewer, query: Any) -> Asked:
    """For the page, the CSV and scripts. The viewer must be one who may see the board."""
    choices = chosen_test(viewer, query)
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, query.get("qrels"), versions) or viewer.campaign.active_qrels
    if qrels is None:
        return Asked(choices, versions, None)
    standing = standing_of(viewer, qrels, choices.measure)
    has_answer = choices.against == "base" or standing.has_residuals
    if len(standing.runs) < 2 or choices.fault or not has_answer:
        return Asked(choices, versions, qrels, standing)
    analysis = ask(viewer, qrels, "significance", choices.question)
    is_done = analysis.state == Analysis.State.DONE
    found = separation(choices, standing, answer_of(analysis)) if is_done else None
    return Asked(choices, versions, qrels, standing, analysis, found)


def _counts(viewer: access.Viewer, query: Any) -> _Counts:
    chosen = {
        name: one_of(name, query.get(name), offered, usual=next(iter(offered)))
        for name, offered in COUNTS_OFFERED.items()
    }
    versions = versions_offered(viewer)
    qrels = chosen_version(viewer, query.get("qrels"), versions) or viewer.campaign.active_qrels
    measures = tested_measures(viewer)
    if qrels is None or viewer.campaign.runs.ranked().count() < 2:
        return _Counts(**chosen, versions=versions, qrels=qrels)
    question = {"measures": [str(measure) for measure in measures], "tail": chosen["tail"]}
    analysis = ask(viewer, qrels, "separated_counts", question)
    is_done = analysis.state == Analysis.State.DONE
    rows = count_rows(measures, answer_of(analysis)) if is_done else []
    return _Counts(**chosen, versions=versions, qrels=qrels, analysis=analysis, rows=rows)


def _page(viewer: access.Viewer, asked: Asked | _Counts) -> dict[str, Any]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "versions": asked.versions,
        "qrels": asked.qrels,
    }
