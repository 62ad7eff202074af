"""How certain ranks are, for scripts: the rows of the pages and of their CSV."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.access import Viewer
from campaigns.api.endpoints import read_view
from scoring.output.api import (
    FORMAT,
    MEASURE,
    QRELS,
    example,
    requested_format,
    row_serializer,
    table_responses,
)
from scoring.output.public import api_board_viewer, public_table
from scoring.ranks.options import CORRECTIONS, LEVELS, POWERS
from scoring.ranks.query import halves_query, ranks_query, topics_query
from scoring.ranks.tables import (
    NEEDED,
    RANKS,
    STABILITY,
    SWAPS,
    needed_table,
    ranks_table,
    stability_table,
    swaps_table,
)

LATER = "Until a worker has computed the result, the status is 202, with a `Retry-After` header."


@extend_schema(
    summary="How certain the rank of each run is",
    description=(
        "rank_best to rank_worst: the ranks in the middle 95 % of 10,000 resampled topic sets."
        " first_share: the share of these in which the run is first. rank_set_best to"
        " rank_set_worst: its simultaneous set of ranks with a familywise level of 95 %, by all"
        " pairwise comparisons; null if they are not defined. possible_best to possible_worst: the"
        f" ranks that it can have, whatever the unjudged documents are. {LATER}"
    ),
    operation_id="ranks",
    tags=["analyses"],
    parameters=[
        MEASURE,
        OpenApiParameter(
            "correction",
            str,
            enum=list(CORRECTIONS),
            description="of rank sets: studentised bootstrap max |t|, or Holm’s, of paired t tests",
        ),
        QRELS,
        FORMAT,
    ],
    responses=table_responses(
        row_serializer("RankInterval", "A ranked run.", RANKS), is_computed=True
    ),
    examples=[
        example(
            "the first run", rank=1, run="uni-bm25", team="Uni", base=0.5817, rank_best=1,
            rank_worst=4, first_share=0.61, rank_set_best=1, rank_set_worst=9, possible_best=1,
            possible_worst=3, run_id="k5zq3wd7c2hxy4ma",
        ),
    ],
)  # fmt: skip
@read_view
@public_table(api_board_viewer)
def ranks(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each ranked run, in the order of the leaderboard."""
    respond = requested_format(request)
    query = ranks_query(viewer, request.query_params)
    return respond(
        ranks_table(query.rows, query.measure, query.correction),
        awaits=query.analysis,
        qrels=[query.qrels],
    )


@extend_schema(
    summary="Agreement of leaderboards of disjoint halves of the topics",
    description=f"Kendall’s τ-b over many splits, by the number of topics in each half. {LATER}",
    operation_id="stability",
    tags=["analyses"],
    parameters=[MEASURE, QRELS, FORMAT],
    responses=table_responses(
        row_serializer("Stability", "So many topics in each half.", STABILITY), is_computed=True
    ),
    examples=[
        example("half of the topics", topics=25, tau=0.86, tau_lowest=0.74, tau_highest=0.93)
    ],
)
@read_view
@public_table(api_board_viewer)
def stability(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each number of topics."""
    respond = requested_format(request)
    query = halves_query(viewer, request.query_params)
    rows = query.halves.rows if query.halves else ()
    return respond(stability_table(rows, query.measure), awaits=query.analysis, qrels=[query.qrels])


@extend_schema(
    summary="How often two halves of the topics disagree on two runs",
    description=(
        "Pairs of runs by the difference of their means on the first half, and how many of them the"
        f" second half puts in the opposite order. The last step has no end. {LATER}"
    ),
    operation_id="swaps",
    tags=["analyses"],
    parameters=[MEASURE, QRELS, FORMAT],
    responses=table_responses(
        row_serializer("Swaps", "Pairs of runs that differ by so much.", SWAPS), is_computed=True
    ),
    examples=[
        example(
            "a step", topics=25, difference_from=0.02, difference_to=0.03, swaps=1698,
            pairs=45519, swap_rate=0.0373,
        ),
    ],
)  # fmt: skip
@read_view
@public_table(api_board_viewer)
def swaps(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each number of topics and each step of differences."""
    respond = requested_format(request)
    query = halves_query(viewer, request.query_params)
    rows = query.halves.swaps if query.halves else ()
    return respond(swaps_table(rows, query.measure), awaits=query.analysis, qrels=[query.qrels])


@extend_schema(
    summary="How many topics a test needs to find a difference",
    description=(
        "t_test: the paired t test of two runs. anova: one-way ANOVA of all ranked runs, of which"
        f" the best and the worst differ by as much. null: more than 10,000 topics. {LATER}"
    ),
    operation_id="needed_topics",
    tags=["analyses"],
    parameters=[
        OpenApiParameter("difference", float, description="the smallest to be found (0.05)"),
        OpenApiParameter("level", str, enum=list(LEVELS)),
        OpenApiParameter("power", str, enum=list(POWERS)),
        QRELS,
        FORMAT,
    ],
    responses=table_responses(
        row_serializer("NeededTopics", "A measure.", NEEDED), is_computed=True
    ),
    examples=[
        example(
            "a measure", measure="AP", runs=61, topics=50, variance=0.0472,
            variance_of_differences=0.0305, t_test=98, anova=1233, t_test_nagata=98,
            anova_nagata=1231,
        ),
    ],
)  # fmt: skip
@read_view
@public_table(api_board_viewer)
def needed_topics(request: Request, viewer: Viewer) -> Response | HttpResponse:
    """One row for each measure, the one that needs the fewest topics first."""
    respond = requested_format(request)
    query = topics_query(viewer, request.query_params)
    return respond(needed_table(query.rows), awaits=query.analysis, qrels=[query.qrels])
