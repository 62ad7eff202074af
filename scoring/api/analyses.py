"""Analyses of a board for scripts: exactly the rows of the pages and of their CSVs."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import access
from campaigns.api.acts import reading
from campaigns.api.answers import READS, RefusalSerializer
from campaigns.choices import UnknownChoice
from scoring.agreement_choices import chosen_map
from scoring.agreement_rows import agreement_table
from scoring.agreement_tables import statistics_table
from scoring.api.boards import MEASURE, QRELS, being_computed
from scoring.board_choices import chosen_measure, versions_offered
from scoring.pool_choices import OFFERED as DEPTHS
from scoring.pool_tables import runs_table
from scoring.score_tables import topics_table
from scoring.significance_choices import OFFERED as TESTS
from scoring.significance_tables import separation_table
from scoring.tables import Table
from scoring.topic_rows import topic_rows
from scoring.views.pools import depths_asked, study_of
from scoring.views.significance import separation_asked

FORMAT = OpenApiParameter("format", str, enum=["json", "csv"])


class ComputingSerializer(RefusalSerializer):
    state = serializers.ChoiceField(choices=["waiting", "computing"])


class TopicMeansSerializer(serializers.Serializer):
    """How the ranked runs do on one topic; null where it is not shown, or no run has a score."""

    topic = serializers.CharField()
    title = serializers.CharField()
    measure = serializers.CharField()
    runs = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    lowest = serializers.FloatField(allow_null=True)
    lower_quartile = serializers.FloatField(allow_null=True)
    upper_quartile = serializers.FloatField(allow_null=True)
    highest = serializers.FloatField(allow_null=True)
    relevant = serializers.IntegerField(allow_null=True)
    judged = serializers.IntegerField(allow_null=True)
    qrels = serializers.IntegerField(allow_null=True)


class AgreementSerializer(serializers.Serializer):
    """Two measures over the runs of the board; null where a statistic is not defined."""

    measure_a = serializers.CharField(help_text="the reference of tau_ap")
    measure_b = serializers.CharField()
    tau = serializers.FloatField(allow_null=True)
    tau_b = serializers.FloatField(allow_null=True)
    tau_ap = serializers.FloatField(allow_null=True)
    rbo = serializers.FloatField(allow_null=True)


class PairSerializer(serializers.Serializer):
    """Two runs: `a` is the candidate, or stands higher on the board; numbers are a - b."""

    a = serializers.CharField()
    b = serializers.CharField()
    difference = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    p_corrected = serializers.FloatField(allow_null=True)
    method = serializers.CharField()
    effect = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField()
    told_apart = serializers.IntegerField(help_text="1 at the level that was asked for, else 0")
    a_rank = serializers.IntegerField()
    b_rank = serializers.IntegerField()
    a_team = serializers.CharField()
    b_team = serializers.CharField()
    a_run_id = serializers.CharField()
    b_run_id = serializers.CharField()


class PooledSerializer(serializers.Serializer):
    """A run under the judgments of a shallower pool, and (`_all`) under all of them."""

    run_id = serializers.CharField()
    run = serializers.CharField()
    team = serializers.CharField()
    measure = serializers.CharField()
    depth = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True)
    base = serializers.FloatField(allow_null=True)
    residual = serializers.FloatField(allow_null=True)
    rank_all = serializers.IntegerField(allow_null=True)
    base_all = serializers.FloatField(allow_null=True)
    residual_all = serializers.FloatField(allow_null=True)
    change = serializers.FloatField(allow_null=True)
    qrels = serializers.IntegerField()


def _answers(rows: type[serializers.Serializer], *, is_computed: bool = False) -> dict[Any, Any]:
    computing = OpenApiResponse(ComputingSerializer, description="Being computed; ask again.")
    return (
        {(200, "application/json"): rows(many=True), (200, "text/csv"): OpenApiTypes.STR}
        | ({202: computing} if is_computed else {})
        | READS
    )


def _example(name: str, **row: object) -> OpenApiExample:
    return OpenApiExample(name, value=row, response_only=True, status_codes=["200"])


@extend_schema(
    summary="How hard the topics are",
    operation_id="topic_means",
    tags=["analyses"],
    parameters=[MEASURE, FORMAT],
    responses=_answers(TopicMeansSerializer),
    examples=[
        _example(
            "a hard one", topic="308", title="implant dentistry", measure="AP", runs=129, mean=0.21,
            lowest=0.0, lower_quartile=0.08, upper_quartile=0.31, highest=0.77, relevant=4,
            judged=1528, qrels=2,
        ),
    ],
)  # fmt: skip
@reading
def topic_means(request: Request, slug: str) -> Response | HttpResponse:
    """One row a topic, once the topics are released; scores and counts where they are shown."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_topics:
        raise Http404
    dressed = _dress(request)
    measure = chosen_measure(viewer, request.query_params.get("measure"))
    return dressed(topics_table(viewer, topic_rows(viewer, measure), measure))


@extend_schema(
    summary="How the measures agree on the order of the runs",
    operation_id="agreement",
    tags=["analyses"],
    parameters=[
        OpenApiParameter("m", str, many=True, description="measures; the campaign's, if none"),
        OpenApiParameter("p", str, description="of the overlap rbo: 0.9 if it is not said"),
        QRELS,
        FORMAT,
    ],
    responses=_answers(AgreementSerializer),
    examples=[
        _example(
            "two measures", measure_a="AP", measure_b="nDCG@10", tau=0.82, tau_b=0.82, tau_ap=0.76,
            rbo=0.91,
        ),
    ],
)  # fmt: skip
@reading
def agreement(request: Request, slug: str) -> Response | HttpResponse:
    """One row a pair of measures, with every statistic of the page."""
    viewer = access.board_or_404(request.user, slug)
    dressed = _dress(request)
    choice = chosen_map(viewer, request.query_params, versions_offered(viewer))
    return dressed(statistics_table(agreement_table(viewer, choice)))


@extend_schema(
    summary="Which runs can be told apart",
    description=(
        "Against top or projected the question is whether the run that scores higher, a, wins. With"
        " two tails told_apart is 1 also where a falls behind (difference < 0); tail=one leaves"
        " these out."
    ),
    operation_id="significance",
    tags=["analyses"],
    parameters=[
        MEASURE,
        QRELS,
        *(OpenApiParameter(name, str, enum=list(offered)) for name, offered in TESTS.items()),
        FORMAT,
    ],
    responses=_answers(PairSerializer, is_computed=True),
    examples=[
        _example(
            "the first two runs", a="uni-bm25", b="lab-dense", difference=0.012, p=0.031,
            p_corrected=0.062, method="t", effect=0.31, topics=50, told_apart=0, a_rank=1,
            b_rank=2, a_team="Uni", b_team="Lab", a_run_id="k5zq3wd7c2hxy4ma",
            b_run_id="x2y7d5hc3aqz4wkm",
        ),
    ],
)  # fmt: skip
@reading
def significance(request: Request, slug: str) -> Response | HttpResponse:
    """One row a pair of runs, in the order of the board. Until a worker has tested them all it is
    answered with 202, and `Retry-After` says when to ask again."""
    viewer = access.board_or_404(request.user, slug)
    dressed = _dress(request)
    asked = separation_asked(viewer, request.query_params)
    if fault := asked.choices.fault:
        raise UnknownChoice("correction", asked.choices.correction, why=fault)
    if asked.analysis is not None and asked.found is None:
        return being_computed(asked.analysis)
    return dressed(separation_table(asked.found))


@extend_schema(
    summary="The board under a shallower pool",
    operation_id="pool",
    tags=["analyses"],
    parameters=[MEASURE, QRELS, OpenApiParameter("depth", str, enum=list(DEPTHS)), FORMAT],
    responses=_answers(PooledSerializer, is_computed=True),
    examples=[
        _example(
            "the first run", run_id="k5zq3wd7c2hxy4ma", run="uni-bm25", team="Uni",
            measure="RBP(p=0.8)", depth="10", rank=2, base=0.531, residual=0.12, rank_all=1,
            base_all=0.5817, residual_all=0.0421, change=-0.0507, qrels=2,
        ),
    ],
)  # fmt: skip
@reading
def pool(request: Request, slug: str) -> Response | HttpResponse:
    """One row a run: as if only the first `depth` documents of the pooled runs had been judged (as
    deep as the pool, if no depth is named), and under all judgments. Until a worker has computed
    it, it is answered with 202."""
    viewer = access.board_or_404(request.user, slug)
    dressed = _dress(request)
    asked = depths_asked(viewer, request.query_params)
    if asked.analysis is not None and not asked.is_done:
        return being_computed(asked.analysis)
    return dressed(runs_table(study_of(viewer, asked), asked.qrels))


def _dress(request: Request) -> Callable[[Table], Response | HttpResponse]:
    """How the rows are to be answered; asked first, so that a strange format computes nothing."""
    match request.query_params.get("format", "json"):
        case "json":
            return lambda table: Response(table.as_records())
        case "csv":
            return lambda table: HttpResponse(
                table.as_csv(), content_type="text/csv; charset=utf-8"
            )
        case other:
            raise UnknownChoice("format", other, ["json", "csv"])
