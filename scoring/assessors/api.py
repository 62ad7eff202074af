"""The agreement of a program with people for scripts, for organisers only."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.endpoints import read_view
from campaigns.api.responses import READS, RefusalSerializer
from scoring.assessors.program_agreement import program_agreement
from scoring.assessors.program_boards import computed_boards
from scoring.assessors.program_tables import program_agreement_table, program_boards_table
from scoring.output.api import FORMAT, MEASURE, requested_format
from scoring.output.table import Table
from scoring.results.options import chosen_measure


class ProgramAgreementSerializer(serializers.Serializer):
    """Of the documents that people and the program judged, in all or in a group."""

    scope = serializers.ChoiceField(choices=["campaign", "topic", "grade", "kind of run"])
    name = serializers.CharField(
        help_text="the topic, the grade that people gave, or the kind of run"
    )
    documents = serializers.IntegerField()
    equal = serializers.IntegerField()
    harsher = serializers.IntegerField(help_text="the program's grade is lower")
    kinder = serializers.IntegerField(help_text="the program's grade is higher")
    mean_difference = serializers.FloatField(allow_null=True)
    raw = serializers.FloatField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)
    kappa_linear = serializers.FloatField(allow_null=True)
    alpha = serializers.FloatField(allow_null=True, help_text="Krippendorff's, ordinal")


class RunUnderBothSerializer(serializers.Serializer):
    """A run by the judgments of people, of the program, and of people and then the program."""

    run = serializers.CharField()
    run_id = serializers.CharField()
    family = serializers.CharField()
    people = serializers.FloatField(allow_null=True)
    program = serializers.FloatField(allow_null=True)
    both = serializers.FloatField(allow_null=True)
    people_rank = serializers.IntegerField(allow_null=True)
    program_rank = serializers.IntegerField(allow_null=True)
    both_rank = serializers.IntegerField(allow_null=True)
    ranks_gained = serializers.IntegerField()
    shift = serializers.FloatField(allow_null=True)
    measure = serializers.CharField()


@extend_schema(
    summary="The agreement of a program with people",
    operation_id="program_agreement",
    parameters=[FORMAT],
    responses={
        (200, "application/json"): ProgramAgreementSerializer(many=True),
        (200, "text/csv"): OpenApiTypes.STR,
    }
    | READS,
)
@read_view
def agreement(request: Request, slug: str, program: int) -> Response | HttpResponse:
    """In all, by topic, and by the grade of people, and by kind of run once a worker has read the
    runs. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    found = get_object_or_404(viewer.campaign.programs, pk=program)
    respond = requested_format(request)
    _, boards = computed_boards(viewer, found, chosen_measure(viewer, None))
    by_kind = boards.by_kind if boards else ()
    return respond(program_agreement_table(program_agreement(viewer.campaign, found), by_kind))


@extend_schema(
    summary="The leaderboard by people and by a program",
    operation_id="program_leaderboards",
    parameters=[MEASURE, FORMAT],
    responses={
        202: OpenApiResponse(RefusalSerializer, description="Being computed. Try again later."),
        (200, "application/json"): RunUnderBothSerializer(many=True),
        (200, "text/csv"): OpenApiTypes.STR,
    }
    | READS,
)
@read_view
def leaderboards(request: Request, slug: str, program: int) -> Response | HttpResponse:
    """Computed by a worker after the first request. For organisers."""
    viewer = access.organiser_or_404(request.user, slug)
    found = get_object_or_404(viewer.campaign.programs, pk=program)
    respond = requested_format(request)
    measure = chosen_measure(viewer, request.query_params.get("measure"))
    analysis, boards = computed_boards(viewer, found, measure)
    table = program_boards_table(boards, measure) if boards else Table((), ())
    return respond(table, awaits=analysis)
