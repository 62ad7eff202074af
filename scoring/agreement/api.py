"""Agreement of measures, for scripts."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.access import Viewer
from campaigns.api.endpoints import read_view
from scoring.agreement.options import chosen_map
from scoring.agreement.rows import agreement_table
from scoring.agreement.tables import statistics_table
from scoring.output.api import FORMAT, QRELS, example, requested_format, table_responses
from scoring.output.public import api_board_viewer, public_table
from scoring.output.sources import JUDGED_BY_HELP
from scoring.results.options import versions_offered


class AgreementSerializer(serializers.Serializer):
    """Two measures over the runs of the board; null if a statistic is not defined."""

    measure_a = serializers.CharField(help_text="the reference of tau_ap")
    measure_b = serializers.CharField()
    tau = serializers.FloatField(allow_null=True)
    tau_b = serializers.FloatField(allow_null=True)
    tau_ap = serializers.FloatField(allow_null=True)
    rbo = serializers.FloatField(allow_null=True)
    judged_by = serializers.CharField(required=False, help_text=JUDGED_BY_HELP)


@extend_schema(
    summary="Agreement of measures on the order of the runs",
    operation_id="agreement",
    tags=["analyses"],
    parameters=[
        OpenApiParameter("m", str, many=True, description="measures; default: the campaign’s"),
        OpenApiParameter("p", str, description="p of rbo; default: 0.9"),
        QRELS,
        FORMAT,
    ],
    responses=table_responses(AgreementSerializer),
    examples=[
        example(
            "two measures", measure_a="AP", measure_b="nDCG@10", tau=0.82, tau_b=0.82, tau_ap=0.76,
            rbo=0.91,
        ),
    ],
)  # fmt: skip
@read_view
@public_table(api_board_viewer)
def agreement(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each pair of measures, with every statistic of the page."""
    respond = requested_format(request)
    choice = chosen_map(viewer, request.query_params, versions_offered(viewer))
    return respond(statistics_table(agreement_table(viewer, choice)), qrels=[choice.qrels])
