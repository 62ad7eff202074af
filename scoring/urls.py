from scoring.routes import (
    agreement,
    boards,
    comparison,
    downloads,
    judging_plans,
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
    *report.urlpatterns,
    *measures.urlpatterns,
    *qrels.urlpatterns,
    *downloads.urlpatterns,
    *judging_plans.urlpatterns,
]
