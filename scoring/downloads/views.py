"""Downloads of a campaign: tables, text files, and one zip of everything."""

import tempfile

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.models.identity import new_public_id
from campaigns.options import takes
from campaigns.qrels.versions import versions_visible_to
from scoring.citations.snapshots import board_citation
from scoring.downloads.linked_data import published_dataset
from scoring.downloads.options import run_files
from scoring.downloads.package import write_package
from scoring.downloads.scores import has_tidy_rows, requested_qrels, requested_rows, tidy_table
from scoring.downloads.snapshots import snapshots_visible_to
from scoring.downloads.trec_eval import trec_eval_text
from scoring.evaluation.rules import rules_of
from scoring.leaderboard.badge import badge_snippet
from scoring.leaderboard.embedding import (
    EmbeddingForm,
    embedding_snippet,
    set_embedding_origins,
)
from scoring.output.long_downloads import begin_if_long, refuse_too_long
from scoring.output.public import board_viewer, campaign_viewer
from scoring.output.responses import (
    PLAIN,
    TableResponse,
    file_response,
    page_or_404,
    table_response,
)
from scoring.output.stored_tables import stored_if_long
from scoring.results.options import chosen_version, shown_qrels
from scoring.runs.scores import sees_topics_of

LARGEST_IN_MEMORY = 8 << 20
RUNS = 250  # on a page


@takes("page")
@require_safe
def downloads(request: HttpRequest, slug: str) -> HttpResponse:
    """All that this viewer may download."""
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    return _page(request, viewer, EmbeddingForm.of(viewer.campaign))


def _page(
    request: HttpRequest,
    viewer: access.Viewer,
    embedding_form: EmbeddingForm,
    *,
    status: int = 200,
) -> HttpResponse:
    snapshots, runs = snapshots_visible_to(viewer), run_files(viewer)
    newest = next(iter(snapshots), None)
    doi_url = newest.doi_url if newest else ""
    return render(
        request,
        "scoring/downloads/downloads.html",
        {
            "viewer": viewer,
            "campaign": viewer.campaign,
            "qrels": shown_qrels(viewer),
            "measures": rules_of(viewer.campaign).measures if viewer.can_see_board else (),
            "has_tidy_rows": has_tidy_rows(viewer),
            "qrels_versions": list(versions_visible_to(viewer)),
            "runs": runs,
            "page": page_or_404(request, Paginator(runs, RUNS)),
            "has_run_files": any(run.has_file for run in runs),
            "snapshots": snapshots,
            "citation": board_citation(viewer, request.build_absolute_uri),
            "dataset": published_dataset(viewer, request.build_absolute_uri, doi_url=doi_url),
            "snippets": _snippets(request, viewer),
            "embedding_form": embedding_form,
            # Sent with the form that creates a snapshot, so that a double click creates one.
            "key": new_public_id(),
            "can_change": viewer.is_organiser and viewer.campaign.archived_at is None,
        },
        status=status,
    )


def _snippets(request: HttpRequest, viewer: access.Viewer) -> dict[str, str]:
    """HTML for other sites; nothing if the board is not public."""
    campaign = viewer.campaign
    if not campaign.has_public_board or viewer.preview:
        return {}
    board, picture, embedded = (
        request.build_absolute_uri(reverse(f"scoring:{name}", args=[campaign.slug]))
        for name in ("leaderboard", "badge", "embedded-leaderboard")
    )
    label = f"Leaderboard of {campaign.name}"
    snippets = {"badge": badge_snippet(label=label, page=board, picture=picture)}
    if campaign.embedding_origins:
        snippets["frame"] = embedding_snippet(title=campaign.name, url=embedded)
    return snippets


@login_required
@require_POST
def embedding_edit(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    form = EmbeddingForm.of(viewer.campaign, request.POST)
    if not form.is_valid():
        return _page(request, viewer, form, status=400)
    with show_refusals(request):
        set_embedding_origins(
            campaign=viewer.campaign, origins=form.cleaned_data["origins"], actor=request.user
        )
        messages.success(request, "The list of web sites is saved.")
    return redirect("scoring:downloads", slug)


@require_safe
@stored_if_long(campaign_viewer)
def scores_csv(request: HttpRequest, viewer: access.Viewer) -> TableResponse:
    rows = requested_rows(viewer, request.GET)
    table = tidy_table(rows, requested_qrels(viewer, request.GET))
    return table_response(request, table, f"{viewer.campaign.slug}-scores")


@require_safe
def run_trec_eval(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    run = access.run_or_404(viewer, public_id)
    if not sees_topics_of(viewer, run):
        raise Http404
    qrels = shown_qrels(viewer)  # the format has no comments, so the name of the file says it
    by_program = "-judged-by-program" if qrels and qrels.has_program else ""
    name = f"{slug}-run-{public_id}{by_program}.eval"
    return file_response(trec_eval_text(viewer, run), name, PLAIN)


@require_safe
@stored_if_long(board_viewer)
def package(request: HttpRequest, viewer: access.Viewer) -> FileResponse:
    """The zip of the active qrels, or of another version that is offered."""
    qrels = chosen_version(viewer, request.GET.get("qrels")) or viewer.campaign.active_qrels
    if qrels is None:
        raise Http404
    scores = viewer.campaign.runs.count() * viewer.campaign.topics.count()
    refuse_too_long(scores * len(rules_of(viewer.campaign).measures))
    begin_if_long(scores)
    out = tempfile.SpooledTemporaryFile(LARGEST_IN_MEMORY)  # noqa: SIM115 (the response closes it)
    url = request.build_absolute_uri(request.path)
    write_package(viewer, qrels, out, made_at=timezone.now(), url=url)
    out.seek(0)
    name = f"{viewer.campaign.slug}-qrels-v{qrels.version}.zip"
    return FileResponse(out, as_attachment=True, filename=name, content_type="application/zip")
