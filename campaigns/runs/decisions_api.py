"""The API of decisions about a run: accept, withdraw, disqualify, reinstate."""

from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access, lifecycle
from campaigns.api.endpoints import action_view, refuse_fields, write_view
from campaigns.api.refusals import Refused
from campaigns.api.requests import ReasonRequest, RequestSerializer, validated_data
from campaigns.api.responses import WRITES
from campaigns.models import Run
from campaigns.runs import decisions, submission
from campaigns.runs.description import LONGEST_NAME


class RunStateSerializer(serializers.Serializer):
    id = serializers.CharField(source="public_id")
    status = serializers.CharField(source="state")


class RunDecisionSerializer(RunStateSerializer):
    disqualified_at = serializers.DateTimeField(allow_null=True)
    disqualified_because = serializers.CharField(source="disqualified_reason")


DECIDED = {200: RunStateSerializer} | WRITES
JUDGED = {200: RunDecisionSerializer} | WRITES


@extend_schema(
    summary="Accept a checked run",
    operation_id="runs_accept",
    request=None,
    responses=DECIDED,
)
@action_view(scope=None)
def run_accept(request: Request, slug: str, public_id: str) -> Response:
    """If the campaign asks for it, a run counts only after its team has read the validation report
    and accepted the run. A second request changes nothing."""
    viewer, run = _followed_or_404(request, slug, public_id)
    # After the look-up, which answers 404 to those who may not follow the run.
    refuse_fields(request)
    can_accept = decisions.can_accept(viewer, run)
    if can_accept and decisions.accept_checked(run=run, person=request.user):
        run.refresh_from_db()
    if run.state != Run.State.ACCEPTED:
        message = "The run is not checked yet, or it can no longer be accepted."
        raise Refused("not_acceptable", message)
    return Response(RunStateSerializer(run).data)


@extend_schema(
    summary="Withdraw a run", operation_id="runs_withdraw", request=None, responses=DECIDED
)
@action_view(scope=None)
def run_withdraw(request: Request, slug: str, public_id: str) -> Response:
    """Possible while submissions are open. The run leaves the leaderboard for good. A second
    request changes nothing."""
    viewer, run = _followed_or_404(request, slug, public_id)
    refuse_fields(request)
    sent = request._request
    moment = lifecycle.deciding_moment(sent.arrived_at, sent.completed_at or timezone.now())
    if submission.can_withdraw(viewer, run, moment):
        submission.withdraw_run(run=run, person=request.user)
        run.refresh_from_db()
    if run.withdrawn_at is None:
        message = "Submissions are closed. Ask an organiser to withdraw the run."
        raise Refused("not_withdrawable", message)
    return Response({"id": run.public_id, "status": "withdrawn"})


class NameRequest(RequestSerializer):
    name = serializers.CharField(max_length=LONGEST_NAME)


@extend_schema(
    summary="Rename a run",
    operation_id="runs_rename",
    request=NameRequest,
    responses=DECIDED,
)
@write_view(scope=None)
def run_rename(request: Request, slug: str, public_id: str) -> Response:
    """Changes the name that pages show. The team may do so until the results are published."""
    viewer, run = _followed_or_404(request, slug, public_id)
    name = validated_data(NameRequest, request)["name"]
    if not decisions.can_rename(viewer, run):
        raise Refused("not_renamable", "The run can no longer be renamed. Ask an organiser.")
    try:
        decisions.rename_run(run=run, name=name, actor=request.user)
    except ValidationError as error:
        raise serializers.ValidationError({"name": error.messages}) from error
    return Response(RunStateSerializer(run).data)


@extend_schema(
    summary="Disqualify a run",
    operation_id="runs_disqualify",
    request=ReasonRequest,
    responses=JUDGED,
    examples=[
        OpenApiExample(
            "a reason", value={"reason": "Trained on the test topics."}, request_only=True
        )
    ],
)
@write_view()
def run_disqualify(request: Request, slug: str, public_id: str) -> Response:
    """Removes the run from the ranking, shows the reason with it, and emails its team. If the run
    is already disqualified, the first reason stays. For organisers."""
    run = _run_of_organiser_or_404(request, slug, public_id)
    decisions.disqualify_run(run=run, actor=request.user, **validated_data(ReasonRequest, request))
    return _current_state(run)


@extend_schema(
    summary="Reinstate a run", operation_id="runs_reinstate", request=None, responses=JUDGED
)
@action_view()
def run_reinstate(request: Request, slug: str, public_id: str) -> Response:
    """Returns the run to the ranking. A second request changes nothing. For organisers."""
    run = _run_of_organiser_or_404(request, slug, public_id)
    refuse_fields(request)
    decisions.reinstate_run(run=run, actor=request.user)
    return _current_state(run)


def _followed_or_404(request: Request, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    if not viewer.can_follow(run):
        raise Http404
    return viewer, run


def _run_of_organiser_or_404(request: Request, slug: str, public_id: str) -> Run:
    """The run, for an organiser of its campaign."""
    viewer = access.organiser_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    lifecycle.refuse_archived(viewer.campaign)
    return run


def _current_state(run: Run) -> Response:
    run.refresh_from_db()
    return Response(RunDecisionSerializer(run).data)
