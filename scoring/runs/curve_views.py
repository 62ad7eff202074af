"""Curves of a run: RBP as a function of depth and of p, precision against recall."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.models import Qrels, Run
from campaigns.options import takes
from scoring.output.result_view import FOR_CAMPAIGN, Answer, ResultView
from scoring.output.table import Table
from scoring.runs.curve_charts import (
    depth_figure,
    eleven_points_figure,
    persistence_figure,
    saw_tooth_figure,
)
from scoring.runs.curves import GAINS, RunCurves, gains_offered, run_curves
from scoring.runs.tables import (
    depth_columns,
    depth_table,
    persistence_columns,
    persistence_table,
    precision_columns,
    precision_table,
    recall_columns,
    recall_table,
)


@takes("topic", "gain")
@require_safe
def curves_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    run = access.run_or_404(viewer, public_id)
    curves = run_curves(viewer, run, request.GET)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "run": run,
        "qrels": viewer.campaign.active_qrels,
        "curves": curves,
        "gains": gains_offered(viewer),
    }
    if curves:
        context |= {
            "depth_figure": depth_figure(curves) if curves.by_depth else None,
            "p_figure": persistence_figure(curves) if curves.by_persistence else None,
            "recall_figure": eleven_points_figure(curves) if curves.counted else None,
            "saw_figure": saw_tooth_figure(curves) if curves.ranks else None,
        }
    return render(request, "scoring/runs/run_curves.html", context)


def _answer(
    table: Callable[[Run, Qrels | None, RunCurves | None], Table], curve: str, description: str
) -> Callable[..., Answer]:
    def answer(viewer: access.Viewer, params: QueryDict, public_id: str) -> Answer:
        run, qrels = access.run_or_404(viewer, public_id), viewer.campaign.active_qrels
        curves = run_curves(viewer, run, params)
        return Answer(table(run, qrels, curves), [qrels], file_name=f"run-{public_id}-{curve}")

    # The description of the API is made from it.
    answer.__doc__ = description
    return answer


TOPIC = OpenApiParameter("topic", str, description="a topic; default: the first with a curve")
GAIN = OpenApiParameter("gain", str, enum=list(GAINS))
OF_RUN = {"run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni", "qrels": 2}
BOUNDS = {"p": 0.8, "base": 0.5817, "residual": 0.0421, "upper": 0.6238}
CURVES: Final = [
    ResultView(
        name="run-depth",
        title="Bounds of RBP of a run by evaluation depth",
        answer=_answer(depth_table, "depth", "One row for each p and depth, means over topics."),
        row="RunAtDepth",
        row_description="RBP of a run that is evaluated to a depth.",
        columns=depth_columns(),
        parameters=[GAIN],
        row_example=OF_RUN | {"gain": "binary", "depth": 10} | BOUNDS,
        **FOR_CAMPAIGN,
    ),
    ResultView(
        name="run-p",
        title="Bounds of RBP of a run by p",
        answer=_answer(persistence_table, "p", "One row for each p, means over topics."),
        row="RunAtPersistence",
        row_description="RBP of a run with one p.",
        columns=persistence_columns(),
        parameters=[GAIN],
        row_example=OF_RUN | {"gain": "binary"} | BOUNDS,
        **FOR_CAMPAIGN,
    ),
    ResultView(
        name="run-recall",
        title="Interpolated precision of a run at eleven levels of recall",
        answer=_answer(
            recall_table, "recall", "One row for each level: the mean, and that of one topic."
        ),
        row="RunAtRecall",
        row_description="Interpolated precision of a run at a level of recall.",
        columns=recall_columns(),
        parameters=[TOPIC],
        row_example=OF_RUN | {"recall": 0.1, "mean": 0.62, "topic": "308", "topic_precision": 1.0},
        **FOR_CAMPAIGN,
    ),
    ResultView(
        name="run-precision",
        title="Precision and recall of a run at each rank of a topic",
        answer=_answer(precision_table, "precision", "One row for each rank of a topic."),
        row="RunAtRank",
        row_description="Precision and recall of a run at a rank.",
        columns=precision_columns(),
        parameters=[TOPIC],
        row_example=OF_RUN
        | {"topic": "308", "rank": 1, "relevant": 1, "recall": 0.25, "precision": 1.0}
        | {"interpolated": 1.0},
        **FOR_CAMPAIGN,
    ),
]
