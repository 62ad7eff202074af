"""The page after sign-up, the request to organise, and the operators' list of requests."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns import access, lifecycle, participation
from campaigns.errors import CannotRequest
from campaigns.models import Campaign, Membership, OrganiserRequest
from campaigns.people import organiser_requests
from campaigns.people.forms import OrganiserRequestForm, RequestDecisionForm

DECISIONS = {"approve": True, "decline": False}
DECIDED_SHOWN = 50


@login_required
@require_safe
def welcome(request: HttpRequest) -> HttpResponse:
    """What a new person can do: join a campaign, ask to run one, or read."""
    visible = access.campaigns_visible_to(request.user).filter(archived_at=None)
    mine = Membership.objects.filter(person=request.user).values("campaign")
    to_join = [
        campaign
        for campaign in visible.exclude(pk__in=mine).order_by("closes_at", "name", "pk")
        if campaign.joining != Campaign.Joining.INVITED
        and participation.is_before_close(campaign, request.arrived_at)
    ]
    page = _request_context(request, OrganiserRequestForm()) | {
        "to_join": to_join,
        "my_campaigns": list(visible.filter(pk__in=mine).order_by("name", "pk")),
    }
    return render(request, "campaigns/people/welcome.html", page)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def organiser_request(request: HttpRequest) -> HttpResponse:
    """The form, or the state of the person's request. *Create campaign* leads here if the person
    may not create campaigns yet."""
    if lifecycle.may_create_campaigns(request.user):
        return redirect("campaigns:campaign-create")
    form = OrganiserRequestForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            organiser_requests.request_permission(person=request.user, **form.cleaned_data)
        except CannotRequest as error:
            messages.error(request, str(error))
        return redirect("campaigns:organiser-request")
    page = _request_context(request, form)
    status = 400 if form.errors else 200
    return render(request, "campaigns/people/organiser_request.html", page, status=status)


@login_required
@require_safe
def request_list(request: HttpRequest) -> HttpResponse:
    """The requests that await a decision, and the latest decisions. For operators."""
    _refuse_others(request)
    return _request_list(request)


@login_required
@require_POST
def request_decide(request: HttpRequest, request_id: int, decision: str) -> HttpResponse:
    _refuse_others(request)
    asked = get_object_or_404(OrganiserRequest.objects.select_related("person"), pk=request_id)
    if decision not in DECISIONS:
        raise Http404
    form = RequestDecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, "The answer is too long. No decision was made.")
        return _request_list(request, status=400)
    is_approved = DECISIONS[decision]
    if organiser_requests.decide(
        asked, approve=is_approved, actor=request.user, answer=form.cleaned_data["answer"]
    ):
        act = "approved" if is_approved else "declined"
        messages.success(request, f"The request of {asked.person} is {act}.")
    else:
        messages.warning(request, "The request was already decided.")
    return redirect("campaigns:request-list")


def _refuse_others(request: HttpRequest) -> None:
    if not request.user.is_staff:
        raise Http404


def _request_context(request: HttpRequest, form: OrganiserRequestForm) -> dict[str, object]:
    latest = organiser_requests.latest_request(request.user)
    return {
        "form": form,
        "latest": latest,
        "next_request_at": organiser_requests.next_request_at(latest),
        "may_create": lifecycle.may_create_campaigns(request.user),
        "operators_create": settings.WHO_MAY_CREATE_CAMPAIGNS == "staff",
    }


def _request_list(request: HttpRequest, *, status: int = 200) -> HttpResponse:
    decided = OrganiserRequest.objects.exclude(decided_at=None).select_related(
        "person", "decided_by"
    )
    page = {
        "waiting": list(organiser_requests.open_requests()),
        "decided": list(decided.order_by("-decided_at", "-pk")[:DECIDED_SHOWN]),
        "operators_create": settings.WHO_MAY_CREATE_CAMPAIGNS == "staff",
    }
    return render(request, "campaigns/people/request_list.html", page, status=status)
