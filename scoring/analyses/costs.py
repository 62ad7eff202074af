"""How long an analysis will occupy a worker, estimated before one begins it.

The factors fit processor times of two campaigns, measured in November 2026: 5 runs of 6,980 topics
and 1,000 documents, and 2,000 runs of 300 teams, 50 topics and 100 documents. `make load
ARGS=analyses` prints estimates and times. An estimate that is wrong by a factor of three still
keeps quick analyses from waiting for long ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

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


def _significance(size: Size, question: Mapping[str, Any]) -> float:
    is_sampled = question["test"] == "randomisation" or question["has_tukey"]
    return 8e-6 * size.pairs + is_sampled * (4e-5 * size.pairs + 2e-4 * size.scores)


def _counts(size: Size, question: Mapping[str, Any]) -> float:
    return len(question["measures"]) * (6e-5 * size.pairs + 8e-5 * size.scores)


def _pool_depths(size: Size, question: Mapping[str, Any]) -> float:
    by_measure = 3e-8 * size.documents + 1.1e-3 * size.runs
    return size.reading + len(question["measures"]) * by_measure


def _run_bounds(size: Size, question: Mapping[str, Any]) -> float:
    evaluations = len(question["runs"]) * 200 * (1 + len(question["persistences"]))
    return size.reading + 5e-6 * evaluations * size.topics


def _means(size: Size, question: Mapping[str, Any]) -> float:
    share = 1.0 if question["run_ids"] is None else len(question["run_ids"]) / max(size.runs, 1)
    return 1e-8 * len(question["measures"]) * size.documents * share


# Seconds of one core, by kind of analysis.
SECONDS: Final[Mapping[str, Callable[[Size, Mapping[str, Any]], float]]] = {
    "significance": _significance,
    "separated_counts": _counts,
    "pool_depths": _pool_depths,
    "left_out": lambda size, _: size.reading + 2e-6 * size.runs * size.teams * size.topics,
    "tied_scores": lambda size, _: 4 * size.reading,
    "run_bounds": _run_bounds,
    "judging_plan": lambda size, question: 5e-6 * size.candidates + 1e-3 * question["budget"],
    "judging_replay": lambda size, question: 1.2e-5 * size.candidates + 2.5e-3 * question["budget"],
    "judging_outlook": lambda size, _: 2e-6 * size.candidates,
    "pool_size": lambda size, _: size.reading,
    "assessor_boards": lambda size, _: size.reading,
    "program_boards": lambda size, _: size.reading,
    "baseline": lambda size, _: 1e-4 * size.runs * size.topics,
    "unique_finds": lambda size, _: size.reading,
    "difference": lambda size, _: 4e-4 * size.topics,
    "means": _means,
    "rank_intervals": lambda size, _: 1e-4 * size.scores,
    "split_halves": lambda size, _: 1.5e-5 * size.pairs + 1.3e-4 * size.scores,
    "variances": lambda size, question: 4e-6 * len(question["measures"]) * size.scores,
    "sample_estimates": lambda size, _: 1e-6 * size.documents,
}


def estimated_seconds(campaign: Campaign, kind: str, question: Mapping[str, Any]) -> float:
    """Of an analysis of this kind. Two queries."""
    ranked = campaign.runs.ranked().filter(ranking__isnull=False)
    totals = ranked.aggregate(
        runs=Count("pk"),
        teams=Count("team", distinct=True),
        documents=Sum("ranking__document_count", default=0),
    )
    return SECONDS[kind](Size(topics=campaign.topics.count(), **totals), question)


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
