"""The URLs of scores: leaderboards, analyses, downloads, measures."""

from scoring.agreement import urls as agreement
from scoring.assessors import urls as assessors
from scoring.comparison import urls as comparison
from scoring.downloads import urls as downloads
from scoring.estimates import urls as estimates
from scoring.jobs import urls as health
from scoring.judging import urls as judging
from scoring.leaderboard import urls as leaderboard
from scoring.measures import urls as measures
from scoring.pools import urls as pools
from scoring.qrels import urls as qrels
from scoring.queue import urls as queue
from scoring.ranks import urls as ranks
from scoring.report import urls as report
from scoring.runs import urls as runs
from scoring.significance import urls as significance
from scoring.topics import urls as topics

app_name = "scoring"
urlpatterns = [
    *leaderboard.urlpatterns,
    *runs.urlpatterns,
    *topics.urlpatterns,
    *agreement.urlpatterns,
    *significance.urlpatterns,
    *ranks.urlpatterns,
    *estimates.urlpatterns,
    *comparison.urlpatterns,
    *pools.urlpatterns,
    *assessors.urlpatterns,
    *report.urlpatterns,
    *measures.urlpatterns,
    *qrels.urlpatterns,
    *queue.urlpatterns,
    *downloads.urlpatterns,
    *health.urlpatterns,
    *judging.urlpatterns,
]
