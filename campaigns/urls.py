from campaigns.routes import assessing, assignments, lifecycle, people, runs

app_name = "campaigns"
urlpatterns = [
    *lifecycle.urlpatterns,
    *people.urlpatterns,
    *runs.urlpatterns,
    *assignments.urlpatterns,
    *assessing.urlpatterns,
]
