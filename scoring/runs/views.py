"""One run: its status and its scores."""

from collections.abc import Sequence

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Run
from campaigns.options import takes
from campaigns.runs import description
from campaigns.runs.decisions import actions_on
from scoring.analyses.responses import TOPICS, analysed_page
from scoring.baselines.rows import CORRECTIONS, UnknownBaseline, without_baseline
from scoring.citations.snapshots import board_citation
from scoring.core.measures.catalogue import family_of
from scoring.evaluation.feedback import feedback_on
from scoring.evaluation.progress import progress_of
from scoring.evaluation.rules import rules_of
from scoring.models import Score, Snapshot, StoredRanking
from scoring.output.responses import TableResponse, page_or_404, table_response
from scoring.results.options import (
    can_compare_runs,
    chosen_measure,
    sees_topic_means,
    shown_qrels,
)
from scoring.runs.baselines import run_baselines
from scoring.runs.charts import run_topics_figure
from scoring.runs.none_judged import none_judged
from scoring.runs.scores import active_scores, run_scores
from scoring.runs.tables import means_table, run_table
from scoring.runs.topics import ORDERS, chosen_topic_order, run_topics

CHECKING = 2  # the step that reads the file


@takes("measure", "order", "baseline", "correction", "page")
@require_safe
def run_detail(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    snapshots = Snapshot.objects.filter(campaign=OuterRef("campaign"))
    viewer, run = _run(request, slug, public_id, has_snapshots=Exists(snapshots))
    measure, order = (
        chosen_measure(viewer, request.GET.get("measure")),
        chosen_topic_order(request.GET),
    )
    stored = active_scores(viewer, run, rules_of(viewer.campaign).measures)
    topics = run_topics(viewer, run, (measure,), order, stored).get(measure)
    by_topic = {
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "is_share": family_of(measure).facts.range[1] <= 1,
        "topics": topics,
        "page": page_or_404(request, Paginator(topics.rows if topics else (), TOPICS)),
        "order": order,
        "orders": ORDERS,
        "figure": run_topics_figure(topics) if topics and topics.scored else None,
    }
    why_no_differences = ""
    try:
        baselines = run_baselines(viewer, run, request.GET)
    except UnknownBaseline as unknown:
        why_no_differences = unknown.why_none
        # The links of the page then do not carry the baseline either.
        request.GET = without_baseline(request.GET)
        baselines = run_baselines(viewer, run, request.GET)
    against = {
        "baselines": baselines,
        "why_no_differences": why_no_differences,
        "corrections": CORRECTIONS,
        "is_baseline": run.is_baseline and viewer.can_see_baselines,
        "can_compare": run.is_ranked and can_compare_runs(viewer),
        "compares_all": sees_topic_means(viewer),
    }
    citation = None
    if run.is_live:
        citation = board_citation(
            viewer, request.build_absolute_uri, has_snapshots=run.has_snapshots
        )
    if citation is not None:
        citation = citation.of_run(run.shown_name, run.shown_team, run.public_id)
    cited = {"citation": citation}
    context = _run_page(viewer, run, stored) | by_topic | against | cited
    pending = baselines.pending_analysis
    return analysed_page(request, "scoring/runs/run_detail.html", context, pending)


@require_safe
def run_status(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The part of a run's page that polls this view until the status is final."""
    viewer, run = _run(request, slug, public_id)
    return render(request, "scoring/runs/_status.html", _run_page(viewer, run))


@require_safe
def run_rows(request: HttpRequest, slug: str, public_id: str, suffix: str) -> TableResponse:
    """Its scores by all measures or by one; in LaTeX its means."""
    viewer, run = _run(request, slug, public_id)
    name = request.GET.get("measure")
    measures = rules_of(viewer.campaign).measures
    if name and suffix != "tex":
        measures = (chosen_measure(viewer, name),)
    baselines = run_baselines(viewer, run, request.GET, measures)
    if suffix == "tex":
        table = means_table(viewer, run, baselines)
    else:
        table = run_table(viewer, run, measures, chosen_topic_order(request.GET), baselines)
    name, title = f"{slug}-run-{public_id}", viewer.campaign.name
    awaits, qrels = baselines.pending_analysis, [shown_qrels(viewer)]
    return table_response(request, table, name, suffix, title=title, awaits=awaits, qrels=qrels)


def _run(
    request: HttpRequest, slug: str, public_id: str, **besides: Exists
) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    return viewer, access.run_or_404(viewer, public_id, **besides)


def _run_page(
    viewer: access.Viewer, run: Run, stored: Sequence[Score] | None = None
) -> dict[str, object]:
    can_follow = viewer.can_follow(run)
    progress = progress_of(run, viewer) if can_follow else None
    is_checked = progress is not None and progress.step > CHECKING
    if stored is None:
        measures = rules_of(viewer.campaign).measures
        stored = active_scores(viewer, run, measures, has_vectors=False)
    scores = run_scores(viewer, run, stored)
    unrequested = set(map(str, rules_of(viewer.campaign).unrequested))
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": shown_qrels(viewer),
        "run": run,
        "can_follow": can_follow,
        "can_name": viewer.can_name(run.team),
        "actions": actions_on(viewer, run),
        "progress": progress,
        "ranking": StoredRanking.objects.filter(run=run).first() if is_checked else None,
        "answers": description.answers_of(viewer.campaign, run) if can_follow else [],
        "feedback": feedback_on(viewer, run),
        "scores": [score for score in scores if score.measure not in unrequested],
        "further_scores": [score for score in scores if score.measure in unrequested],
        "none_judged": none_judged(viewer, run, stored),
        "can_see_scores": viewer.can_see_scores_of(run),
    }
