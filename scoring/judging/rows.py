"""The progress of a plan as rows for page and CSV: runs, topics, pace, and whether to stop."""

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
from scoring.judging.forecast_analysis import (
    ForecastRun,
    JudgingForecast,
    judging_forecast,
    runs_out,
    total_documents,
)
from scoring.judging.progress import JudgingProgress, progress_of
from scoring.models import Analysis

# Values in the URL and their labels on the page. The first of each is the default.
OFFERED: Final[dict[str, dict[str, str]]] = {
    "level": {"0.05": "5 %", "0.01": "1 %"},
    "group": {"third": "a third of the runs", "10": "ten runs", "5": "five runs",
              "3": "three runs", "1": "one run"},
}  # fmt: skip
STEPS: Final = (1, 5, 10, 50, 100, 500, 1000, 5000, 10_000)
LAST_JUDGMENTS: Final = 200  # from which the pace is estimated
MOST_DIGITS: Final = 7
# Between two judgments: shorter times come from scripts or files, longer ones are breaks.
SHORTEST, LONGEST = timedelta(seconds=1), timedelta(minutes=10)


@dataclass(frozen=True)
class StopChoices:
    level: str
    group: str

    @property
    def alpha(self) -> float:
        return float(self.level)

    @property
    def level_label(self) -> str:
        return OFFERED["level"][self.level]

    def most(self, runs: int) -> int:
        """The largest top group with which judging can stop."""
        return max(1, runs // 3) if self.group == "third" else int(self.group)


@dataclass(frozen=True)
class JudgedRun(Interval):
    """Mean RBP(p) of a run by the judgments made so far."""

    rank: int  # by base
    run_id: str
    name: str
    team: str
    projection: float
    p_value: float | None  # leader's base against this upper bound, corrected; None: it leads
    is_in_top: bool
    forecast: ForecastRun | None = None  # after this many more documents, if requested


@dataclass(frozen=True)
class JudgedTopic:
    code: str
    created: int  # tasks
    judged: int

    @property
    def left(self) -> int:
        return self.created - self.judged


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
    """The current state of one plan."""

    plan: Plan
    runs: tuple[JudgedRun, ...]
    topics: tuple[JudgedTopic, ...]
    wanted: int  # judgments that the tasks need: more than documents if some are judged twice
    seconds_each: float | None  # None: too few judgments for an estimate
    stopping: Stopping | None  # None: no run is ranked
    forecast: JudgingForecast | None = None  # None: not requested, or not computed yet
    more: int = 0  # documents to look ahead, as requested
    pending: Analysis | None = None  # computes the forecast

    @cached_property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics)

    @property
    def left(self) -> int:
        """Documents still to judge: of the budget, or fewer if the runs run out of candidates."""
        return max(0, total_documents(self.plan) - self.judged)

    @property
    def runs_out(self) -> bool:
        return runs_out(self.plan)

    @property
    def ahead(self) -> int:
        """Documents that the page looks ahead."""
        if self.pending is not None:
            return min(self.more, self.left)
        return self.forecast.documents if self.forecast else 0

    @property
    def part(self) -> float:
        return self.judged / max(1, self.judged + self.left)

    @property
    def mean_residual(self) -> float | None:
        return sum(run.residual for run in self.runs) / len(self.runs) if self.runs else None

    @property
    def step(self) -> int:
        """The step of the slider: a round number, with some hundred steps in all."""
        return next(step for step in STEPS if self.left <= 120 * step or step == STEPS[-1])

    @property
    def furthest(self) -> int:
        """The end of the slider: all documents left, rounded up to a step."""
        return -(-self.left // self.step) * self.step

    @property
    def per_hour(self) -> int | None:
        return None if self.seconds_each is None else round(3600 / self.seconds_each)

    @property
    def hours_left(self) -> float | None:
        """Hours of one assessor; documents judged twice count twice."""
        if self.seconds_each is None:
            return None
        twice = self.wanted / max(1, self.plan.laid_out)
        return self.left * max(1.0, twice) * self.seconds_each / 3600

    @property
    def hours_text(self) -> str:
        hours = self.hours_left or 0.0
        if hours < 1:
            minutes = max(1, round(60 * hours))
            return f"{minutes} minute" + ("s" if minutes > 1 else "")
        return f"{hours:.1f} hours" if hours < 10 else f"{hours:,.0f} hours"


def chosen_stop(params: Mapping[str, str]) -> StopChoices:
    """Raises UnknownChoice."""
    choices = {
        name: choice_or_404(name, params.get(name), offered, usual=next(iter(offered)))
        for name, offered in OFFERED.items()
    }
    return StopChoices(**choices)


def chosen_lookahead(params: Mapping[str, str]) -> int:
    """How many documents to look ahead; 0: none. Raises UnknownChoice if it is not a number."""
    more = params.get("after") or "0"
    if not (more.isascii() and more.isdecimal() and len(more) <= MOST_DIGITS):
        why = "Choose a whole number of documents, with at most seven digits."
        raise UnknownChoice("after", more, why=why)
    return int(more)


def judging(viewer: Viewer, plan: Plan, choices: StopChoices, more: int = 0) -> Judging:
    """At most seven queries, and some eight more to look ahead."""
    progress = progress_of(plan)
    runs: tuple[JudgedRun, ...] = ()
    stopping = None
    if progress is not None:
        runs = _runs(progress, choices)
        stopping = _stopping(runs, progress.bounds, choices)
    tasks = list(plan.tasks.values_list("topic__position", "topic__code", "doc_id", "wanted"))
    state = Judging(
        plan=plan,
        runs=runs,
        topics=_topics(tasks, progress),
        # A sampled document that was judged before wants no judgment, but is one of those judged.
        wanted=sum(max(1, task[3]) for task in tasks),
        seconds_each=_seconds_each(plan),
        stopping=stopping,
    )
    if not (more and state.left and runs and plan.state != Plan.State.ENDED):
        return state
    forecast = judging_forecast(viewer, plan, more, state.left)
    if forecast is None:
        return state
    if isinstance(forecast, NotComputedYet):
        return replace(state, more=more, pending=forecast.analysis)
    runs = tuple(replace(run, forecast=forecast.runs.get(run.run_id)) for run in runs)
    return replace(state, runs=runs, forecast=forecast)


def _runs(progress: JudgingProgress, choices: StopChoices) -> tuple[JudgedRun, ...]:
    bounds = progress.bounds
    projected = projections(Scores(bounds.base, bounds.residual))
    if projected is None:
        raise ValueError("bounds have residuals")
    group = top_group(bounds, alpha=choices.alpha)
    means = [each.mean(axis=1).tolist() for each in (bounds.base, bounds.residual, projected)]
    return tuple(
        JudgedRun(
            rank=rank,
            run_id=progress.run_ids[at],
            name=progress.names[at][0],
            team=progress.names[at][1],
            base=means[0][at],
            residual=means[1][at],
            projection=means[2][at],
            p_value=None if rank == 1 else float(group.p_values[at]),
            is_in_top=bool(group.is_in[at]),
        )
        for rank, at in enumerate(group.order.tolist(), start=1)
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
    """Every topic of the campaign, also those without tasks."""
    grades: Mapping[Key, int] = progress.grades if progress else {}
    codes = dict(enumerate(progress.topics if progress else ()))
    counts: dict[int, list[int]] = {position: [0, 0] for position in codes}
    for position, code, doc_id, _ in tasks:
        count = counts.setdefault(position, [0, 0])
        count[0] += 1
        count[1] += (position, code, doc_id) in grades
        # Without a ranked run, only the tasks say which topics there are.
        codes[position] = code
    return tuple(JudgedTopic(codes[at], *counts[at]) for at in sorted(counts))


def _seconds_each(plan: Plan) -> float | None:
    """The median time between two recent judgments of one assessor, without longer breaks. None if
    there are fewer than five. One query."""
    judgments = plan.campaign.judgments.filter(task__plan=plan, grade__isnull=False).order_by("-pk")
    last: dict[int, Any] = {}
    gaps = []
    # The newest come first, so `last` is the judgment that this assessor made next.
    for assessor, at in judgments.values_list("assessor", "at")[:LAST_JUDGMENTS]:
        if assessor in last and SHORTEST <= last[assessor] - at <= LONGEST:
            gaps.append((last[assessor] - at).total_seconds())
        last[assessor] = at
    return median(gaps) if len(gaps) >= 5 else None
