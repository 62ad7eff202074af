"""The addresses of campaigns, people, runs and judging."""

from campaigns.routes import assessing, assignments, judging_quality, lifecycle, people, runs

app_name = "campaigns"
urlpatterns = [
    *lifecycle.urlpatterns,
    *people.urlpatterns,
    *runs.urlpatterns,
    *assignments.urlpatterns,
    *judging_quality.urlpatterns,
    *assessing.urlpatterns,
]
