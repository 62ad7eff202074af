"""The API of baselines."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import action_view, refuse_fields, write_view
from campaigns.api.responses import WRITES
from campaigns.manage.baselines import change_baselines


class BaselineSerializer(serializers.Serializer):
    id = serializers.CharField(source="public_id")
    is_baseline = serializers.BooleanField()


@extend_schema(
    summary="Mark a run as a baseline",
    operation_id="runs_mark_baseline",
    request=None,
    responses={200: BaselineSerializer} | WRITES,
)
@action_view()
def run_mark_baseline(request: Request, slug: str, public_id: str) -> Response:
    """Other runs can be compared with it on the leaderboard. A second request changes nothing. For
    organisers."""
    return _changed(request, slug, public_id, is_baseline=True)


@extend_schema(
    summary="Unmark a baseline",
    operation_id="runs_unmark_baseline",
    request=None,
    responses={200: BaselineSerializer} | WRITES,
)
@write_view("DELETE")
def run_unmark_baseline(request: Request, slug: str, public_id: str) -> Response:
    """The run stays on the leaderboard. A second request changes nothing. For organisers."""
    return _changed(request, slug, public_id, is_baseline=False)


def _changed(request: Request, slug: str, public_id: str, *, is_baseline: bool) -> Response:
    viewer = access.organiser_or_404(request.user, slug)
    run = access.run_or_404(viewer, public_id)
    if is_baseline:
        refuse_fields(request)
    mark, unmark = ([public_id], []) if is_baseline else ([], [public_id])
    change_baselines(campaign=viewer.campaign, mark=mark, unmark=unmark, actor=request.user)
    run.refresh_from_db(fields=["is_baseline"])
    return Response(BaselineSerializer(run).data)
