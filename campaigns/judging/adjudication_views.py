"""The page of disagreements, and the organisers' decisions."""

from collections.abc import Callable

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
from campaigns.judging.adjudication import with_details
from campaigns.judging.forms import DecisionForm, DocumentForm
from campaigns.models import Judgment
from campaigns.options import takes

PAGE = 25


@takes("state", "topic", "page")
@login_required
@require_safe
def disagreements(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    state, topic, disputed = adjudication.chosen_disputes(viewer.campaign, request.GET)
    page = Paginator(disputed, PAGE).get_page(request.GET.get("page"))
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
@require_POST
def decide(request: HttpRequest, slug: str) -> HttpResponse:
    return _change(request, slug, DecisionForm, adjudication.decide, "Choose a grade.")


@login_required
@require_POST
def decision_withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    return _change(
        request, slug, DocumentForm, adjudication.withdraw_decision, "Choose a document."
    )


def _change(
    request: HttpRequest,
    slug: str,
    form_class: type[Form],
    change: Callable[..., Judgment],
    error: str,
) -> HttpResponse:
    """Decides on a document or withdraws the decision, and shows the list again."""
    viewer = access.organiser_or_404(request.user, slug)
    form = form_class(request.POST)
    if not form.is_valid():
        messages.error(request, error)
        return _redirect_to_list(request, slug)
    with show_refusals(request):
        decision = change(campaign=viewer.campaign, actor=request.user, **form.cleaned_data)
        grade = decision.grade
        state = "decision withdrawn" if grade is None else f"decided on grade {grade}"
        messages.success(request, f"Topic {decision.topic}, {decision.doc_id}: {state}.")
    return _redirect_to_list(request, slug)


def _redirect_to_list(request: HttpRequest, slug: str) -> HttpResponse:
    """With the same filters."""
    query = {name: request.GET[name] for name in ("state", "topic", "page") if name in request.GET}
    url = reverse("campaigns:judging-disagreements", args=[slug])
    return redirect(f"{url}?{urlencode(query)}" if query else url)
