"""Documents that assessors disagree on: a list, decisions, and the same as CSV."""

import io
from collections.abc import Callable, Iterable

from defusedcsv import csv
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from campaigns import access
from campaigns.errors import show_refusals
from campaigns.judging import adjudication
from campaigns.judging.adjudication import Dispute, DisputedDocument, with_details
from campaigns.judging.forms import DecisionForm, DocumentForm
from campaigns.models import Judgment
from campaigns.options import choice_or_404

PAGE = 25
COLUMNS = (
    "topic", "doc_id", "assessor", "grade", "is_unsure", "note", "counts", "decided",
    "decided_by", "decision_note",
)  # fmt: skip


@login_required
@require_safe
def disagreements(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    state, topic, found = _asked(viewer, request)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "state": state,
        "states": adjudication.STATES,
        "topic": topic,
        "topics": list(viewer.campaign.topics.order_by("position").values_list("code", flat=True)),
        "page": page,
        "disputes": with_details(viewer.campaign, page.object_list),
        "grades": range(viewer.campaign.highest_grade + 1),
    }
    return render(request, "campaigns/judging/judging_disagreements.html", context)


@login_required
@require_safe
def disagreements_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """One row for each assessor of each document that the page lists."""
    viewer = access.organiser_or_404(request.user, slug)
    _, _, found = _asked(viewer, request)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for start in range(0, len(found), PAGE * 20):
        some = found[start : start + PAGE * 20]  # no database takes all ids at once
        writer.writerows(_rows(with_details(viewer.campaign, some)))
    response = HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-disagreements.csv"'
    return response


@login_required
@require_POST
def decide(request: HttpRequest, slug: str) -> HttpResponse:
    return _act(request, slug, DecisionForm, adjudication.decide, "Choose a grade.")


@login_required
@require_POST
def decision_take_back(request: HttpRequest, slug: str) -> HttpResponse:
    return _act(request, slug, DocumentForm, adjudication.withdraw_decision, "Choose a document.")


def _act(
    request: HttpRequest, slug: str, kind: type[Form], act: Callable[..., Judgment], fault: str
) -> HttpResponse:
    """What the form says of a document, which is told to be decided then, or no longer."""
    viewer = access.organiser_or_404(request.user, slug)
    form = kind(request.POST)
    if not form.is_valid():
        messages.error(request, fault)
        return _back(request, slug)
    with show_refusals(request):
        made = act(campaign=viewer.campaign, actor=request.user, **form.cleaned_data)
        state = "no longer decided" if made.grade is None else f"decided, {made.grade}"
        messages.success(request, f"{made.doc_id} of topic {made.topic}: {state}.")
    return _back(request, slug)


def _asked(viewer: access.Viewer, request: HttpRequest) -> tuple[str, str, list[DisputedDocument]]:
    topic = request.GET.get("topic", "")
    state = choice_or_404("state", request.GET.get("state"), adjudication.STATES, usual="open")
    return state, topic, adjudication.disputed_documents(viewer.campaign, state=state, topic=topic)


def _rows(disputes: Iterable[Dispute]) -> Iterable[tuple[object, ...]]:
    for dispute in disputes:
        made = dispute.decision
        decision = (made.grade, made.assessor, made.note) if made else (None, None, None)
        for act in dispute.said:
            yield (
                dispute.of.topic, dispute.of.doc_id, act.assessor, act.grade, int(act.is_unsure),
                act.note, dispute.of.grade, *decision,
            )  # fmt: skip


def _back(request: HttpRequest, slug: str) -> HttpResponse:
    """To the list as it was filtered."""
    kept = {name: request.GET[name] for name in ("state", "topic", "page") if name in request.GET}
    address = reverse("campaigns:judging-disagreements", args=[slug])
    return redirect(f"{address}?{urlencode(kept)}" if kept else address)
