"""How certain the ranks are, how stable the order is, and how many topics would settle it."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.options import takes
from scoring.analyses.responses import analysed_page, context_of
from scoring.output.api import MEASURE, QRELS, choices
from scoring.output.plotting import NAMED_ROWS, row_chart_size
from scoring.output.public import public_page
from scoring.output.responses import page_or_404
from scoring.output.result_view import Answer, ResultView
from scoring.ranks.analysis import SAMPLES
from scoring.ranks.charts import needed_chart, ranks_chart, stability_chart, swaps_chart
from scoring.ranks.options import CORRECTIONS, DIFFERENCES, LEVELS, POWERS
from scoring.ranks.query import halves_query, ranks_query, topics_query
from scoring.ranks.tables import (
    NEEDED,
    NEEDED_PAGE,
    RANKS,
    STABILITY,
    STABILITY_PAGE,
    SWAPS,
    SWAPS_PAGE,
    needed_table,
    ranks_page_columns,
    ranks_table,
    stability_table,
    swaps_table,
)
from scoring.ranks.topics import why_no_t_test
from scoring.significance.options import tested_measures

ROWS = 250  # on a page
STABLE = 0.05  # swap rate up to which a difference is called stable


@takes("measure", "correction", "qrels", "page")
@require_safe
@public_page
def ranks_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = ranks_query(viewer, request.GET)
    has_ranges = any(row.interval.rank_best is not None for row in query.rows)
    has_possible = any(row.interval.possible_best is not None for row in query.rows)
    context = context_of(viewer, query) | {
        "measure": query.measure,
        "offered": tested_measures(viewer),
        "ranked": query.ranked,
        "rows": query.rows,
        "most_often": max(
            query.rows, key=lambda row: row.interval.first_share or 0.0, default=None
        ),
        "with_rank_1": sum(row.interval.rank_best == 1 for row in query.rows),
        "with_rank_1_in_set": sum(row.interval.rank_set_best == 1 for row in query.rows),
        "correction": query.correction,
        "corrections": CORRECTIONS,
        "has_ranges": has_ranges,
        "has_sets": not query.no_sets,
        "no_sets": query.no_sets,
        "caution": query.caution,
        "samples": SAMPLES,
        "has_possible": has_possible,
        # With more rows, the chart would have no names.
        "figure": ranks_chart(query.rows[:NAMED_ROWS]) if len(query.rows) > 1 else None,
        "figure_size": row_chart_size(min(len(query.rows), NAMED_ROWS)),
        "charted": NAMED_ROWS,
        "uncharted": max(len(query.rows) - NAMED_ROWS, 0),
        "page": page_or_404(request, Paginator(query.rows, ROWS)),
        "page_columns": ranks_page_columns(
            has_ranges=has_ranges, has_sets=not query.no_sets, has_possible=has_possible
        ),
    }
    return analysed_page(request, "scoring/ranks/ranks.html", context, query.analysis)


@takes("measure", "qrels")
@require_safe
@public_page
def stability_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = halves_query(viewer, request.GET)
    halves = query.halves
    has_rows = halves is not None and not halves.unknown
    context = context_of(viewer, query) | {
        "measure": query.measure,
        "offered": tested_measures(viewer),
        "ranked": query.ranked,
        "halves": halves,
        "figure": stability_chart(halves) if halves and has_rows else None,
        "swaps_figure": swaps_chart(halves) if halves and has_rows else None,
        "stability_columns": STABILITY_PAGE,
        "swap_columns": SWAPS_PAGE,
        "stable_from": halves.stable_from(STABLE) if halves else None,
    }
    return analysed_page(request, "scoring/ranks/stability.html", context, query.analysis)


@takes("difference", "level", "power", "qrels", "page")
@require_safe
@public_page
def topics_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = topics_query(viewer, request.GET)
    answered = [row for row in query.rows if row.needed.t_test is not None]
    difference = f"{query.required.difference:g}"
    context = context_of(viewer, query) | {
        "required": query.required,
        "difference": difference,
        # A typed difference is offered beside the usual ones.
        "differences": DIFFERENCES | {difference: difference},
        "level": str(query.required.level),
        "levels": LEVELS,
        "power": str(query.required.power),
        "powers": POWERS,
        "answered": answered,
        "has_anova": any(row.needed.anova for row in query.rows),
        "no_answer": "" if answered else why_no_t_test(query.rows, query.required),
        "figure": needed_chart(answered) if answered else None,
        "figure_size": row_chart_size(len(answered)),
        "page": page_or_404(request, Paginator(query.rows, ROWS)),
        "page_columns": NEEDED_PAGE,
    }
    return analysed_page(request, "scoring/ranks/topics.html", context, query.analysis)


def _ranks(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each ranked run, in the order of the leaderboard. rank_best to rank_worst: the
    ranks in the middle 95 % of 10,000 resampled topic sets. first_share: the share of these in
    which the run is first. rank_set_best to rank_set_worst: its simultaneous set of ranks with a
    familywise level of 95 %, by all pairwise comparisons; null if they are not defined.
    possible_best to possible_worst: the ranks that it can have, whatever the unjudged documents
    are. With one run, fewer than five topics, or differences that are the same on all topics, all
    but the possible ranks are null. caution: a sentence, the same in all rows, if max-t finds fewer
    than half of the significant pairs that Bonferroni’s correction finds; else empty."""
    query = ranks_query(viewer, params)
    table = ranks_table(query.rows, query.measure, query.correction, query.caution)
    return Answer(table, [query.qrels], query.analysis)


def _stability(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each number of topics in each half: Kendall’s τ-b over many splits. null with
    fewer than ten topics, and if any two runs differ by the same on all topics."""
    query = halves_query(viewer, params)
    table = stability_table(query.halves, query.measure)
    return Answer(table, [query.qrels], query.analysis)


def _swaps(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each number of topics and each step of differences: pairs of runs by the
    difference of their means on the first half, and how many of them the second half puts in the
    opposite order. The last step has no end. null with fewer than ten topics, and if any two runs
    differ by the same on all topics."""
    query = halves_query(viewer, params)
    return Answer(swaps_table(query.halves, query.measure), [query.qrels], query.analysis)


def _needed(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each measure, the one that needs the fewest topics first. t_test: the paired t
    test of two runs. anova: one-way ANOVA of the runs that are compared, of which the best and the
    worst differ by as much. low and high: the chi-square interval of the variance with a level of
    95 %, and the topics for its ends. null: more than 10,000 topics, or no variance that is known
    and above 0."""
    query = topics_query(viewer, params)
    return Answer(needed_table(query.rows), [query.qrels], query.analysis)


RANKS_OF_RUNS = ResultView(
    name="ranks",
    title="How certain the rank of each run is",
    answer=_ranks,
    row="RankInterval",
    row_description="A ranked run.",
    columns=RANKS,
    parameters=[
        MEASURE,
        OpenApiParameter(
            "correction",
            str,
            enum=list(CORRECTIONS),
            description="of rank sets: studentised bootstrap max |t|, or Holm’s, of paired t tests",
        ),
        QRELS,
    ],
    row_example={
        "rank": 1, "run": "uni-bm25", "team": "Uni", "base": 0.5817, "rank_best": 1,
        "rank_worst": 4, "first_share": 0.61, "rank_set_best": 1, "rank_set_worst": 9,
        "possible_best": 1, "possible_worst": 3, "run_id": "k5zq3wd7c2hxy4ma", "caution": "",
    },
    is_computed=True,
)  # fmt: skip
STABILITY_OF_HALVES = ResultView(
    name="stability",
    title="Agreement of leaderboards of disjoint halves of the topics",
    answer=_stability,
    row="Stability",
    row_description="So many topics in each half.",
    columns=STABILITY,
    parameters=[MEASURE, QRELS],
    row_example={"topics": 25, "tau": 0.86, "tau_lowest": 0.74, "tau_highest": 0.93},
    is_computed=True,
)
SWAPS_OF_HALVES = ResultView(
    name="swaps",
    title="How often two halves of the topics disagree on two runs",
    answer=_swaps,
    row="Swaps",
    row_description="Pairs of runs that differ by so much.",
    columns=SWAPS,
    parameters=[MEASURE, QRELS],
    row_example={
        "topics": 25, "difference_from": 0.02, "difference_to": 0.03, "swaps": 1698,
        "pairs": 45519, "swap_rate": 0.0373,
    },
    is_computed=True,
)  # fmt: skip
NEEDED_TOPICS = ResultView(
    name="needed-topics",
    title="How many topics a test needs to find a difference",
    answer=_needed,
    row="NeededTopics",
    row_description="A measure.",
    columns=NEEDED,
    parameters=[
        OpenApiParameter("difference", float, description="the smallest to be found (0.05)"),
        *choices({"level": LEVELS, "power": POWERS}),
        QRELS,
    ],
    row_example={
        "measure": "AP", "runs": 61, "pairs": 1830, "topics": 50, "compared": 61,
        "variance": 0.0472, "variance_low": 0.0329, "variance_high": 0.0733,
        "variance_of_differences": 0.0305, "variance_of_differences_low": 0.0213,
        "variance_of_differences_high": 0.0474, "t_test": 98, "t_test_low": 69,
        "t_test_high": 151, "anova": 1232, "anova_low": 860, "anova_high": 1912,
        "t_test_nagata": 98, "anova_nagata": 1230,
    },
    is_computed=True,
)  # fmt: skip
