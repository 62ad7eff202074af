"""The addresses of campaigns, people, runs and judging."""

from campaigns.judging import urls as judging
from campaigns.manage import urls as lifecycle
from campaigns.people import urls as people
from campaigns.qrels import urls as assignments
from campaigns.runs import urls as runs

app_name = "campaigns"
urlpatterns = [
    *lifecycle.urlpatterns,
    *people.urlpatterns,
    *runs.urlpatterns,
    *assignments.urlpatterns,
    *judging.urlpatterns,
]
