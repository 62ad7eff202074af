"""What a process keeps in memory of the rows of a database, for a test to begin without it: the
rows of a test that was rolled back are gone, and others get their keys."""

from django.core.cache import caches

from campaigns.judging import final_grades
from scoring.analyses import requests
from scoring.assessors import agreement, grades
from scoring.comparison import page as comparison_page
from scoring.evaluation import means, storage
from scoring.judging import candidates, forecast_analysis, progress, samples
from scoring.leaderboard import page as leaderboard_page
from scoring.leaderboard import query as leaderboard_query
from scoring.output import public
from scoring.runs import topics

COLLECTIONS = (
    candidates.COLLECTED,
    comparison_page.RENDERED_COMPARISONS,
    leaderboard_page.RENDERED_BOARDS,
    leaderboard_query.BOARDS,
    means.GRADES,
    progress._cache,
    public.PACKED_RESPONSES,
    requests.UNPACKED,
    samples.DOCUMENTS,
    topics.FIELDS,
)
FUNCTIONS = (
    agreement._agreement,
    final_grades.final_grades_at,
    grades._grades,
    forecast_analysis._cached_forecast,
    storage._people_table,
    storage._table,
)


def empty_caches() -> None:
    for collection in COLLECTIONS:
        collection.clear()
    for function in FUNCTIONS:
        function.cache_clear()
    caches["throttles"].clear()
