"""The addresses of what runs were worth: boards, analyses, downloads, measures."""

from scoring.routes import (
    agreement,
    boards,
    comparison,
    condition,
    downloads,
    judging_plans,
    judging_quality,
    measures,
    pools,
    qrels,
    report,
    significance,
)

app_name = "scoring"
urlpatterns = [
    *boards.urlpatterns,
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
