"""The URLs of campaigns, people, runs and judging."""

from campaigns.judging import urls as judging
from campaigns.manage import urls as manage
from campaigns.people import urls as people
from campaigns.qrels import urls as qrels
from campaigns.runs import urls as runs

app_name = "campaigns"
urlpatterns = [
    *manage.urlpatterns,
    *people.urlpatterns,
    *runs.urlpatterns,
    *qrels.urlpatterns,
    *judging.urlpatterns,
]
