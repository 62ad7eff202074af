"""Differences between two versions of the qrels, and the progress of scoring."""

from dataclasses import replace

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.options import choice_or_404, takes
from campaigns.qrels.versions import version_or_404
from scoring.evaluation import rescoring as scoring_anew
from scoring.evaluation.rules import rules_of
from scoring.output.api import MEASURE
from scoring.output.result_view import Answer, ResultView, for_viewer
from scoring.qrels.diff import VersionDiff, diff
from scoring.qrels.tables import change_columns, changes_table, move_columns, moves_table
from scoring.results.options import chosen_measure

SHOWN_CHANGES = 1000
TABLES = {"judgments": changes_table, "runs": moves_table}


@takes("measure")
@require_safe
def qrels_diff(request: HttpRequest, slug: str, old: int, new: int) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, params=request.GET)
    differences = _diff(viewer, old, new, request.GET.get("measure"))
    return render(
        request,
        "scoring/qrels/qrels_diff.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "diff": differences,
            "changes": list(differences.changes.first(SHOWN_CHANGES)),
            "change_count": len(differences.changes),
            "measure": differences.measure,
            "offered": rules_of(viewer.campaign).measures,
        },
    )


@login_required
@require_safe
def rescoring(request: HttpRequest, slug: str) -> HttpResponse:
    """The progress bar, which polls this view until all runs are scored."""
    viewer = access.organiser_or_404(request.user, slug)
    context = {"campaign": viewer.campaign, "rescoring": scoring_anew.rescoring(viewer.campaign)}
    return render(request, "scoring/qrels/_rescoring.html", context)


def _diff(viewer: access.Viewer, old: int, new: int, measure: str | None) -> VersionDiff:
    """The viewer may see the board; raises Http404 for versions that they may not see."""
    before, after = version_or_404(viewer, old), version_or_404(viewer, new)
    return diff(viewer, before, after, chosen_measure(viewer, measure))


def _changes(viewer: access.Viewer, params: QueryDict, old: int, new: int) -> Answer:
    """One row for each changed judgment, by topic and document. `topic` and `document` are followed
    by a column for each version in the URL, such as `v1` and `v2`: the grade, null if the document
    is not judged."""
    return _of_diff(viewer, params, old, new, "judgments")


def _moves(viewer: access.Viewer, params: QueryDict, old: int, new: int) -> Answer:
    """One row for each run that has a score under both versions, in the order of the new one. For
    each version in the URL there is a column with the rank among these runs, and one with the mean:
    `rank_v1`, `rank_v2`, `base_v1` and `base_v2` for versions 1 and 2."""
    return _of_diff(viewer, params, old, new, "runs")


def _chosen(viewer: access.Viewer, params: QueryDict, old: int, new: int) -> Answer:
    """Both tables have one URL as files."""
    table = choice_or_404("table", params.get("table"), list(TABLES), usual="judgments")
    return _of_diff(viewer, params, old, new, table)


def _of_diff(viewer: access.Viewer, params: QueryDict, old: int, new: int, table: str) -> Answer:
    found = _diff(viewer, old, new, params.get("measure"))
    name = f"qrels-v{old}-v{new}-{table}"
    return Answer(TABLES[table](found), [found.old, found.new], file_name=name)


# Not public tables, because `answer` checks itself which versions the viewer may see.
CHANGES = ResultView(
    name="qrels-changes",
    title="Judgments that differ between two versions of the qrels",
    answer=_changes,
    decorator=for_viewer,
    row="ChangedJudgment",
    row_description="A document, and a column with its grade for each version in the URL.",
    columns=change_columns(),
    parameters=[],
    row_example={"topic": "308", "document": "FT911-3", "v1": None, "v2": 1},
)
MOVES = ResultView(
    name="qrels-moves",
    title="Runs under two versions of the qrels",
    answer=_moves,
    decorator=for_viewer,
    row="MovedRun",
    row_description="A run, and columns with its rank and its mean for each version in the URL.",
    columns=move_columns(),
    parameters=[MEASURE],
    row_example={
        "run": "uni-bm25", "team": "Uni", "measure": "AP", "rank_v1": 2, "rank_v2": 1,
        "ranks_gained": 1, "base_v1": 0.31, "base_v2": 0.33,
    },
)  # fmt: skip
FILES = replace(CHANGES, name="qrels-diff", answer=_chosen)
