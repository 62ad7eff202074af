"""What is decided of a run once it is there: accepted, withdrawn, disqualified, reinstated."""

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import action_view, write_view
from campaigns.api.refusals import Refused
from campaigns.api.requests import ReasonRequest, validated_data
from campaigns.api.responses import WRITES
from campaigns.models import Run
from campaigns.runs import decisions, submission


class RunStateSerializer(serializers.Serializer):
    id = serializers.CharField()
    status = serializers.CharField()


class RunDecisionSerializer(RunStateSerializer):
    disqualified_at = serializers.DateTimeField(allow_null=True)
    disqualified_because = serializers.CharField()


DECIDED = {200: RunStateSerializer} | WRITES
JUDGED = {200: RunDecisionSerializer} | WRITES


@extend_schema(
    summary="Accept a checked run: from now on it counts",
    operation_id="runs_accept",
    request=None,
    responses=DECIDED,
)
@action_view(scope=None)
def run_accept(request: Request, slug: str, public_id: str) -> Response:
    """Where the campaign asks for it, a run counts once its team has seen the check sheet and says
    so. Accepting twice changes nothing."""
    viewer, run = _followed_or_404(request, slug, public_id)
    may = decisions.can_accept(viewer, run)
    if may and decisions.accept_checked(run=run, person=request.user):
        run.refresh_from_db()
    if run.state != Run.State.ACCEPTED:
        raise Refused("not_acceptable", "It is not checked, or cannot be accepted any more.")
    return Response({"id": run.public_id, "status": run.state})


@extend_schema(
    summary="Withdraw a run", operation_id="runs_withdraw", request=None, responses=DECIDED
)
@action_view(scope=None)
def run_withdraw(request: Request, slug: str, public_id: str) -> Response:
    """While runs are taken. It leaves the board and cannot be put back. Withdrawing twice changes
    nothing."""
    viewer, run = _followed_or_404(request, slug, public_id)
    sent = request._request
    moment = lifecycle.deciding_moment(sent.arrived_at, sent.completed_at or timezone.now())
    if submission.can_withdraw(viewer, run, moment):
        submission.withdraw_run(run=run, person=request.user)
        run.refresh_from_db()
    if run.withdrawn_at is None:
        raise Refused("not_withdrawable", "Runs are not taken any more: ask an organiser.")
    return Response({"id": run.public_id, "status": "withdrawn"})


@extend_schema(
    summary="Disqualify a run",
    operation_id="runs_disqualify",
    request=ReasonRequest,
    responses=JUDGED,
    examples=[
        OpenApiExample(
            "a reason", value={"reason": "It holds the test topics' answers."}, request_only=True
        )
    ],
)
@write_view()
def run_disqualify(request: Request, slug: str, public_id: str) -> Response:
    """It is not ranked; that it is so, and why, is seen beside it, and told to its team by mail.
    Of one that is disqualified already the first reason stays. For organisers."""
    run = _judged_or_404(request, slug, public_id)
    decisions.disqualify_run(run=run, actor=request.user, **validated_data(ReasonRequest, request))
    return _as_it_is(run)


@extend_schema(
    summary="Reinstate a run", operation_id="runs_reinstate", request=None, responses=JUDGED
)
@action_view()
def run_reinstate(request: Request, slug: str, public_id: str) -> Response:
    """It stands where it stood. Reinstating twice changes nothing. For organisers."""
    run = _judged_or_404(request, slug, public_id)
    decisions.reinstate_run(run=run, actor=request.user)
    return _as_it_is(run)


def _followed_or_404(request: Request, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    if not viewer.can_follow(run):
        raise Http404
    return viewer, run


def _judged_or_404(request: Request, slug: str, public_id: str) -> Run:
    """The run, for an organiser of its campaign."""
    viewer = access.organiser_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    lifecycle.refuse_archived(viewer.campaign)
    return run


def _as_it_is(run: Run) -> Response:
    run.refresh_from_db()
    return Response(
        {
            "id": run.public_id,
            "status": run.state,
            "disqualified_at": run.disqualified_at,
            "disqualified_because": run.disqualified_reason,
        }
    )
