"""How long an analysis will occupy a worker, estimated before one begins it.

Each study estimates its own. Their factors fit processor times of two campaigns, measured in
November 2026: 5 runs of 6,980 topics and 1,000 documents, and 2,000 runs of 300 teams, 50 topics
and 100 documents. `make load ARGS=analyses` prints estimates and times. An estimate that is wrong
by a factor of three still keeps quick analyses from waiting for long ones.
"""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db.models import Count, Sum

from campaigns.models import Campaign

QUICK_SECONDS: Final = 10  # an analysis that takes longer is a long one
TESTED_RUNS: Final = 1_000  # at most: the best of a leaderboard


@dataclass(frozen=True)
class Size:
    """Of the ranked runs of a campaign."""

    runs: int
    teams: int
    topics: int
    documents: int  # of all runs and topics

    @property
    def reading(self) -> float:
        """Seconds to load all rankings and to find their judgments."""
        return 1.2e-7 * self.documents + 1e-3 * self.runs

    @property
    def candidates(self) -> int:
        """Ranked documents that may be judged: with p = 0.95, no deeper ones are offered."""
        return min(self.documents, 400 * self.runs * self.topics)

    @property
    def pairs(self) -> float:
        return min(self.runs, TESTED_RUNS) ** 2 / 2

    @property
    def scores(self) -> int:
        """One for each tested run and topic."""
        return min(self.runs, TESTED_RUNS) * self.topics


def size_of(campaign: Campaign) -> Size:
    """Two queries."""
    ranked = campaign.runs.ranked().filter(ranking__isnull=False)
    totals = ranked.aggregate(
        runs=Count("pk"),
        teams=Count("team", distinct=True),
        documents=Sum("ranking__document_count", default=0),
    )
    return Size(topics=campaign.topics.count(), **totals)


def too_long(seconds: float) -> str:
    """Why no worker begins an analysis that will take so long; empty if it may."""
    limit = settings.CELERY_TASK_SOFT_TIME_LIMIT
    if seconds <= limit:
        return ""
    return (
        f"That would take a worker about {seconds / 60:,.0f} minutes, longer than the limit of "
        f"{limit / 60:.0f} minutes. Choose fewer measures or a smaller budget if the page offers "
        "this."
    )
