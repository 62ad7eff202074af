"""The addresses of what runs were worth: boards, analyses, downloads, measures."""

from scoring.agreement import urls as agreement
from scoring.assessors import urls as judging_quality
from scoring.comparison import urls as comparison
from scoring.downloads import urls as downloads
from scoring.jobs import urls as condition
from scoring.judging import urls as judging_plans
from scoring.leaderboard import urls as boards
from scoring.measures import urls as measures
from scoring.pools import urls as pools
from scoring.qrels import urls as qrels
from scoring.report import urls as report
from scoring.runs import urls as runs
from scoring.significance import urls as significance
from scoring.topics import urls as topics

app_name = "scoring"
urlpatterns = [
    *boards.urlpatterns,
    *runs.urlpatterns,
    *topics.urlpatterns,
    *agreement.urlpatterns,
    *significance.urlpatterns,
    *comparison.urlpatterns,
    *pools.urlpatterns,
    *judging_quality.urlpatterns,
    *report.urlpatterns,
    *measures.urlpatterns,
    *qrels.urlpatterns,
    *downloads.urlpatterns,
    *condition.urlpatterns,
    *judging_plans.urlpatterns,
]
