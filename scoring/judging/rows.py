"""How far a plan has come, as rows for page and CSV: runs, topics, pace, and whether to stop."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from statistics import median
from typing import Any, Final

from campaigns.access import Viewer
from campaigns.judging.final_grades import Key
from campaigns.models import Plan
from campaigns.options import UnknownChoice, choice_or_404
from scoring.analyses.means import NotComputedYet
from scoring.core.judging.selection import RunBounds
from scoring.core.judging.stopping import PairCounts, best_first, count_pairs, smallest_p, top_group
from scoring.core.measures.arrays import Scores
from scoring.core.statistics.means import Interval
from scoring.core.statistics.projection import projections
from scoring.judging.judging_forecast import (
    ForecastRun,
    JudgingForecast,
    judging_forecast,
    runs_out,
    whole_of,
)
from scoring.judging.progress import JudgingProgress, progress_of
from scoring.models import Analysis

# By name in the address: how it is called on the page. The first of each is the default.
OFFERED: Final[dict[str, dict[str, str]]] = {
    "level": {"0.05": "5 %", "0.01": "1 %"},
    "group": {"third": "a third of the runs", "10": "ten runs", "5": "five runs",
              "3": "three runs", "1": "one run"},
}  # fmt: skip
STEPS: Final = (1, 5, 10, 50, 100, 500, 1000, 5000, 10_000)
LAST_ACTS: Final = 200  # judgments that the pace is read from
MOST_DIGITS: Final = 7
# Between two judgments: less is a script's or a file's, more is no work.
SHORTEST, LONGEST = timedelta(seconds=1), timedelta(minutes=10)


@dataclass(frozen=True)
class StopChoices:
    level: str
    group: str

    @property
    def alpha(self) -> float:
        return float(self.level)

    @property
    def level_words(self) -> str:
        return OFFERED["level"][self.level]

    def most(self, runs: int) -> int:
        """The largest top group that one may stop with."""
        return max(1, runs // 3) if self.group == "third" else int(self.group)


@dataclass(frozen=True)
class JudgedRun(Interval):
    """Mean RBP(p) of a run by the judgments made so far."""

    place: int  # by base
    run_id: str
    tag: str
    team: str
    projection: float
    p_value: float | None  # that the leader beats it even at its best, corrected; None: it leads
    is_in_top: bool
    then: ForecastRun | None = None  # after so many documents more, where that was asked


@dataclass(frozen=True)
class JudgedTopic:
    code: str
    laid_out: int
    judged: int

    @property
    def left(self) -> int:
        return self.laid_out - self.judged


@dataclass(frozen=True, eq=False)
class Stopping:
    choices: StopChoices
    leader: JudgedRun
    top_size: int
    runs: int
    most: int
    pairs: PairCounts
    top_third: int
    topics: int
    smallest_p: float

    @property
    def tests(self) -> int:
        return self.runs - 1

    @property
    def can_stop(self) -> bool:
        return self.tests > 0 and self.top_size <= self.most

    @property
    def beaten(self) -> int:
        return self.runs - self.top_size

    @property
    def others(self) -> int:
        """Of the top group, besides the leader."""
        return self.top_size - 1

    @property
    def has_too_few_topics(self) -> bool:
        return self.smallest_p > self.choices.alpha


@dataclass(frozen=True, eq=False)
class Judging:
    """One plan as it stands."""

    plan: Plan
    runs: tuple[JudgedRun, ...]
    topics: tuple[JudgedTopic, ...]
    wanted: int  # judgments that the tasks laid out ask for: more than documents where two judge
    seconds_each: float | None  # None: too few judgments to say
    stopping: Stopping | None  # None: no run is ranked
    outlook: JudgingForecast | None = None  # None: not asked for, or not computed yet
    more: int = 0  # documents to look ahead, as asked for
    awaited: Analysis | None = None  # computes the outlook

    @cached_property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics)

    @property
    def left(self) -> int:
        """Documents of the budget that are yet to be judged, as far as runs name them."""
        return max(0, whole_of(self.plan) - self.judged)

    @property
    def runs_out(self) -> bool:
        """The runs named fewer documents than the budget pays for."""
        return runs_out(self.plan)

    @property
    def ahead(self) -> int:
        """Documents that the page looks ahead."""
        if self.awaited is not None:
            return min(self.more, self.left)
        return self.outlook.documents if self.outlook else 0

    @property
    def part(self) -> float:
        return self.judged / max(1, self.judged + self.left)

    @property
    def mean_residual(self) -> float | None:
        return sum(run.residual for run in self.runs) / len(self.runs) if self.runs else None

    @property
    def step(self) -> int:
        """Of the slider that looks ahead: some hundred steps, each a round number."""
        return next(step for step in STEPS if self.left <= 120 * step or step == STEPS[-1])

    @property
    def furthest(self) -> int:
        """To where it goes: all that is left, rounded up to a step."""
        return -(-self.left // self.step) * self.step

    @property
    def per_hour(self) -> int | None:
        return None if self.seconds_each is None else round(3600 / self.seconds_each)

    @property
    def hours_left(self) -> float | None:
        """Of one assessor, a document that two judge twice."""
        if self.seconds_each is None:
            return None
        twice = self.wanted / max(1, self.plan.laid_out)
        return self.left * max(1.0, twice) * self.seconds_each / 3600

    @property
    def hours_words(self) -> str:
        hours = self.hours_left or 0.0
        if hours < 1:
            minutes = max(1, round(60 * hours))
            return f"{minutes} minute" + ("s" if minutes > 1 else "")
        return f"{hours:.1f} hours" if hours < 10 else f"{hours:,.0f} hours"


def chosen_stop(asked: Mapping[str, str]) -> StopChoices:
    """Raises UnknownChoice."""
    found = {
        name: choice_or_404(name, asked.get(name), offered, usual=next(iter(offered)))
        for name, offered in OFFERED.items()
    }
    return StopChoices(**found)


def chosen_outlook(asked: Mapping[str, str]) -> int:
    """How many documents ahead; 0: none. Raises UnknownChoice for what is no number."""
    more = asked.get("after") or "0"
    if not (more.isascii() and more.isdecimal() and len(more) <= MOST_DIGITS):
        why = "One looks a whole number of documents ahead, of at most seven digits."
        raise UnknownChoice("after", more, why=why)
    return int(more)


def judging(viewer: Viewer, plan: Plan, choices: StopChoices, more: int = 0) -> Judging:
    """At most seven queries, some eight more to look ahead."""
    progress = progress_of(plan)
    runs: tuple[JudgedRun, ...] = ()
    stopping = None
    if progress is not None:
        runs = _runs(progress, choices)
        stopping = _stopping(runs, progress.bounds, choices)
    tasks = plan.tasks.values_list("topic__position", "topic__code", "doc_id", "wanted")
    made = list(tasks)
    found = Judging(
        plan=plan,
        runs=runs,
        topics=_topics(made, progress),
        wanted=sum(task[3] for task in made),
        seconds_each=_seconds_each(plan),
        stopping=stopping,
    )
    is_ahead = more and found.left and runs and plan.state != Plan.State.ENDED
    return _ahead(viewer, found, more) if is_ahead else found


def _ahead(viewer: Viewer, found: Judging, more: int) -> Judging:
    ahead = judging_forecast(viewer, found.plan, more, found.left)
    if ahead is None:
        return found
    if isinstance(ahead, NotComputedYet):
        return replace(found, more=more, awaited=ahead.analysis)
    runs = tuple(replace(run, then=ahead.runs.get(run.run_id)) for run in found.runs)
    return replace(found, runs=runs, outlook=ahead)


def _runs(progress: JudgingProgress, choices: StopChoices) -> tuple[JudgedRun, ...]:
    bounds = progress.bounds
    projected = projections(Scores(bounds.base, bounds.residual))
    if projected is None:
        raise ValueError("bounds have residuals")
    group = top_group(bounds, alpha=choices.alpha)
    means = [each.mean(axis=1).tolist() for each in (bounds.base, bounds.residual, projected)]
    return tuple(
        JudgedRun(
            place=place,
            run_id=progress.run_ids[at],
            tag=progress.names[at][0],
            team=progress.names[at][1],
            base=means[0][at],
            residual=means[1][at],
            projection=means[2][at],
            p_value=None if place == 1 else float(group.p_values[at]),
            is_in_top=bool(group.is_in[at]),
        )
        for place, at in enumerate(group.order.tolist(), start=1)
    )


def _stopping(runs: tuple[JudgedRun, ...], bounds: RunBounds, choices: StopChoices) -> Stopping:
    third = max(1, len(runs) // 3)
    topics = bounds.base.shape[1]
    return Stopping(
        choices=choices,
        leader=runs[0],
        top_size=sum(run.is_in_top for run in runs),
        runs=len(runs),
        most=choices.most(len(runs)),
        pairs=count_pairs(bounds, best_first(bounds)[:third], alpha=choices.alpha),
        top_third=third,
        topics=topics,
        smallest_p=smallest_p(topics, len(runs) - 1),
    )


def _topics(
    tasks: list[tuple[int, str, str, int]], progress: JudgingProgress | None
) -> tuple[JudgedTopic, ...]:
    """Every topic of the campaign, also one that the plan asks nothing of."""
    grades: Mapping[Key, int] = progress.grades if progress else {}
    codes = dict(enumerate(progress.topics if progress else ()))
    counts: dict[int, list[int]] = {position: [0, 0] for position in codes}
    for position, code, doc_id, _ in tasks:
        laid_out = counts.setdefault(position, [0, 0])
        laid_out[0] += 1
        laid_out[1] += (position, code, doc_id) in grades
        codes[position] = code
    return tuple(JudgedTopic(codes[at], *counts[at]) for at in sorted(counts))


def _seconds_each(plan: Plan) -> float | None:
    """The median time between two judgments of one assessor, of the last ones; longer pauses are
    left out. None where there are fewer than five. One query."""
    acts = plan.campaign.judgments.filter(task__plan=plan, grade__isnull=False).order_by("-pk")
    last: dict[int, Any] = {}
    gaps = []
    for assessor, at in acts.values_list("assessor", "at")[:LAST_ACTS]:
        if assessor in last and SHORTEST <= last[assessor] - at <= LONGEST:
            gaps.append((last[assessor] - at).total_seconds())
        last[assessor] = at
    return median(gaps) if len(gaps) >= 5 else None
