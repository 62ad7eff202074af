from scoring.routes import (
    agreement,
    boards,
    comparison,
    downloads,
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
]
