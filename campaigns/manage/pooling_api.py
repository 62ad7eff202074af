"""The API of what organisers state about the pool."""

from django.core.exceptions import ValidationError
from django.db import transaction
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import LIST_BODY, write_view
from campaigns.api.requests import (
    BoundedDictField,
    BoundedListField,
    RequestSerializer,
    validated_data,
)
from campaigns.api.responses import WRITES
from campaigns.manage import pooling
from campaigns.models.campaign import DEEPEST

MOST_RUNS, MOST_VERSIONS = 10_000, 1_000


class PoolRequest(RequestSerializer):
    pooled_runs = BoundedListField(
        child=serializers.CharField(max_length=16),
        required=False,
        allow_null=True,
        max_length=MOST_RUNS,
        help_text="The ids of all runs that were pooled; null withdraws the statement.",
    )
    depths = BoundedDictField(
        max_length=MOST_VERSIONS,
        child=serializers.IntegerField(min_value=1, max_value=DEEPEST, allow_null=True),
        required=False,
        help_text="The depth by qrels version; null: read from the judgments.",
    )

    def validate_depths(self, depths: dict[str, int | None]) -> dict[int, int | None]:
        # `int` also reads the digits of other scripts.
        if strange := [name for name in depths if not (name.isascii() and name.isdecimal())]:
            raise serializers.ValidationError(f"{strange[0]} is not a qrels version.")
        return {int(version): depth for version, depth in depths.items()}


class PoolStatementSerializer(serializers.Serializer):
    pooled_runs = serializers.ListField(child=serializers.CharField(), allow_null=True)
    depths = serializers.DictField(child=serializers.IntegerField(allow_null=True))


@extend_schema(
    summary="State which runs were pooled, and to what depth",
    operation_id="pool_state",
    request=PoolRequest,
    responses={200: PoolStatementSerializer} | WRITES,
    examples=[
        OpenApiExample(
            "two runs, depth 100",
            value={"pooled_runs": ["k5zq3wd7c2hxy4ma", "x2y7d5hc3aqz4wkm"], "depths": {"1": 100}},
            request_only=True,
        )
    ],
)
@write_view("PATCH", largest_body=LIST_BODY)
def pool_state(request: Request, slug: str) -> Response:
    """Changes what is in the request: all of it, or nothing. Runs that count and are not in the
    list were not pooled. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    campaign, said = viewer.campaign, validated_data(PoolRequest, request)
    with transaction.atomic():
        try:
            pooling.state_pool_depths(
                campaign=campaign, depths=said.get("depths", {}), actor=request.user
            )
        except ValidationError as error:
            raise serializers.ValidationError({"depths": error.messages}) from error
        if said.get("pooled_runs") is not None:
            pooling.state_pooled_runs(
                campaign=campaign, pooled=said["pooled_runs"], actor=request.user
            )
        elif "pooled_runs" in said:
            pooling.withdraw_statement(campaign=campaign, actor=request.user)
    stated = campaign.runs.live().exclude(is_pooled=None)
    pooled = stated.filter(is_pooled=True).order_by("pk").values_list("public_id", flat=True)
    depths = campaign.qrels.order_by("version").values_list("version", "pool_depth")
    return Response(
        {
            "pooled_runs": list(pooled) if stated.exists() else None,
            "depths": {str(version): depth for version, depth in depths},
        }
    )
